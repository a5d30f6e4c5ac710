import Foundation
import Testing

extension Integration {
    /// `minInterval` and `bookmark`. Updates are counted, and times are only compared if they differ by much.
    struct PaceTests {
        private static func daemon(configured text: String? = nil) throws -> Daemon {
            let daemon = try Daemon(configured: text)
            try daemon.succeed("create", "menu", "--volatile")
            try daemon.succeed("section", "add", "menu", "a")
            try daemon.succeed("section", "add", "menu", "b")
            try daemon.succeed("append", "menu", "n", "--section", "a", "n:=0")
            return daemon
        }

        private static func change(_ number: Int) -> String {
            #"{"id":\#(number),"method":"transact","params":{"list":"menu","operations":[{"op":"reconfigureItems","items":[{"id":"n","content":\#(number)}]}]}}"#
        }

        @Test(arguments: ["operations", "snapshots", "patches"])
        func `a burst is a few groups, and the last state comes`(form: String) throws {
            let daemon = try Self.daemon()
            let (client, writer) = (try daemon.connect(), try daemon.connect())
            try client.send(
                #"{"id":1,"method":"subscribe","params":{"list":"menu","deliver":"\#(form)","minInterval":300}}"#)
            _ = try client.lines(until: #""reason":"initial""#)
            // Twice, because an update that is held back must not be held back forever.
            for burst in 0..<2 {
                let start = ContinuousClock.now
                for number in 1...200 {
                    #expect(try writer.reply(to: Self.change(burst * 200 + number)).contains(#""changed":true"#))
                }
                let last = 3 + (burst + 1) * 200
                let groups = try client.lines(until: #""revision":\#(last),"#)
                // One at once, and one for each interval of the changes.
                let time = start.duration(to: .now)
                #expect(groups.count <= 2 + Int(time / .milliseconds(300)), "\(groups.count) groups in \(time)")
                #expect(client.isSilent(forSeconds: 0.6))
            }
        }

        @Test func `the first change after a quiet time comes at once, and the next when the interval is over`() throws
        {
            let daemon = try Self.daemon()
            let client = try daemon.connect()
            let interval = Duration.seconds(2)
            try client.send(#"{"id":"s","method":"subscribe","params":{"list":"menu","minInterval":2000}}"#)
            _ = try client.lines(until: #""reason":"initial""#)
            usleep(2_100_000)
            let start = ContinuousClock.now
            try client.send(Self.change(1))
            // Before or after the reply, and before the answers to later requests.
            var lines = try client.lines(until: #""id":1,"result""#)
            try client.send(#"{"id":"p","method":"ping"}"#)
            lines += try client.lines(until: #""id":"p""#)
            #expect(lines.contains { $0.contains(#""from":3,"revision":4,"#) }, "\(lines)")
            for number in 2...5 { try client.send(Self.change(number)) }
            var groups = 0
            var group = ""
            repeat {
                group = try client.lines(until: #""method":"changes""#).last ?? ""
                groups += 1
                #expect(start.duration(to: .now) >= interval * groups, "\(groups) groups after the first")
            } while !group.contains(#""revision":8,"#)
        }

        @Test func `replies, what a client asks for itself and the end of a list wait for no interval`() throws {
            let daemon = try Self.daemon()
            let client = try daemon.connect()
            // An hour.
            try client.send(#"{"id":"s","method":"subscribe","params":{"list":"menu","minInterval":3600000}}"#)
            _ = try client.lines(until: #""reason":"initial""#)
            for number in 1...5 { #expect(try client.reply(to: Self.change(number)).contains(#""id":\#(number),"#)) }
            #expect(client.isSilent(forSeconds: 1))
            try client.send(#"{"id":"v","method":"setView","params":{"subscription":1,"view":{"sections":["b"]}}}"#)
            _ = try client.lines(until: #""op":"deleteSections""#)
            try client.send(#"{"id":"d","method":"deleteList","params":{"list":"menu"}}"#)
            _ = try client.lines(until: "listDeleted")
        }

        @Test func `a daemon that stops says what it held back`() throws {
            let daemon = try Self.daemon()
            let client = try daemon.connect()
            try client.send(#"{"id":"s","method":"subscribe","params":{"list":"menu","minInterval":3600000}}"#)
            _ = try client.lines(until: #""reason":"initial""#)
            #expect(try client.reply(to: Self.change(7)).contains(#""id":7,"#))
            #expect(client.isSilent())
            daemon.program.end(with: SIGTERM)
            #expect(try client.line()?.contains(#""from":3,"revision":4,"#) == true)
        }

        @Test func `many who hold back cost little more than few`() throws {
            let daemon = try Self.daemon(configured: "subscriptionsPerConnectionMax: 2000\n")
            let (client, writer) = (try daemon.connect(), try daemon.connect())
            for number in 1...2_000 {
                try client.send(
                    #"{"id":\#(number),"method":"subscribe","params":{"list":"menu","minInterval":1000}}"#)
                // A client that asks and never reads would be held back.
                _ = try client.lines(until: #""reason":"initial""#)
            }
            let start = ContinuousClock.now
            for number in 1...500 { _ = try writer.reply(to: Self.change(number)) }
            var groups = 0
            var isLast = Set<Int>()
            while isLast.count < 2_000 {
                guard let line = try client.line() else { throw Failure("the daemon closed the connection") }
                guard line.contains("changes") else { continue }
                groups += 1
                if line.contains(#""revision":503,"#), let number = line.firstMatch(of: #/"subscription":(\d+)/#) {
                    isLast.insert(Int(number.1) ?? 0)
                }
            }
            // One at once, and one for each second.
            let time = start.duration(to: .now)
            #expect(
                groups <= 2_000 * (2 + Int(time / .seconds(1))),
                "\(groups) groups for 500 changes to 2,000 subscriptions in \(time)")
        }

        @Test func `a bookmark says up to where a quiet list is known`() throws {
            let daemon = try Self.daemon()
            let (client, writer) = (try daemon.connect(), try daemon.connect())
            try client.send(
                #"{"id":1,"method":"subscribe","params":{"list":"menu","bookmark":100,"view":{"sections":["b"]}}}"#)
            _ = try client.lines(until: #""reason":"initial""#)
            for _ in 0..<3 {
                #expect(
                    try client.line()?.contains(#""method":"bookmark","params":{"subscription":1,"list":"menu""#)
                        == true)
            }
            // A change that the view does not show makes no update; the bookmark confirms it anyway.
            _ = try writer.reply(to: Self.change(1))
            _ = try client.lines(until: #""revision":4}"#)
            try writer.send(
                #"{"id":2,"method":"transact","params":{"list":"menu","operations":[{"op":"appendItems","section":"b","items":[{"id":"x"}]}]}}"#
            )
            let change = try client.lines(until: #""method":"changes""#).last ?? ""
            #expect(change.contains(#""from":4,"revision":5,"#))
            #expect(try client.line()?.contains(#""revision":5}"#) == true)
            try client.send(#"{"id":9,"method":"unsubscribe","params":{"subscription":1}}"#)
            _ = try client.lines(until: #""id":9"#)
            #expect(client.isSilent(forSeconds: 0.4))
        }

        @Test func `a bookmark of one that holds back says no more than was sent`() throws {
            let daemon = try Self.daemon()
            let client = try daemon.connect()
            try client.send(
                #"{"id":"s","method":"subscribe","params":{"list":"menu","bookmark":100,"minInterval":3600000}}"#)
            _ = try client.lines(until: #""reason":"initial""#)
            try client.send(Self.change(1))
            // A bookmark may have been on its way.
            _ = try client.lines(until: #""id":1,"#)
            for _ in 0..<3 { #expect(try client.line()?.contains(#""revision":3}"#) == true) }
            try client.send(#"{"id":"v","method":"setView","params":{"subscription":1,"view":{}}}"#)
            let lines = try client.lines(until: #""method":"changes""#)
            #expect(lines.last?.contains(#""from":3,"revision":4,"#) == true)
            let bookmark = try client.lines(until: #""method":"bookmark""#).last
            #expect(bookmark?.contains(#""revision":4}"#) == true)
        }
    }
}
