import Diffable
import DiffableClient
import Foundation
import Testing

extension Integration {
    struct PublishingTests {
        private static func sections(_ items: ItemID...) -> [Diffable.Section] {
            [Diffable.Section(id: "s", items: items.map { Diffable.Item(id: $0) })]
        }

        private static func items(_ client: Client, _ list: ListName) async throws -> [ItemID] {
            try await client.withConnection { try await $0.state(of: list) }.snapshot.itemIdentifiers
        }

        @Test func `a list is what the newest state says, whatever becomes of it and of the daemon`() async throws {
            let daemon = SendableDaemon(try Daemon())
            let client = Client(socket: SocketPath(daemon.daemon.socket))
            let (states, writer) = AsyncStream.makeStream(of: [Diffable.Section].self)
            let publishing = Task { try await client.publish("tasks", from: states) }
            // It is there from the first state on.
            writer.yield(Self.sections("a", "b"))
            try await eventuallyInTask("first state") {
                (try? await Self.items(client, "tasks")) == ["a", "b"] ? () : nil
            }
            try await onThread { daemon.daemon.program.end(with: SIGKILL) }
            for item: ItemID in ["c", "d", "e"] { writer.yield(Self.sections(item)) }
            try await onThread { try daemon.daemon.restart() }
            try await eventuallyInTask("newest state") {
                try await Self.items(client, "tasks") == ["e"] ? () : nil
            }
            try await client.withConnection { try await $0.deleteList("tasks") }
            // The state at the end of the sequence was published.
            writer.yield(Self.sections("f"))
            writer.finish()
            try await publishing.value
            #expect(try await Self.items(client, "tasks") == ["f"])
        }

        @Test func `a section is published beside others`() async throws {
            let server = try TestServer()
            let client = Client(socket: SocketPath(server.socket))
            try await client.ensureList("tasks", durability: .volatile)
            try await client.apply("tasks", Self.sections("a"))
            let states = AsyncStream { continuation in
                continuation.yield([Diffable.Item(id: "x"), Diffable.Item(id: "y")])
                continuation.finish()
            }
            try await client.publish("tasks", inSection: "t", from: states)
            #expect(try await Self.items(client, "tasks") == ["a", "x", "y"])
        }

        @Test func `the newest state is published before what the sequence throws is thrown`() async throws {
            struct Broken: Error {}

            let server = try TestServer()
            let client = Client(socket: SocketPath(server.socket))
            for number in 0..<20 {
                let list = ListName(stringLiteral: "l\(number)")
                let states = AsyncThrowingStream<[Diffable.Section], any Error> { continuation in
                    continuation.yield(Self.sections("old"))
                    continuation.yield(Self.sections("new"))
                    continuation.finish(throwing: Broken())
                }
                await #expect(throws: Broken.self) {
                    try await client.publish(list, from: states, durability: .volatile)
                }
                #expect(try await Self.items(client, list) == ["new"])
            }
        }

        @Test func `a list that was made for a state that is refused goes again, and no other`() async throws {
            let server = try TestServer()
            let client = Client(socket: SocketPath(server.socket))
            for isThere in [false, true] {
                if isThere { try await client.ensureList("tasks", durability: .volatile) }
                let twice = AsyncStream { continuation in
                    continuation.yield(Self.sections("x", "x"))
                    continuation.finish()
                }
                await #expect(throws: ClientError.self) {
                    try await client.publish("tasks", from: twice, durability: .volatile)
                }
                let lists = try await client.withConnection { try await $0.lists() }.map(\.list)
                #expect(lists == (isThere ? ["tasks"] : []))
            }
            #expect(try await client.withConnection { try await $0.deletedLists() }.isEmpty)
        }

        @Test func `it ends with what the sequence throws, with what is refused, and with its task`() async throws {
            struct Broken: Error {}

            let server = try TestServer()
            let client = Client(socket: SocketPath(server.socket))
            let broken = AsyncThrowingStream<[Diffable.Section], any Error> { $0.finish(throwing: Broken()) }
            await #expect(throws: Broken.self) { try await client.publish("a", from: broken, durability: .volatile) }
            // This sequence does not end.
            let (twice, writer) = AsyncStream.makeStream(of: [Diffable.Section].self)
            writer.yield(Self.sections("x", "x"))
            await #expect {
                try await client.publish("a", from: twice, durability: .volatile)
            } throws: { error in
                guard case ClientError.refused(let refusal) = error else { return false }
                return refusal.code == .duplicateItem
            }
            let (endless, _) = AsyncStream.makeStream(of: [Diffable.Section].self)
            let publishing = Task { try await client.publish("a", from: endless, durability: .volatile) }
            publishing.cancel()
            await #expect(throws: ClientError.cancelled) { try await publishing.value }
        }
    }
}
