import Diffable
import Foundation
import TestSupport
import Testing

extension Integration {
    /// `diffablectl mirror`: two daemons, and a pipe instead of ssh between them.
    struct MirrorTests {
        private static func mirror(
            _ list: String, of there: Daemon, in here: Daemon, _ options: [String] = []
        ) throws -> Program {
            let pipe = "'\(Binaries.companion)' relay --socket '\(there.socket)'"
            return try here.startCompanion(["mirror", list, "--pipe", pipe] + options)
        }

        private func isLive(_ list: String, in daemon: Daemon) throws -> Bool {
            try daemon.succeed("ls", "--json").contains(#""live":true"#)
        }

        private func state(_ list: String, in daemon: Daemon) throws -> String {
            let reply = try daemon.connect().reply(to: #"{"id":1,"method":"snapshot","params":{"list":"\#(list)"}}"#)
            return try #require(reply.firstRange(of: #""snapshot":"#).map { String(reply[$0.upperBound...]) })
        }

        /// Whether both lists are equal after everything in transit has arrived.
        private func areEqual(_ list: String, _ one: Daemon, _ other: Daemon) throws -> Bool {
            try eventually { try state(list, in: one) == state(list, in: other) }
        }

        @Test func `a mirror follows its source, is changed by nobody else, and says when it is not live`() throws {
            let (there, here) = (try Daemon(), try Daemon())
            try there.succeed("create", "jobs")
            try there.succeed("append", "jobs", "one", "text=eins")
            let mirror = try Self.mirror("jobs", of: there, in: here)
            defer { mirror.end(with: SIGKILL) }
            #expect(try eventually { try here.succeed("ls", "--names").contains("jobs") && isLive("jobs", in: here) })
            let watch = try here.startCompanion(["watch", "jobs"])
            defer { watch.end(with: SIGKILL) }
            #expect(eventually { watch.complaints.contains("jobs is live") })

            try there.succeed("append", "jobs", "two")
            #expect(try areEqual("jobs", there, here))
            for change in [["append", "jobs", "three"], ["rm", "jobs", "one"], ["undo", "jobs"]] {
                let refused = try here.startCompanion(change)
                #expect(try refused.wait() == 7)
                #expect(refused.complaints.contains("it is a mirror"), "\(refused.complaints)")
            }
            let operations = #"[{"op":"deleteItems","items":["one"]}]"#
            let dryRun = try here.connect().reply(
                to: #"{"id":1,"method":"transact","params":{"list":"jobs","operations":\#(operations),"dryRun":true}}"#)
            #expect(dryRun.contains(#""changed":true"#), "\(dryRun)")

            there.program.end(with: SIGKILL)
            #expect(eventually { watch.complaints.contains("jobs is not live since") })
            #expect(try here.succeed("show", "jobs").contains("two"), "the last state stays")
            try there.restart()
            try there.succeed("append", "jobs", "four")
            #expect(try eventually { try isLive("jobs", in: here) })
            #expect(try areEqual("jobs", there, here))
            #expect(eventually { watch.output.contains("+ four") })
            #expect(!watch.output.contains("created again"), "who follows the mirror keeps its place: \(watch.output)")

            mirror.end(with: SIGTERM)
            #expect(try eventually { try !isLive("jobs", in: here) })
            try here.succeed("mirror", "jobs", "--end")
            try here.succeed("append", "jobs", "mine")
            #expect(try !here.succeed("ls", "--json").contains("mirror"))
        }

        @Test func `a mirror stays one over a start of its daemon, and goes on where it was`() throws {
            let (there, here) = (try Daemon(), try Daemon())
            try there.succeed("apply", "rows", "--create", "-q", "--from", "lines", input: "a\nb\nc")
            var mirror = try Self.mirror("rows", of: there, in: here, ["copy"])
            #expect(try eventually { try here.succeed("ls", "--names").contains("copy") && isLive("copy", in: here) })
            mirror.end(with: SIGKILL)
            here.program.end(with: SIGKILL)
            try here.restart()
            #expect(try !isLive("copy", in: here))
            #expect(try here.companion("append", "copy", "x").status == 7)
            try there.succeed("append", "rows", "d")
            mirror = try Self.mirror("rows", of: there, in: here, ["copy"])
            defer { mirror.end(with: SIGKILL) }
            #expect(try eventually { try isLive("copy", in: here) })
            #expect(try here.succeed("show", "copy", "-o", "ids").split(separator: "\n").count == 4)
            #expect(try here.succeed("log", "copy").split(separator: "\n").count == 2, "each group is one transaction")
        }

        @Test func `what is there already is not overwritten, and two do not mirror one list`() throws {
            let (there, here) = (try Daemon(), try Daemon())
            for (daemon, item) in [(there, "one"), (here, "mine")] {
                try daemon.succeed("create", "jobs")
                try daemon.succeed("append", "jobs", item)
            }
            let refused = try Self.mirror("jobs", of: there, in: here)
            #expect(try refused.wait() == 5)
            #expect(refused.complaints.contains("which is not a mirror"), "\(refused.complaints)")
            #expect(try here.succeed("show", "jobs").contains("mine"))
            let mirror = try Self.mirror("jobs", of: there, in: here, ["--replace"])
            defer { mirror.end(with: SIGKILL) }
            #expect(try eventually { try isLive("jobs", in: here) })
            let second = try Self.mirror("jobs", of: there, in: here)
            #expect(try second.wait() == 5)
            #expect(second.complaints.contains("another command keeps the mirror"), "\(second.complaints)")
            let none = try here.companion("mirror", "nowhere")
            #expect(none.status == 64 || none.status == 2)
            #expect(none.complaints.contains("HOST:LIST"), "\(none.complaints)")
        }

        /// A daemon that replies to `hello` and `subscribe`, and then misbehaves as its argument says.
        private static let hostileDaemon = """
            import json, sys
            kind, out = sys.argv[1], sys.stdout.buffer
            def send(line):
                out.write(line if isinstance(line, bytes) else json.dumps(line).encode())
                out.write(b"\\n")
                out.flush()
            def tell(method, operations, **more):
                place = {"subscription": 1, "list": "jobs", "epoch": "e" * (9000 if kind == "epoch" else 1), "revision": 1}
                send({"method": method, "params": place | {"operations": operations} | more})
            for line in sys.stdin:
                request = json.loads(line)
                if kind == "error":
                    send({"id": request["id"], "error": {
                        "code": 2, "message": "no\\ndiffablectl: all is well\\u001b[2J\\u202e", "data": {"name": "x"}}})
                if kind == "line":
                    out.write(b'{"id":1,"result":"')
                    while True: out.write(b"x" * 65536)
                result = {"version": "1", "epoch": "e", "limits": {}, "capabilities": []}
                if request["method"] == "subscribe": result = {"subscription": 1, "list": "jobs", "epoch": "e", "revision": 1}
                send({"id": request["id"], "result": result})
                if request["method"] != "subscribe": continue
                start = [{"op": "appendSections", "sections": [{"id": "s"}]},
                         {"op": "appendItems", "section": "s", "items": [{"id": "good"}]}]
                if kind == "parts":
                    number = 0
                    while True:
                        items = [{"id": f"{number}-{n}"} for n in range(1000)]
                        whole = start + [{"op": "appendItems", "section": "s", "items": items}]
                        tell("reset", whole, reason="initial", more=True)
                        start, number = [], number + 1
                tell("reset", start, reason="initial")
                wrong = [{"op": "deleteItems", "items": ["none"]}]
                if kind == "operation": tell("changes", wrong, **{"from": 1, "revision": 2})
                if kind == "bytes": send(b"\\xff\\x00")
                if kind == "depth": send(b'{"method":"changes","params":' + b"[" * 1000000)
            """

        @Test(arguments: [
            ("line", "a line that is too long"), ("parts", "one change of the list is longer than"),
            ("operation", "there is no item"), ("bytes", "does not understand"), ("depth", "depthMax"),
            ("error", "no␊diffablectl: all is well␛[2J<U+202E>"), ("epoch", "is live"),
        ])
        func `a hostile source is an error, in bounded memory, and the mirror keeps its last good state`(
            kind: String, message: String
        ) throws {
            let here = try Daemon(configured: "transactionLengthMax: 100000\n")
            let program = try here.directory.write(Self.hostileDaemon, to: "hostile.py")
            let mirror = try here.startCompanion([
                "mirror", "jobs", "--pipe", "exec python3 '\(program)' \(kind) 2>/dev/null",
            ])
            defer { mirror.end(with: SIGKILL) }
            #expect(eventually { mirror.complaints.contains(message) }, "\(mirror.complaints)")
            #expect(
                mirror.complaints.split(separator: "\n").allSatisfy {
                    $0.hasPrefix("diffablectl: ") && !$0.contains("\u{1B}")
                })
            if kind == "line" || kind == "parts" {
                let memory = try #require(mirror.mostMemory)
                #expect(memory < 600_000, "\(memory) kB")
            } else if kind != "error" {
                #expect(try eventually { try here.succeed("show", "jobs", "-o", "ids") == "good\n" })
            }
        }

        @Test func `the daemons, the mirror and the link end at random, and the mirror is what its source is`() throws {
            var random = SplitMix64()
            let seed = random.seed
            let (there, here) = (try Daemon(), try Daemon())
            try there.succeed("create", "jobs")
            var mirror = try Self.mirror("jobs", of: there, in: here)
            defer { mirror.end(with: SIGKILL) }
            #expect(try eventually { try here.succeed("ls", "--names").contains("jobs") })
            var client = try there.connect()
            var number = 0
            for _ in 0..<12 {
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    number += 1
                    let id = Int.random(in: 0..<20, using: &random)
                    let operation =
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: #"{"op":"deleteItems","items":["i\#(id)"],"ifPresent":true}"#
                        case 1: #"{"op":"moveItem","item":"i\#(id)","position":0}"#
                        default: #"{"op":"appendItems","section":"s","items":[{"id":"i\#(id)","content":\#(number)}]}"#
                        }
                    let section = #"{"op":"appendSections","sections":[{"id":"s"}]}"#
                    // An update that does not fit is refused, and changes nothing.
                    let operations = number == 1 ? section : operation
                    _ = try client.reply(
                        to: #"{"id":1,"method":"transact","params":{"list":"jobs","operations":[\#(operations)]}}"#)
                }
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    there.program.end(with: SIGKILL)
                    try there.restart()
                    client = try there.connect()
                case 1:
                    // A mirror that finds no daemon at startup ends; this mirror has already begun.
                    let run = mirror
                    #expect(eventually { !run.complaints.isEmpty })
                    here.program.end(with: SIGKILL)
                    try here.restart()
                case 2:
                    mirror.end(with: SIGKILL)
                    mirror = try Self.mirror("jobs", of: there, in: here, ["--replace"])
                default: break
                }
            }
            #expect(try areEqual("jobs", there, here), "seed \(seed): \(mirror.complaints)")
            #expect(try eventually { try isLive("jobs", in: here) }, "seed \(seed): \(mirror.complaints)")
        }
    }
}
