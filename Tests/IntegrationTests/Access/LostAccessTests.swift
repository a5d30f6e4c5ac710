import Foundation
import Testing

extension Integration {
    /// Subscriptions end when the right to read is lost, and begin when it is granted.
    @Suite(.withSeveralUsers)
    struct LostAccessTests {
        private let bob = Somebody.bob

        private func ended(_ list: String) -> String {
            #"{"jsonrpc":"2.0","method":"subscriptionEnded","params":{"subscription":1,"list":"\#(list)","#
                + #""reason":"permissionDenied","message":"permission denied for the list \"\#(list)\": you lost the right to "#
                + #"read it, and this subscription has ended; subscribe again when its owner or root has restored that right"}}"#
        }

        @Test(arguments: ["operations", "snapshots", "patches"])
        func `a chmod ends the subscriptions that lose their right, with a message that says so`(form: String) throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "news", "--mode", "0644")
            let subscriber = try daemon.startClient(
                as: bob,
                sending: [
                    #"{"id":1,"method":"subscribe","params":{"list":"news","deliver":"\#(form)","ifAbsent":"wait"}}"#
                ])
            let root = try daemon.connect()
            try root.send("subscribe news")
            _ = try root.lines(until: #""method":"reset""#)
            _ = try eventually("first state") { subscriber.outputLines.count == 2 ? true : nil }
            // All in one write: changes after the change of the mode are not for bob, whichever request is faster.
            try root.send(
                #"{"id":1,"method":"setAccess","params":{"list":"news","mode":"0600"}}"# + "\n"
                    + #"{"id":2,"method":"transact","params":{"list":"news","operations":[{"op":"appendSections","sections":[{"id":"secret"}]}]}}"#
            )
            let lines = try root.lines(until: #""id":2"#)
            // The two changes may be in one commit group or in two; subscribers get each before its answer.
            let answer = #"{"jsonrpc":"2.0","id":1,"result":{"list":"news","owner":0,"group":0,"mode":"0600"}}"#
            #expect(lines.count == 3 && lines[..<2].contains(answer))
            #expect(lines[..<2].contains { $0.contains("secret") }, "the owner's own subscription goes on")
            #expect(try subscriber.wait() == 0, "the connection ends with its last subscription")
            #expect(subscriber.outputLines.count == 3)
            #expect(subscriber.outputLines.last == ended("news"))
        }

        @Test(arguments: ["reload", "SIGHUP"])
        func `a reload ends the subscriptions to lists whose mode nobody set, and lets in who waits`(
            how: String
        ) throws {
            let daemon = try Daemon.forEverybody(configured: "access: [{prefix: open., mode: '0644'}]")
            try daemon.succeed("create", "open.news")
            try daemon.succeed("create", "open.fixed", "--mode", "0644")
            try daemon.succeed("create", "shut.news")
            let subscribers = try ["open.news", "open.fixed", "shut.news"].map {
                try daemon.startClient(
                    as: bob,
                    sending: [#"{"id":1,"method":"subscribe","params":{"list":"\#($0)","ifAbsent":"wait"}}"#])
            }
            _ = try eventually("first states") {
                subscribers.map(\.outputLines.count) == [2, 2, 1] ? true : nil
            }
            try daemon.configure("access: [{prefix: shut., mode: '0644'}]")
            if how == "reload" {
                #expect(try daemon.succeed("reload").contains("access has changed"))
            } else {
                daemon.program.signal(SIGHUP)
            }
            #expect(try subscribers[0].wait() == 0)
            #expect(subscribers[0].outputLines.last == ended("open.news"))
            _ = try eventually("the other list") { subscribers[2].outputLines.count == 2 ? true : nil }
            #expect(subscribers[1].outputLines.count == 2, "somebody set this mode")
            #expect(subscribers[1].exitStatus() == nil)
            // An invalid file changes nothing.
            try daemon.configure("access: [{prefix: shut., group: no-such-group}]")
            let refused = try daemon.companion("reload")
            #expect(refused.status == 1)
            #expect(refused.complaints.contains("access[0].group: there is no group \"no-such-group\""))
            #expect(try daemon.companion(as: bob, "ls").output.contains("shut.news"))
        }

        @Test func `a slow reader in the middle of a group hears no more of the list than was begun`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "large", "--mode", "0644")
            let rows = (0..<40_000).map { "item \($0) with some text to make it longer" }.joined(separator: "\n")
            try daemon.succeed("apply", "large", input: rows)
            // Nothing reads socat's output from this pipe, so socat soon stops reading.
            let fifo = daemon.directory.file("pipe")
            #expect(mkfifo(fifo, 0o666) == 0)
            chmod(fifo, 0o666)
            let request = try daemon.directory.write("subscribe large\n", to: "request")
            let reading = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(reading) }
            let subscriber = try bob.start(
                "/bin/sh", ["-c", "exec socat -t 1e9 - UNIX-CONNECT:\(daemon.socket) >\(fifo)"], input: request,
                in: daemon.directory)
            // When the pipe is full, socat waits and does not read. Then the socket fills up too.
            _ = try eventually("a full pipe") {
                var length: Int32 = 0
                _ = ioctl(reading, UInt(FIONREAD), &length)
                return length >= 65_536 - 4_096 ? true : nil
            }
            let root = try daemon.connect()
            _ = try eventually("a full socket") {
                try root.reply(to: "clients").contains(#/"pendingBytes":[1-9]/#) ? true : nil
            }
            try daemon.succeed("chmod", "600", "large")
            _ = fcntl(reading, F_SETFL, 0)
            let text = String(decoding: FileHandle(fileDescriptor: reading).readDataToEndOfFile(), as: UTF8.self)
            #expect(try subscriber.wait() == 0)
            let lines = text.split(separator: "\n")
            #expect(lines.last.map(String.init) == ended("large"))
            #expect(text.utf8.count < 1_500_000, "it was cut short")
        }

        @Test func `who waits for a list is sent it when a chmod lets it in`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "news")
            let subscriber = try daemon.startClient(
                as: bob, sending: [#"{"id":1,"method":"subscribe","params":{"list":"news","ifAbsent":"wait"}}"#])
            _ = try eventually("reply") { subscriber.outputLines.count == 1 ? true : nil }
            #expect(subscriber.outputLines == [#"{"jsonrpc":"2.0","id":1,"result":{"subscription":1,"list":"news"}}"#])
            try daemon.succeed("section", "add", "news", "s")
            try daemon.succeed("chmod", "o+r", "news")
            _ = try eventually("first state") { subscriber.outputLines.count == 2 ? true : nil }
            #expect(subscriber.outputLines[1].contains(#""revision":1,"reason":"initial""#))
        }

        @Test func `a right that goes while a long view is found leaves nothing of what was found`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "rows", "--volatile", "--mode", "0600")
            let rows = (0..<50_000).map { #"{"id":"\#($0)","n":\#($0 * 7919 % 100_003)}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
            // On a busy machine a view may be found before the right is lost, which proves nothing.
            for attempt in 1...20 where try isNothingLeft(ofAttempt: attempt, daemon) { return }
            Issue.record("each time a view was found before its right could go")
        }

        /// Returns false if a view was found before the right was lost.
        private func isNothingLeft(ofAttempt attempt: Int, _ daemon: Daemon) throws -> Bool {
            // The first key takes long, the second one makes the view different.
            func ask(_ method: String, _ otherKey: String, _ more: String = "") throws -> Program {
                try daemon.startClient(
                    as: bob,
                    sending: [
                        #"{"id":1,"method":"\#(method)","params":{"list":"rows","#
                            + #""view":{"sort":["/n","\#(otherKey)\#(attempt)"]}\#(more)}}"#
                    ])
            }
            try daemon.succeed("chmod", "600", "rows")
            let waiting = try ask("subscribe", "/k", #","ifAbsent":"wait""#)
            _ = try eventually("reply") { waiting.outputLines.count == 1 ? true : nil }
            try daemon.succeed("chmod", "o+r", "rows")
            let root = try daemon.connect()
            let asking = try [ask("subscribe", "/m"), ask("snapshot", "/l")]
            defer { for client in asking + [waiting] { client.end(with: SIGKILL) } }
            // A client that was answered quickly may already have ended.
            _ = try eventually("three clients") {
                if asking.contains(where: { $0.exitStatus() != nil }) { return true }
                return try root.reply(to: "status").contains(#/"connections":4\b/#) ? true : nil
            }
            _ = try root.reply(to: #"{"id":1,"method":"setAccess","params":{"list":"rows","mode":"0600"}}"#)
            let change =
                #"{"id":2,"method":"transact","params":{"list":"rows","operations":[{"op":"appendItems","#
                + #""items":[{"id":"after \#(attempt)"}]}]}}"#
            let revision = try #require(try root.reply(to: change).firstMatch(of: #/"revision":([0-9]+)/#)?.1)
            // The last line to each caller is the end of the connection.
            for client in asking { #expect(try client.wait() == 0) }
            try daemon.succeed("chmod", "o+r", "rows")
            _ = try eventually("first state") { waiting.outputLines.count > 1 ? true : nil }
            // Before the right was lost, this revision did not exist.
            let state = waiting.outputLines[1]
            let isFoundWaiting = !state.contains(#""revision":\#(revision),"#)
            if isFoundWaiting {
                #expect(try waiting.wait() == 0)
                #expect(waiting.outputLines.last == ended("rows"))
            }
            if isFoundWaiting || asking.contains(where: { $0.output.contains(#""result""#) }) { return false }
            for client in asking {
                #expect(client.outputLines.count == 1 && client.outputLines[0].contains("noSuchList"))
            }
            #expect(state.contains(#""reason":"initial""#), "as before there was a list")
            return true
        }

        @Test func `diffablectl watch ends with what the daemon says`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "news", "--mode", "0644")
            let watches = try [["watch", "news"], ["watch", "news", "--json"]].map {
                try bob.start(
                    Binaries.companion, $0, environment: ["DIFFABLED_SOCKET": daemon.socket], in: daemon.directory)
            }
            _ = try eventually("two subscriptions") {
                try daemon.succeed("status").contains("subscriptions\":2")
                    || daemon.succeed("status").contains(#/[Ss]ubscriptions\W+2\b/#) ? true : nil
            }
            try daemon.succeed("chmod", "600", "news")
            for watch in watches {
                #expect(try watch.wait() == 7)
                #expect(watch.complaints.contains("you lost the right to read it"))
            }
            #expect(watches[1].output.contains(ended("news")))
        }
    }
}
