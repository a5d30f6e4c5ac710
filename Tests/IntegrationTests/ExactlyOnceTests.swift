import DiffableClient
import DiffableProtocol
import Foundation
import TestSupport
import Testing

extension Integration {
    /// A client repeats a request with an unknown outcome.
    struct ExactlyOnceTests {
        @Test func `a request that is sent again after each crash is made once and never lost`() throws {
            let seed = UInt64.random(in: 0...999_999)
            var generator = SplitMix64(seed: seed)
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            try daemon.succeed("section", "add", "log", "s")
            var written = 0
            for crash in 1...Sweep.count(50) {
                var client = try daemon.connect()
                var requests = (written..<written + 20).map(Self.append)
                written += 20
                try client.send(requests.joined(separator: "\n"))
                // Anywhere between the first request and the last reply.
                for _ in 0..<Int(generator.next() % 21) { _ = try client.line() }
                usleep(UInt32(generator.next() % 3_000))
                daemon.program.end(with: SIGKILL)
                try daemon.restart()
                client = try daemon.connect()
                // All of them, including the answered ones.
                requests.append(requests[0])
                for request in requests {
                    let reply = try client.reply(to: request)
                    #expect(reply.contains(#""changed":true"#), "crash \(crash), seed \(seed): \(reply)")
                }
            }
            let kept = try daemon.succeed("show", "log", "--json").components(separatedBy: #"{"id":""#).dropFirst(2)
            #expect(kept.compactMap { Int($0.prefix { $0.isNumber }) } == Array(0..<written), "seed \(seed)")
            #expect(try daemon.succeed("log", "log", "--json").contains(#""revision":\#(written + 1)"#))
        }

        private static func append(_ number: Int) -> String {
            #"{"id":\#(number),"method":"transact","params":{"list":"log","operations":[{"op":"appendItems","#
                + #""items":[{"id":"\#(number)"}]}],"requestKey":"key \#(number)"}}"#
        }

        @Test func `the same line is answered with the same bytes, on any connection and after a restart`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            let request =
                #"{"id":1,"method":"apply","params":{"list":"log","section":"s","snapshot":[{"id":"a"}],"#
                + #""ifRevision":0,"requestKey":"k"}}"#
            let client = try daemon.connect()
            // Twice at once: the second arrives while the first waits for the disk.
            try client.send(request + "\n" + request)
            let first = try #require(try client.line())
            #expect(first.contains(#""summary":{"insertedItems":1,"insertedSections":1}"#))
            #expect(try client.line() == first)
            #expect(try daemon.connect().reply(to: request) == first)
            try daemon.succeed("rm", "log", "a")
            #expect(try client.reply(to: request) == first)
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            try daemon.restart()
            #expect(try daemon.connect().reply(to: request) == first)
            #expect(try daemon.succeed("show", "log") == "s\n")
        }

        @Test func `a request in parts is known by the key of its last part`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            try daemon.succeed("section", "add", "log", "s")
            func parts(_ key: String) -> String {
                let one =
                    #"{"method":"transact","params":{"list":"log","operations":[{"op":"appendItems","items":[{"id":"a"}]}],"more":true}}"#
                let two =
                    #"{"id":1,"method":"transact","params":{"list":"log","operations":[{"op":"appendItems","items":[{"id":"b"}]}],"requestKey":"\#(key)","more":false}}"#
                return one + "\n" + two
            }
            let client = try daemon.connect()
            let first = try client.reply(to: parts("k"))
            #expect(first.contains(#""revision":2,"changed":true"#))
            #expect(try client.reply(to: parts("k")) == first)
            #expect(try client.reply(to: parts("l")).contains("duplicateItem"))
        }

        @Test func `diffablectl asks again while the daemon is restarted, and makes its change once`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            try daemon.succeed("section", "add", "log", "s")
            var generator = SplitMix64(seed: 7)
            var programs: [Program] = []
            for round in 0..<6 {
                for number in 0..<4 {
                    programs.append(
                        try daemon.startCompanion(["append", "log", "\(round)-\(number)", "--retry", "600", "-q"]))
                }
                usleep(UInt32(generator.next() % 30_000))
                if round % 2 == 0 {
                    daemon.program.end(with: SIGKILL)
                } else {
                    daemon.program.signal(SIGTERM)
                    #expect(try daemon.program.wait() == 0)
                }
                try daemon.restart()
            }
            for program in programs { #expect(try program.wait() == 0, "\(program.complaints)") }
            let shown = try daemon.succeed("show", "log").split(separator: "\n").dropFirst()
            #expect(shown.count == 24)
            #expect(Set(shown).count == 24)
        }

        @Test func `diffablectl says that it tries again, and at last that nobody knows`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            try daemon.succeed("section", "add", "log", "s")
            // A daemon that accepts the request and dies. On a busy machine, a second passes quickly.
            try eventually("word that it tries again") {
                let listener = try MuteListener(at: daemon.directory.file("mute"))
                let program = try daemon.startCompanion(
                    ["append", "log", "a", "--retry", "1", "--socket", daemon.directory.file("mute")])
                listener.hangUp()
                #expect(try program.wait() == 3)
                let complaints = program.complaints
                #expect(complaints.contains("Whether an unanswered change was made is not known"))
                return complaints.contains("before it answered; retrying for up to 1 s") ? () : nil
            }
            let none = try daemon.companion("append", "log", "a", "--socket", daemon.directory.file("none"))
            #expect(none.status == 3 && !none.complaints.contains("retrying"), "nobody was there to begin with")
            #expect(try daemon.companion("append", "log", "a", "--retry", "-1").status == 2)
            // With an explicit key.
            #expect(try daemon.succeed("append", "log", "b", "--request-key", "k") == "log revision 2\n")
            #expect(try daemon.succeed("append", "log", "b", "--request-key", "k") == "log revision 2\n")
            #expect(try daemon.companion("append", "log", "c", "--request-key", "k").status == 5)
        }
    }
}
