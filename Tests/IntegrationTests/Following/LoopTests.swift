import Diffable
import DiffableClient
import Foundation
import Observation
import Synchronization
import Testing

extension Integration {
    /// `ListModel` and `deliver(by:to:)`: lists for programs whose main thread has its own event loop.
    struct LoopTests {
        private static func apply(_ client: Client, _ items: [ItemID]) async throws {
            try await client.apply("tasks", [Diffable.Section(id: "s", items: items.map { Diffable.Item(id: $0) })])
        }

        @Test func `a model is the list, and whoever has read it hears of each update`() async throws {
            try await Self.observe()
        }

        @MainActor private static func observe() async throws {
            let server = try TestServer()
            let client = Client(socket: SocketPath(server.socket))
            try await client.ensureList("tasks", durability: .volatile)
            try await Self.apply(client, ["a"])
            let model = ListModel(client.list("tasks"))
            #expect(model.sections.isEmpty && model.update == nil)
            let following = Task { await model.follow() }
            for items: [ItemID] in [["a"], ["b", "a"]] {
                try await Self.apply(client, items)
                try await eventuallyInTask("\(items)") { model.sections.first?.items.map(\.id) == items ? () : nil }
            }
            let hasHeard = Mutex(false)
            withObservationTracking {
                _ = model.sections
            } onChange: {
                hasHeard.withLock { $0 = true }
            }
            #expect(!hasHeard.withLock { $0 })
            try await Self.apply(client, ["c"])
            try await eventuallyInTask("notice") { hasHeard.withLock { $0 } ? () : nil }
            try await client.withConnection { try await $0.deleteList("tasks") }
            await following.value
            #expect(model.error == nil && model.sections.first?.items.map(\.id) == ["c"], "what was seen last stays")
            await model.follow()
            guard case .refused(let refusal)? = model.error else { throw Failure("no error, and no list") }
            #expect(refusal.code == .noSuchList)
        }

        /// The loop runs on a thread, as in GLib and Qt; the caller ensures that it is the main one.
        @Test func `updates are handed to a loop one by one, and a busy loop is given the newest`() async throws {
            let server = try TestServer()
            let client = Client(socket: SocketPath(server.socket))
            try await client.ensureList("tasks", durability: .volatile)
            try await Self.apply(client, ["0"])
            let loop = HandLoop()
            let list = client.list("tasks")
            let delivering = Task {
                try await list.deliver(by: { work in loop.handed.withLock { $0.append(work) } }) { update in
                    loop.seen.withLock { $0.append(update.snapshot.untyped.itemIdentifiers) }
                }
            }
            try await eventuallyInTask("first update") { loop.handed.withLock { $0.count } == 1 ? () : nil }
            for number in 1...5 { try await Self.apply(client, [ItemID(number)]) }
            #expect(loop.handed.withLock { $0.count } == 1, "the first was not carried out yet")
            while loop.seen.withLock({ $0.last }) != ["5"] {
                let work = try await eventuallyInTask("update") { loop.handed.withLock { $0.popLast() } }
                await MainActor.run { work() }
            }
            #expect(loop.seen.withLock { $0 } == [["0"], ["5"]])
            try await client.withConnection { try await $0.deleteList("tasks") }
            try await delivering.value
        }

        @Test func `a delivery on another thread than the main one shows nothing, and throws what to do`() async throws
        {
            let server = try TestServer()
            let client = Client(socket: SocketPath(server.socket))
            try await client.ensureList("tasks", durability: .volatile)
            let loop = HandLoop()
            var error: ClientError?
            do {
                try await client.list("tasks").deliver(by: { work in Thread.detachNewThread { work() } }) { update in
                    loop.seen.withLock { $0.append(update.snapshot.untyped.itemIdentifiers) }
                }
            } catch let thrown { error = thrown }
            #expect(error == .notOnMainThread)
            #expect("\(ClientError.notOnMainThread)".contains("must be called by the main thread's loop"))
            #expect(loop.seen.withLock { $0 } == [])
        }
    }
}

/// A loop that the test runs step by step.
private final class HandLoop: Sendable {
    let handed = Mutex<[@Sendable () -> Void]>([])
    let seen = Mutex<[[ItemID]]>([])
}
