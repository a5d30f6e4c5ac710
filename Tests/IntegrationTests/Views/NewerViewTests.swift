import Diffable
import DiffableClient
import Synchronization
import Testing

extension Integration {
    /// `setView`s of one subscription that arrive faster than views are computed.
    struct NewerViewTests {
        /// More than fits in an iteration of the event loop.
        private static let rowsMax = 6_000

        /// The last state in a loop over a list.
        private final class Shown: Sendable {
            private let state = Mutex(-1)
            var numberOfRows: Int { state.withLock { $0 } }
            func show(_ rows: Int) { state.withLock { $0 = rows } }
        }

        private func serverWithRows() throws -> (TestServer, RawClient) {
            let server = try TestServer()
            let publisher = try server.connect()
            _ = try publisher.reply(
                to: #"{"id":1,"method":"createList","params":{"list":"rows","durability":"volatile"}}"#)
            let rows = (0..<Self.rowsMax).map { #"{"id":"i\#($0)","content":{"n":\#($0)}}"# }
            _ = try publisher.reply(
                to: #"{"id":2,"method":"apply","params":{"list":"rows","snapshot":{"sections":[{"id":"s","items":["#
                    + #"\#(rows.joined(separator: ","))]}]}}}"#)
            return (server, publisher)
        }

        private func view(_ rows: Int) -> String { #"{"where":{"path":"/n","lessThan":\#(rows)}}"# }

        private func setView(_ id: Int, subscription: Int = 1) -> String {
            #"{"id":\#(id),"method":"setView","params":{"subscription":\#(subscription),"view":\#(view(id))}}"#
        }

        private func subscribe(_ client: RawClient) throws -> [String] {
            try client.send("subscribe rows")
            var lines = try client.lines(until: "reset")
            while lines.last?.contains(#""more":true"#) == true { lines.append(try #require(try client.line())) }
            return lines
        }

        /// Checks that the final state is the last view's.
        private func expect(_ rows: Int, in lines: [String]) throws {
            let replay = try Replay(of: lines)
            let expected = try (0..<rows).map { try ItemID("i\($0)") }
            let isShown = replay.snapshot.itemIdentifiers == expected
            #expect(isShown, "\(replay.snapshot.numberOfItems) and not \(rows) rows")
        }

        /// One computation for views that arrive before the first begins, and at most one more.
        @Test(arguments: [13, 300]) func `are not all looked for, and all answered in their order`(count: Int) throws {
            let (server, publisher) = try serverWithRows()
            let client = try server.connect()
            let start = try subscribe(client)
            let before = try server.piecesBegun
            try server.whileNothingIsFound {
                try client.send((1...count).map { setView($0) }.joined(separator: "\n"))
                try client.waitUntilTaken()
                _ = try publisher.reply(to: "ping")
            }
            let lines = try client.lines(until: #""method":"changes""#)
            let replies = (1...count).map { #"{"jsonrpc":"2.0","id":\#($0),"result":{"subscription":1}}"# }
            let areAnswered = Array(lines.dropLast()) == replies
            #expect(areAnswered)
            try expect(count, in: start + lines)
            #expect(client.isSilent())
            // Two views and the steps before them block others; so few rows are freed at once.
            let begun = try server.piecesBegun - before
            #expect(begun <= 4)
        }

        /// The old view continues while the new one is computed for the list's earlier state.
        @Test func `take back nothing that the old view has shown meanwhile`() throws {
            let (server, publisher) = try serverWithRows()
            let client = try server.connect()
            var replay = Replay()
            for line in try subscribe(client) { try replay.receive(line) }
            let start = try #require(replay.revision)
            try server.whileNothingIsFound {
                try client.send(setView(10))
                try client.waitUntilTaken()
                let patches = (0..<500).map { #"{"id":"i\#($0)","content":{"m":1}}"# }.joined(separator: ",")
                _ = try publisher.reply(
                    to: #"{"id":3,"method":"transact","params":{"list":"rows","operations":["#
                        + #"{"op":"patchItems","items":[\#(patches)]}]}}"#)
                while replay.revision == start { try replay.receive(try #require(try client.line())) }
            }
            while replay.snapshot.numberOfItems != 10 { try replay.receive(try #require(try client.line())) }
            #expect(replay.revision == start + 1)
            #expect(client.isSilent())
        }

        @Test func `are replaced by the next of the same subscription alone`() throws {
            let (server, _) = try serverWithRows()
            let client = try server.connect()
            var lines = try subscribe(client)
            lines += try subscribe(client)
            let requests = [
                setView(1), setView(2), setView(3, subscription: 2), setView(4), #"{"id":5,"method":"ping"}"#,
                setView(6), #"{"id":7,"method":"unsubscribe","params":{"subscription":1}}"#, setView(8), setView(9),
                setView(10, subscription: 2), #"{"id":11,"method":"snapshot","params":{"list":"rows","view":{}}}"#,
            ]
            try client.send(requests.joined(separator: "\n"))
            lines += try client.lines(until: #""id":11"#)
            let answers = lines.compactMap { $0.firstMatch(of: /"id":([0-9]+),"(result|error)"/) }
            #expect(answers.map { Int($0.1) } == Array(1...11))
            #expect(answers.filter { $0.2 == "error" }.map { Int($0.1) } == [8, 9])
            // The last view may already have arrived.
            func seen() -> [String] { lines.filter { $0.contains(#""params":{"subscription":2"#) } }
            while try Replay(of: seen()).snapshot.numberOfItems != 10 { lines.append(try #require(try client.line())) }
            try expect(10, in: seen())
        }

        @Test func `are kept back by the Swift client, but for one and the last`() throws {
            let (server, publisher) = try serverWithRows()
            let list = Client(socket: SocketPath(server.socket), name: "viewer").list("rows")
            let shown = Shown()
            let following = Task { for try await update in list { shown.show(update.snapshot.numberOfItems) } }
            defer { following.cancel() }
            func waitUntilShown(_ rows: Int) throws {
                try eventually("\(rows) rows") { shown.numberOfRows == rows ? () : nil }
            }
            try waitUntilShown(Self.rowsMax)
            let views = try (1...50).map { try ListView(json: view($0)) }
            try server.whileNothingIsFound {
                for view in views { list.setView(view) }
                _ = try publisher.reply(to: "ping")
            }
            try waitUntilShown(50)
            let clients = try publisher.reply(to: #"{"id":1,"method":"clients"}"#)
            // `hello`, `subscribe`, and two views.
            let match = try #require(clients.firstMatch(of: /"name":"viewer".*?"requests":([0-9]+)/), "\(clients)")
            #expect(Int(match.1) == 4)
        }
    }
}
