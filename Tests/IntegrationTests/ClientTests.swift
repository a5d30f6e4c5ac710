import Diffable
import DiffableClient
import DiffableJSON
import DiffableProtocol
import Foundation
import Testing

extension Integration {
    /// The client library against the real daemon.
    struct ClientTests {
        /// Returns items that need several lines.
        private static func items(_ prefix: String) -> [Item] {
            let content = Content(Array("\"\(String(repeating: "x", count: 1000))\"".utf8))
            return (0..<2000).map { Item(id: ItemID(stringLiteral: "\(prefix)\($0)"), content: content) }
        }

        @Test func `long transactions of several tasks on one connection do not mix`() async throws {
            let daemon = try Daemon()
            try await Connection.withConnection(to: SocketPath(daemon.socket)) { connection in
                for name in ["a", "b", "c"] {
                    try await connection.createList(ListName(stringLiteral: name))
                    try await connection.transact(ListName(stringLiteral: name), [.appendSections([Section(id: "s")])])
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for name in ["a", "b", "c", "a", "b"].enumerated() {
                        group.addTask {
                            let items = Self.items("\(name.element)\(name.offset)-")
                            try await connection.transact(ListName(stringLiteral: name.element), [.appendItems(items)])
                        }
                        group.addTask { _ = try await connection.lists() }
                    }
                    try await group.waitForAll()
                }
                #expect(try await connection.lists().map(\.items) == [4000, 4000, 2000])
            }
        }

        @Test func `the set of lists is followed, with titles and permissions, until it is ended`() async throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            try await Connection.withConnection(to: SocketPath(daemon.socket)) { connection in
                let lists = try await connection.followLists(includingContent: true)
                var updates = lists.makeAsyncIterator()
                let first = try #require(try await updates.next())
                #expect(Set(first.lists.keys) == ["tasks"] && first.listed == ["tasks"])
                #expect(first.lists["tasks"]?.permissions == [.see, .ask, .change])
                try daemon.succeed("create", "menu")
                while let update = try await updates.next() { if update.lists["menu"] != nil { break } }
                try daemon.succeed("patch", "menu", "--list", "title=Menu")
                while let update = try await updates.next() {
                    if update.lists["menu"]?.content?.description == #"{"title":"Menu"}"# { break }
                }
                try daemon.succeed("delete", "tasks")
                while let update = try await updates.next() {
                    if update.unlisted == ["tasks"] { break }
                }
                try await connection.end(lists)
                #expect(try await updates.next() == nil)
            }
        }

        @Test func `a restricted connection sees and does only what it kept`() async throws {
            let daemon = try Daemon()
            for list in ["tasks", "menu"] { try daemon.succeed("create", list) }
            try await Connection.withConnection(to: SocketPath(daemon.socket)) { connection in
                try await connection.restrict(methods: ["hello", "lists", "transact"], lists: ["me*"])
                #expect(try await connection.methods() == ["hello", "lists", "transact"])
                #expect(try await connection.lists().map(\.list) == ["menu"])
                await #expect(throws: ClientError.self) { try await connection.deleteList("menu") }
                await #expect(throws: ClientError.self) { try await connection.restrict(methods: ["pong"]) }
            }
        }

        @Test func `a long transaction that breaks off ends the connection and is never finished`() async throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            try await Connection.withConnection(to: SocketPath(daemon.socket)) { connection in
                // The daemon sees no end: after the first line the writing task is cancelled.
                let task = Task {
                    var numberOfLines = 0
                    return try await connection.reply { (_, writer) throws(ClientError) in
                        numberOfLines += 1
                        if numberOfLines == 2 { throw .cancelled }
                        writer.append(#"{"method":"transact","params":{"list":"tasks","operations":[],"more":true}}"#)
                        writer.append("\n")
                        return .more
                    }
                }
                await #expect(throws: ClientError.cancelled) { try await task.value }
                await #expect(throws: ClientError.connectionLost(connection.path)) { try await connection.lists() }
            }
        }

        @Test func `whoever connects while the queue of connections is full waits for its turn`() async throws {
            let directory = try ScratchDirectory()
            let path = directory.file("socket")
            let listener = try MuteListener(at: path)
            var others = try (0..<MuteListener.queueLength).map { _ in try UnixSocket.connect(to: path) }
            defer { for other in others { close(other) } }
            let connecting = Task { try await Connection.withConnection(to: SocketPath(path)) { _ in } }
            // Long enough to receive a refusal.
            try await Task.sleep(for: .milliseconds(200))
            others.append(listener.take())
            try await connecting.value
        }

        @Test func `a request that waits for its turn can be cancelled`() async throws {
            let daemon = try Daemon()
            try await Connection.withConnection(to: SocketPath(daemon.socket)) { connection in
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await connection.lists()
                }
                await #expect(throws: ClientError.cancelled) { try await task.value }
                let lists = try await connection.lists()
                #expect(lists.isEmpty)
            }
        }

        @Test func `lines are as short as the daemon's configuration wants them`() async throws {
            let daemon = try Daemon(configured: "lineLengthMax: 40960\n")
            try daemon.succeed("create", "tasks")
            try await Connection.withConnection(to: SocketPath(daemon.socket)) { connection in
                let sections = [Section(id: "s", items: Self.items("x"))]
                #expect(try await connection.apply("tasks", sections).changed)
                #expect(try await connection.lists().map(\.items) == [2000])
                let content = Content(Array("\"\(String(repeating: "x", count: 50_000))\"".utf8))
                let long = Item(id: "long", content: content)
                let error = await #expect(throws: ClientError.self) {
                    try await connection.transact("tasks", [.appendItems([long])])
                }
                guard case .refused(let refusal) = error else { throw Failure("\(String(describing: error))") }
                #expect(refusal.code == .tooLarge && refusal.message.contains("40960"))
                // Nothing of it was sent, so the connection continues.
                #expect(try await connection.lists().count == 1)
            }
        }

        @Test func `a merge patch is sent, and a patch that is a function is refused here`() async throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            try await Connection.withConnection(to: SocketPath(daemon.socket)) { connection in
                let milk = Item(id: "milk", content: try Content(json: #"{"text":"Buy milk"}"#))
                try await connection.apply("tasks", [Section(id: "today", items: [milk])])
                let patch = try ItemPatch(id: "milk", mergePatch: #"{"done": true}"#)
                try await connection.transact("tasks", [.patchItems([patch])])
                let state = try await connection.state(of: "tasks")
                #expect(state.snapshot.item("milk")?.content?.description == #"{"text":"Buy milk","done":true}"#)
                let function = ItemPatch(id: "milk") { content in content }
                await #expect(throws: ClientError.noMergePatch("milk")) {
                    try await connection.transact("tasks", [.patchItems([function])])
                }
            }
            #expect(throws: JSONError.self) { try ItemPatch(id: "milk", mergePatch: "{") }
            #expect(throws: JSONError.self) { try ItemPatch(id: "milk", mergePatch: #"{"a":1,"a":2}"#) }
        }
    }
}
