import Foundation
import TestSupport
import Testing

extension Integration {
    /// `rm`, `set` and `patch` with --where.
    struct ConditionCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            let rows = """
                {"id":"a","done":true,"cpu":5}
                {"id":"b","done":false,"cpu":15,"under":"a"}
                {"id":"c","done":true,"cpu":25,"under":"b"}
                {"id":"d","cpu":"30"}
                """
            try daemon.succeed(
                "apply", "procs", "--create", "-q", "--parent", ".under", "--from", "ndjson", input: rows)
        }

        private func ids(_ arguments: String...) throws -> String {
            let shown = try daemon.succeed("show", "procs")
            return shown.split(separator: "\n").dropFirst().compactMap {
                $0.split(whereSeparator: { " ▾▸".contains($0) }).first.map(String.init)
            }.joined(separator: " ")
        }

        @Test func `rm deletes what meets the condition, and not what it stands under`() throws {
            // A view shows b as well, because c stands under it.
            #expect(try daemon.succeed("rm", "procs", "--where", "cpu>20") == "procs revision 2: 1 item deleted\n")
            #expect(try ids() == "a b d")
            let answer = try daemon.companion("rm", "procs", "--where", "cpu>20")
            #expect(answer.status == 0 && answer.output == "")
            #expect(answer.complaints.contains("no item of procs meets the condition"))
        }

        @Test func `rm deletes a parent together with its child`() throws {
            #expect(try daemon.succeed("rm", "procs", "--where", "done=true") == "procs revision 2: 2 items deleted\n")
            #expect(try ids() == "d")
        }

        @Test func `patch and set change all that meet the conditions`() throws {
            #expect(
                try daemon.succeed("patch", "procs", "--where", "done", "--where", "cpu<20", ".flags.seen:=true")
                    == "procs revision 2: 2 items patched\n")
            #expect(
                try daemon.succeed("show", "procs", "--json", "--where", "flags").contains(
                    #"{"id":"a","content":{"id":"a","done":true,"cpu":5,"flags":{"seen":true}},"#))
            #expect(
                try daemon.succeed("set", "procs", "--where", "cpu=30", "text=x") == "procs revision 3: 1 item set\n")
            #expect(try daemon.succeed("patch", "procs", "a", ".cpu:=13") == "procs revision 4\n")
            #expect(try daemon.succeed("show", "procs", "--where", "cpu=13").contains("a  "))
        }

        @Test func `a condition and a revision hold together`() throws {
            let refused = try daemon.companion("rm", "procs", "--where", "done=true", "--if-revision", "9")
            #expect(refused.status != 0 && refused.complaints.contains("9"))
            #expect(try ids() == "a b c d")
            try daemon.succeed("rm", "procs", "--where", "done=true", "--if-revision", "1", "-q")
            #expect(try ids() == "d")
        }

        @Test(arguments: [
            ["rm", "procs"], ["rm", "procs", "a", "--where", "done"], ["patch", "procs", "--where", "done"],
            ["patch", "procs", "a"], ["set", "procs"], ["patch", "procs", "--where", "cpu>", "a:=1"],
        ]) func `without knowing what is meant nothing is changed`(arguments: [String]) throws {
            let program = try daemon.startCompanion(arguments)
            #expect(try program.wait() == 2, "\(program.complaints)")
            #expect(try ids() == "a b c d")
        }

        @Test func `while others change the list, nothing is deleted that does not meet the condition then`() throws {
            try daemon.succeed("create", "busy", "--volatile")
            let writer = try daemon.connect()
            defer { writer.close() }
            var random = SplitMix64()
            for number in 0..<20 {
                try daemon.expectChange(
                    of: "busy", #"{"op":"appendItems","items":[{"id":"i\#(number)","content":{}}]}"#, writer)
            }
            let cleaners = try (0..<3).map { _ in try daemon.startCompanion(["rm", "busy", "--where", "done=true"]) }
            // Each tries a hundred times. The first ones are overtaken; however slow they are, later ones are not.
            var pauseMicroseconds = 20.0
            while cleaners.contains(where: { $0.exitStatus() == nil }) {
                usleep(UInt32(pauseMicroseconds))
                pauseMicroseconds = min(pauseMicroseconds * 1.05, 500_000)
                let done = Bool.random(using: &random)
                let item = #"{"id":"i\#(Int.random(in: 0..<20, using: &random))","content":{"done":\#(done)}}"#
                _ = try writer.reply(
                    to:
                        #"{"id":1,"method":"transact","params":{"list":"busy","operations":[{"op":"patchItems","items":[\#(item)]}]}}"#
                )
            }
            for cleaner in cleaners { #expect(cleaner.exitStatus() == 0, "\(cleaner.complaints)") }
            #expect(try undoneDeletions(writer) == [], "seed \(random.seed)")
        }

        /// The items that were not done in the state before the one in which they are gone.
        private func undoneDeletions(_ client: RawClient) throws -> [String] {
            func ask(_ method: String, _ parameters: String) throws -> [String: Any] {
                let line = try client.reply(
                    to: #"{"id":2,"method":"\#(method)","params":{"list":"busy"\#(parameters)}}"#)
                let reply = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return try #require(reply?["result"] as? [String: Any], "\(line)")
            }
            let history = try ask("history", "")
            let oldest = try #require(history["oldest"] as? Int)
            let newest = try #require(history["revision"] as? Int)
            var done: [String: Bool] = [:]
            var undone: [String] = []
            for revision in oldest..<newest {
                let difference = try ask("difference", #","from":\#(revision),"to":\#(revision + 1)"#)
                for operation in difference["operations"] as? [[String: Any]] ?? [] {
                    for item in operation["items"] as? [Any] ?? [] {
                        if let id = item as? String, operation["op"] as? String == "deleteItems" {
                            if done[id] == false { undone.append(id) }
                        } else if let item = item as? [String: Any], let id = item["id"] as? String {
                            done[id] = (item["content"] as? [String: Any])?["done"] as? Bool ?? false
                        }
                    }
                }
            }
            return undone
        }
    }
}

extension Daemon {
    fileprivate func expectChange(of list: String, _ operation: String, _ client: RawClient) throws {
        let reply = try client.reply(
            to: #"{"id":1,"method":"transact","params":{"list":"\#(list)","operations":[\#(operation)]}}"#)
        #expect(reply.contains(#""changed":true"#), "\(reply)")
    }
}
