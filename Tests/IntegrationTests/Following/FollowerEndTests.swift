import Diffable
import DiffableClient
import Foundation
import Testing

extension Integration {
    /// The ends of following a list, and its cost.
    struct FollowerEndTests {
        private static func status(_ daemon: Daemon) throws -> String { try daemon.succeed("status") }

        @Test func `whoever is cancelled or leaves the loop leaves nothing at the daemon`() async throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            let client = Client(socket: SocketPath(daemon.socket))
            let other = Task { for try await _ in client.list("tasks") {} }
            // Cancelled while it waits.
            let waiting = Task { for try await _ in client.list("tasks") {} }
            _ = try await eventuallyInTask("two subscriptions") {
                try Self.status(daemon).contains("subscriptions: 2") ? true : nil
            }
            waiting.cancel()
            await #expect(throws: ClientError.cancelled) { try await waiting.value }
            // The loop is left.
            for try await update in client.list("tasks") {
                #expect(update.cause == .initial)
                break
            }
            // Cancelled at any moment before the first state.
            for step in 0..<60 {
                let task = Task { for try await _ in client.list("tasks") {} }
                for _ in 0..<step { await Task.yield() }
                if step > 30 { try await Task.sleep(for: .microseconds(step * 10)) }
                task.cancel()
                _ = await task.result
            }
            _ = try await eventuallyInTask("one subscription left") {
                try Self.status(daemon).contains("subscriptions: 1") ? true : nil
            }
            #expect(client.connectionState == .connected)
            other.cancel()
            await #expect(throws: ClientError.cancelled) { try await other.value }
            // A second later the socket is closed too: the only connection left is the one that asks.
            _ = try await eventuallyInTask("no connection left") {
                let status = try Self.status(daemon)
                return status.contains("subscriptions: 0") && status.contains("connections: 1\n") ? true : nil
            }
            try await eventuallyInTask("a client that knows it") {
                client.connectionState == .disconnected(nil) ? () : nil
            }
        }

        @Test func `without a daemon the client says so at once, and once for each reason`() async throws {
            let directory = try ScratchDirectory()
            let (heard, ear) = AsyncStream.makeStream(of: ClientError.self)
            let client = Client(socket: SocketPath(directory.file("socket"))) { ear.yield($0) }
            await #expect(throws: ClientError.self) {
                try await client.ensureList("tasks", patience: .milliseconds(300))
            }
            ear.finish()
            let reasons = await heard.reduce(into: []) { $0.append($1) }
            #expect(reasons.count == 1 && reasons.first?.isAbsence == true, "\(reasons)")
        }

        @Test func `what reconnecting does not heal is thrown, and the end is the end`() async throws {
            let daemon = try Daemon()
            let client = Client(socket: SocketPath(daemon.socket))
            var updates = client.list("nothing").makeAsyncIterator()
            let error = await #expect(throws: ClientError.self) { try await updates.next() }
            guard case .refused(let refusal) = error else { throw Failure("\(String(describing: error))") }
            #expect(refusal.code == .noSuchList && refusal.message.contains("nothing"))
            #expect(try await updates.next() == nil)

            try daemon.succeed("create", "tasks")
            let following = Task {
                var revisions: [Int] = []
                for try await update in client.list("tasks") { revisions.append(update.revision) }
                return revisions
            }
            _ = try await eventuallyInTask("subscription") {
                try Self.status(daemon).contains("subscriptions: 1") ? true : nil
            }
            try daemon.succeed("delete", "tasks")
            #expect(try await following.value == [0])
            #expect(throws: ClientError.self) { try ListView(json: #"{"wher":{}}"#) }
        }

        @Test func `a client may be there before its daemon, and says so`() async throws {
            let directory = try ScratchDirectory()
            let client = Client(socket: SocketPath(directory.file("socket")))
            let following = Task {
                for try await update in client.list("tasks") { return update.revision }
                return -1
            }
            _ = try await eventuallyInTask("a reason") {
                if case .disconnected(.noConnection) = client.connectionState { true } else { nil }
            }
            let error = await #expect(throws: ClientError.self) {
                try await client.transact("tasks", [], patience: .milliseconds(100))
            }
            guard case .noConnection = error else { throw Failure("\(String(describing: error))") }
            let daemon = try await onThread { SendableDaemon(try Daemon(in: directory)) }
            try daemon.daemon.succeed("create", "tasks")
            // If the follower was first, it gets an error that the list does not exist.
            do { #expect(try await following.value == 0) } catch ClientError.refused(let refusal) {
                #expect(refusal.code == .noSuchList)
            }
        }

        @Test func `a daemon that hangs up on everybody is not asked in a loop`() async throws {
            let directory = try ScratchDirectory()
            let proxy = try CuttingProxy(
                at: directory.file("proxy"), to: directory.file("nobody"), limits: 0..<1, seed: 1)
            defer { proxy.close() }
            let client = Client(socket: SocketPath(proxy.socket))
            let start = ContinuousClock.now
            let following = Task { for try await _ in client.list("tasks") {} }
            let visits = try await eventuallyInTask("six attempts") { proxy.visits > 5 ? proxy.visits : nil }
            // 25 to 50 ms, 50 to 100 and so on: at least 25 + 50 + 100 + 200 + 400 ms. A busy loop would take less.
            let time = start.duration(to: .now)
            following.cancel()
            _ = await following.result
            var (visitsMax, pauses, pause) = (1, Duration.zero, Duration.milliseconds(25))
            while pauses + pause <= time { (visitsMax, pauses, pause) = (visitsMax + 1, pauses + pause, pause * 2) }
            #expect(visits <= visitsMax, "\(visits) attempts in \(time)")
        }

        @Test func `a slow consumer is given the newest state and one difference, in constant memory`() async throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks", "--volatile")
            let client = Client(socket: SocketPath(daemon.socket))
            try await client.transact("tasks", [.appendSections([Diffable.Section(id: "s")])])
            var updates = client.list("tasks").makeAsyncIterator()
            let first = try #require(try await updates.next())
            #expect(first.cause == .initial && first.revision == 1)
            for number in 0..<500 {
                try await client.transact("tasks", [.appendItems([Item(id: try ItemID("\(number)"))])])
                if number >= 2 { try await client.transact("tasks", [.deleteItems([try ItemID("\(number - 2)")])]) }
            }
            // Our own changes arrive before their answers, so all of them are there.
            let second = try #require(try await updates.next())
            #expect(second.revision == 999 && second.previous.untyped == first.snapshot.untyped)
            #expect(second.difference.count == 1 && second.changes.insertedItems == [[0, 0], [0, 1]])
        }
    }
}
