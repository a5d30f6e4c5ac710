import Diffable
import DiffableClient
import Foundation
import Testing

extension Integration {
    struct FanOutTests {
        @Test func `a change typed into socat reaches socat, watch and the Swift client as one line`() async throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            try daemon.succeed("section", "add", "tasks", "today")
            let socat = try daemon.startSocatSubscriber(to: "tasks")
            let drawn = try daemon.startCompanion(["watch", "tasks"])
            let lines = try daemon.startCompanion(["watch", "tasks", "--json"])
            try await Connection.withConnection(to: SocketPath(daemon.socket), name: "test") { connection in
                let updates = try await connection.subscribe(to: "tasks")
                var iterator = updates.makeAsyncIterator()
                let first = try await iterator.next()
                #expect(first?.cause == .initial && first?.revision == 1)
                for program in [socat, drawn, lines] {
                    _ = try eventually("first state") { program.output.contains("today") ? true : nil }
                }

                let request =
                    #"{"id":1,"method":"transact","params":{"list":"tasks","operations":[{"op":"appendItems","#
                    + #""items":[{"id":"milk","content":{"text":"Buy milk"}}]}]}}"#
                let typed = try Program(
                    "/usr/bin/socat", ["-t", "1e9", "-", "UNIX-CONNECT:\(daemon.socket)"],
                    input: try daemon.directory.write("\(request)\n", to: "typed"), in: daemon.directory)
                #expect(try typed.wait() == 0)
                #expect(typed.outputLines.count == 1 && typed.output.contains(#""changed":true"#))

                let second = try await iterator.next()
                #expect(second?.cause == .changes && second?.revision == 2)
                #expect(second?.snapshot.item("milk")?.content?.description == #"{"text":"Buy milk"}"#)
                #expect(second?.difference.count == 1)
            }
            let changes =
                #""method":"changes","params":{"subscription":1,"list":"tasks","from":1,"revision":2,"operations":["#
                + #"{"op":"insertItems","section":"today","after":null,"items":[{"id":"milk","#
                + #""content":{"text":"Buy milk"}}]}]}}"# + "\n"
            _ = try eventually("changes") {
                socat.output.contains(changes) && lines.output.contains(changes) ? true : nil
            }
            _ = try eventually("drawn change") {
                drawn.output.hasSuffix("today\n2 + milk  Buy milk  (in today, first)\n") ? true : nil
            }
            #expect(socat.outputLines.count == 3, "the reply, the reset and one line of changes")
            #expect(lines.outputLines.count == 2, "the reset and one line of changes")
        }

        @Test func `a subscription ends when its list is deleted`() async throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks", "--volatile")
            let watch = try daemon.startCompanion(["watch", "tasks", "--json"])
            _ = try eventually("first state") { watch.output.contains("reset") ? true : nil }
            try await Connection.withConnection(to: SocketPath(daemon.socket)) { connection in
                let updates = try await connection.subscribe(to: "tasks")
                try await connection.deleteList("tasks")
                var revisions: [Int] = []
                for try await update in updates { revisions.append(update.revision) }
                #expect(revisions == [0])
            }
            #expect(try watch.wait() == 0)
            #expect(watch.complaints == "diffablectl: tasks was deleted\n")
        }

        @Test func `a client that is slow sees the newest state, not every one`() async throws {
            let daemon = try Daemon()
            try await Connection.withConnection(to: SocketPath(daemon.socket)) { connection in
                try await connection.createList("tasks", durability: .volatile)
                let updates = try await connection.subscribe(to: "tasks")
                var iterator = updates.makeAsyncIterator()
                #expect(try await iterator.next()?.cause == .initial)
                try await connection.transact("tasks", [.appendSections([Diffable.Section(id: "s")])])
                for number in 0..<50 {
                    try await connection.transact("tasks", [.appendItems([Item(id: try ItemID("\(number)"))])])
                }
                // Our own changes arrive before their replies, so all of them are there.
                let update = try await iterator.next()
                #expect(update?.revision == 51)
                #expect(update?.previous.isEmpty == true)
                #expect(update?.snapshot.numberOfItems == 50)
            }
        }
    }
}
