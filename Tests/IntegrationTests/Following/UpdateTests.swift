import Diffable
import DiffableClient
import Foundation
import Synchronization
import Testing

extension Integration {
    /// `Client.update`, by several writers at once.
    struct UpdateTests {
        private typealias Item = Diffable.Item

        @Test func `of eight writers to one item none loses a change, and none starves`() async throws {
            struct Count: Codable { var count: Int }

            let server = try TestServer()
            let first = Client(socket: SocketPath(server.socket))
            try await first.ensureList("counters", durability: .volatile)
            try await first.transact("counters", [.appendItems([try Item("all", encoding: Count(count: 0))])])
            let (writers, changes) = (8, 25)
            let tries = try await withThrowingTaskGroup(of: Int.self) { group in
                for writer in 0..<writers {
                    let client = Client(socket: SocketPath(server.socket))
                    group.addTask {
                        let tries = Mutex(0)
                        for change in 0..<changes {
                            try await client.update("counters", patience: .seconds(300)) { draft in
                                tries.withLock { $0 += 1 }
                                let content = try #require(draft.snapshot.item("all")?.content)
                                var count = try JSONDecoder().decode(Count.self, from: Data(content.bytes))
                                count.count += 1
                                try draft.setContent(Content(encoding: count), ofItem: "all")
                                try draft.appendItems([Item(id: ItemID(writer * 1_000 + change))])
                            }
                        }
                        return tries.withLock { $0 }
                    }
                }
                return try await group.reduce(0, +)
            }
            let state = try await first.withConnection { try await $0.state(of: "counters") }
            #expect(state.snapshot.item("all")?.content?.description == #"{"count":\#(writers * changes)}"#)
            #expect(state.snapshot.numberOfItems == 1 + writers * changes)
            // Otherwise they never conflicted.
            #expect(tries > writers * changes)
        }

        @Test func `an update that changes nothing sends nothing, and one that throws neither`() async throws {
            struct Enough: Error {}

            let server = try TestServer()
            let client = Client(socket: SocketPath(server.socket))
            try await client.ensureList("tasks", durability: .volatile)
            try await client.ensureList("tasks")
            let outcome = try await client.update("tasks") { _ in }
            #expect(outcome == nil)
            await #expect(throws: Enough.self) {
                try await client.update("tasks") { draft in
                    try draft.appendItems([Item(id: "milk")])
                    throw Enough()
                }
            }
            let state = try await client.withConnection { try await $0.state(of: "tasks") }
            #expect(state.revision == 0 && state.snapshot.isEmpty)
        }

        /// An app calls it on the main actor, and the closures must not become the main actor's.
        @Test @MainActor func `the main actor makes updates, with closures in their closures`() async throws {
            let server = try TestServer()
            let client = Client(socket: SocketPath(server.socket))
            try await client.ensureList("tasks", durability: .volatile)
            let names = ["milk", "bread"]
            try await client.update("tasks") { draft in
                try draft.appendItems(names.map { Item(id: try ItemID($0)) })
            }
            try await client.update("tasks") { draft in
                try draft.deleteItems(draft.snapshot.itemIdentifiers.filter { $0 != "milk" })
            }
            let state = try await client.withConnection { try await $0.state(of: "tasks") }
            #expect(state.snapshot.itemIdentifiers == ["milk"])
        }

        @Test func `updates go on over crashes, and each is made once`() async throws {
            let daemon = try Daemon()
            let crash = Crash()
            let proxy = try FaultyProxy(at: daemon.directory.file("proxy"), to: daemon.socket) {
                LostAnswer(crash: crash)
            }
            let client = Client(socket: SocketPath(proxy.socket))
            try await client.ensureList("tasks")
            let isOver = Mutex(false)
            let hasEnded = Mutex(false)
            let updates = Task {
                defer { hasEnded.withLock { $0 = true } }
                var count = 0
                while !isOver.withLock({ $0 }) {
                    try await client.ensureList("tasks", patience: .seconds(240))
                    try await client.update("tasks", patience: .seconds(240)) { [count] draft in
                        try draft.appendItems([Item(id: ItemID(count))])
                    }
                    count += 1
                }
                return count
            }
            for turn in 0..<8 {
                try await Task.sleep(for: .milliseconds(100))
                // In every other round the daemon has made a change when it ends, without an answer.
                if turn.isMultiple(of: 2) {
                    crash.isDue.withLock { $0 = true }
                    try await eventuallyInTask("answer that is lost") {
                        crash.isDue.withLock { $0 } && !hasEnded.withLock { $0 } ? nil : ()
                    }
                }
                daemon.program.end(with: SIGKILL)
                try daemon.restart()
            }
            isOver.withLock { $0 = true }
            let count = try await updates.value
            let state = try await client.withConnection { try await $0.state(of: "tasks") }
            #expect(state.snapshot.numberOfItems == count)
        }
    }
}

private final class Crash: Sendable {
    /// Whether the next answer to a change is to be dropped; reset when that has happened.
    let isDue = Mutex(false)
}

private struct LostAnswer: FaultyLines {
    let crash: Crash

    func requests(for line: [UInt8]) -> [UInt8] { line + [0x0A] }

    func answers(for line: [UInt8]) -> [UInt8] {
        guard String(decoding: line, as: UTF8.self).contains(#""changed":true"#) else { return line + [0x0A] }
        let isLost = crash.isDue.withLock { isDue in
            defer { isDue = false }
            return isDue
        }
        return isLost ? [] : line + [0x0A]
    }
}
