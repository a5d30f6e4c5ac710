import Diffable
import DiffableClient
import DiffableJSON
import Foundation
import Synchronization
import Testing

extension Integration {
    /// `setView` of a followed list, and a list that is deleted and created again.
    struct ChangingViewTests {
        private static let open = #"{"where":{"path":"/done","equals":false}}"#

        private static func fill(_ client: Client, count: Int) async throws {
            let items = try (0..<count).map {
                Diffable.Item(id: try ItemID("\($0)"), content: try Content(json: #"{"done":\#($0 % 2 == 0)}"#))
            }
            try await client.apply("tasks", [Diffable.Section(id: "s", items: items)])
        }

        @Test func `another view is one update from what was seen, in every loop, also after a restart`() async throws {
            let daemon = SendableDaemon(try Daemon())
            try daemon.daemon.succeed("create", "tasks")
            let client = Client(socket: SocketPath(daemon.daemon.socket))
            try await Self.fill(client, count: 6)
            let list = client.list("tasks")
            var (updates, others) = (list.makeAsyncIterator(), list.makeAsyncIterator())
            let first = try #require(try await updates.next())
            _ = try await others.next()
            list.setView(try ListView(json: Self.open))
            let narrowed = try #require(try await updates.next())
            #expect(narrowed.revision == first.revision && narrowed.cause == .changes)
            #expect(narrowed.snapshot.untyped.itemIdentifiers == ["1", "3", "5"])
            #expect(narrowed.changes.deletedItems.count == 3)
            #expect(try await others.next()?.snapshot.numberOfItems == 3)
            // While no daemon runs.
            let window = try ListView(json: #"{"window":{"offset":1,"limit":2}}"#)
            try await onThread {
                daemon.daemon.program.end(with: SIGKILL)
                list.setView(window)
                try daemon.daemon.restart()
            }
            let moved = try #require(try await updates.next())
            #expect(moved.snapshot.untyped.itemIdentifiers == ["1", "2"] && moved.window?.total == 6)
            #expect(try moved.previous.untyped.applying(moved.difference) == moved.snapshot.untyped)
            // A follower that begins now.
            var late = list.makeAsyncIterator()
            #expect(try await late.next()?.snapshot.numberOfItems == 2)
            list.setView(nil)
            #expect(try await updates.next()?.snapshot.numberOfItems == 6)
        }

        @Test func `a view of its own expands for itself alone, any other one for everybody`() async throws {
            let daemon = try Daemon()
            let client = Client(socket: SocketPath(daemon.socket))
            try await client.ensureList("tasks")
            let items = ["a", "b"].map { id in
                Diffable.Item(id: ItemID(stringLiteral: id), children: [.init(id: ItemID(stringLiteral: "\(id)1"))])
            }
            try await client.apply("tasks", [Diffable.Section(id: "s", items: items)])
            let own = client.list(
                "tasks", options: ListOptions(view: try ListView(sort: ["id"], expansion: .own(["b"]))))
            let shared = client.list("tasks", options: ListOptions(view: try ListView(expansion: .shared)))
            var (ownUpdates, sharedUpdates) = (own.makeAsyncIterator(), shared.makeAsyncIterator())
            #expect(try await ownUpdates.next()?.snapshot.untyped.itemIdentifiers == ["a", "b", "b1"])
            #expect(try await sharedUpdates.next()?.snapshot.untyped.itemIdentifiers == ["a", "b"])
            try await own.expand(["a"])
            try await own.collapse(["b"])
            // One update for both, or one for each.
            var seen: [ItemID]?
            while seen != ["a", "a1", "b"] {
                seen = try #require(try await ownUpdates.next()).snapshot.untyped.itemIdentifiers
            }
            // Each of the two reports its missing items. Existing ones need not be shown.
            for list in [own, shared] {
                let error = await #expect(throws: ClientError.self) { try await list.expand(["a", "b1", "nope"]) }
                guard case .refused(let refusal)? = error else { throw Failure("\(String(describing: error))") }
                #expect(refusal.code == .noSuchItem && refusal.item == "nope" && refusal.message.contains("tasks"))
            }
            try await own.expand(["b1"])
            try await own.collapse(["nope"])
            try await shared.expand(["b"])
            #expect(try await sharedUpdates.next()?.snapshot.untyped.itemIdentifiers == ["a", "b", "b1"])
            let state = try await client.withConnection { try await $0.state(of: "tasks") }
            #expect(state.snapshot.isExpanded("a") == false && state.snapshot.isExpanded("b") == true)
            try await shared.collapse(["b"])
            #expect(try await sharedUpdates.next()?.snapshot.untyped.itemIdentifiers == ["a", "b"])
        }

        /// The connection is cut between `setView`, its answer and the view.
        @Test func `what is seen is what was asked for last, however often the connection is cut`() async throws {
            let daemon = try Daemon()
            let seed = UInt64.random(in: 0...UInt64.max)
            try daemon.succeed("create", "tasks")
            let writer = Client(socket: SocketPath(daemon.socket))
            try await Self.fill(writer, count: 40)
            let proxy = try CuttingProxy(
                at: daemon.directory.file("proxy"), to: daemon.socket, limits: 0..<6_000, seed: seed)
            defer { proxy.close() }
            let list = Client(socket: SocketPath(proxy.socket)).list("tasks")
            let newest = Mutex<Snapshot?>(nil)
            let following = Task {
                for try await update in list {
                    #expect(try update.previous.untyped.applying(update.difference) == update.snapshot.untyped)
                    newest.withLock { $0 = update.snapshot.untyped }
                }
            }
            let views = try [Self.open, #"{"window":{"offset":3,"limit":5}}"#, #"{"search":"true"}"#, "{}"].map {
                try ListView(json: $0)
            }
            // Until there were some cuts: their number depends on how fast it reconnects.
            for turn in 0..<12_000 where turn < 120 || proxy.cuts < 4 {
                list.setView(views[turn % views.count])
                if turn % 3 == 0 { try await Self.fill(writer, count: 30 + turn % 17) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...8)))
            }
            proxy.letEverythingThrough()
            let last = views[Int(seed % 4)]
            list.setView(last)
            let wanted = try await writer.withConnection { try await $0.state(of: "tasks", ListOptions(view: last)) }
            _ = try await eventuallyInTask("the view that was asked for last, seed \(seed)") {
                newest.withLock { $0 } == wanted.snapshot ? true : nil
            }
            #expect(proxy.cuts > 3)
            following.cancel()
            _ = await following.result
        }

        @Test func `a list that is awaited and deleted is an update that shows nothing`() async throws {
            let daemon = try Daemon()
            let client = Client(socket: SocketPath(daemon.socket))
            var options = ListOptions()
            options.ifAbsent = .isAwaited
            try daemon.succeed("create", "tasks")
            try await Self.fill(client, count: 2)
            var updates = client.list("tasks", options: options).makeAsyncIterator()
            #expect(try await updates.next()?.snapshot.numberOfItems == 2)
            try daemon.succeed("delete", "tasks")
            let gone = try #require(try await updates.next())
            #expect(gone.cause == .deleted && gone.snapshot.numberOfSections == 0)
            #expect(gone.changes.deletedSections == [0])
            try daemon.succeed("create", "tasks")
            let next = try #require(try await updates.next())
            #expect(next.cause == .epoch && next.revision == 0)
        }
    }
}
