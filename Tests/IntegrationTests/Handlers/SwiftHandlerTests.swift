import Diffable
import DiffableClient
import DiffableJSON
import Foundation
import Synchronization
import Testing

extension Integration {
    /// Handlers in Swift, against the real daemon.
    struct SwiftHandlerTests {
        private typealias Item = Diffable.Item
        private typealias Section = Diffable.Section

        private let server: TestServer
        private let handler: Client
        private let asker: Client

        init() async throws {
            server = try TestServer()
            handler = Client(socket: SocketPath(server.socket), name: "keeper")
            asker = Client(socket: SocketPath(server.socket), name: "phone")
            try await asker.withConnection { connection in
                try await connection.createList("tasks", durability: .volatile)
                try await connection.apply("tasks", items: [Item(id: "milk")], inSection: "today")
            }
        }

        /// Handles requests while the closure runs, and returns the reason of the end.
        @discardableResult
        private func handling(
            _ register: @escaping @Sendable (inout ListHandler) -> Void, existing: ExistingHandler = .isError,
            _ body: (_ handling: Task<HandlerEnd, any Error>) async throws -> Void
        ) async throws -> Result<HandlerEnd, any Error> {
            let handler = handler
            let (registrations, continuation) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await handler.handle(
                    "tasks", existing: existing, onRegistration: { continuation.yield() }, register)
            }
            defer { task.cancel() }
            _ = await registrations.first { _ in true }
            try await body(task)
            task.cancel()
            return await task.result
        }

        @Test func `an action is performed on items, a section or the list, and has a result`() async throws {
            let client = handler
            try await handling { list in
                list.perform("done") { request in
                    #expect(request.client.name == "phone" && request.client.userID == Int(geteuid()))
                    try await client.transact(request.list, [.deleteItems(request.items)])
                }
                list.perform("count", returning: Content.self) { request in
                    try Content(json: "[\(request.items.count)]")
                }
                list.performAny { request in
                    try Content(json: #"{"action":"\#(request.action)","given":\#(request.arguments!)}"#)
                }
            } _: { _ in
                let revision = try await asker.withConnection { try await $0.state(of: "tasks") }.revision
                let done = try await asker.perform("tasks", "done", on: .items(["milk"]))
                #expect(done.list == "tasks" && done.revision == revision + 1 && done.result == nil)
                let count = try await asker.perform("tasks", "count", on: .section("today"))
                #expect(count.result?.description == "[0]")
                let other = try await asker.perform("tasks", "else", arguments: try Content(json: #"{"a": 1}"#))
                #expect(other.result?.description == #"{"action":"else","given":{"a":1}}"#)
            }
        }

        @Test func `what a handler throws is a refusal, with its text`() async throws {
            struct Broken: Error, CustomStringConvertible { let description = "out of milk" }

            let ended = try await handling { list in
                list.perform("buy") { _ in throw Broken() }
                list.perform("break") { _ in throw RequestFailure("half of it is bought") }
                list.propose { _ in throw RequestRefusal("not today") }
            } _: { _ in
                #expect(await refusal { try await asker.perform("tasks", "buy") } == "refused: out of milk")
                #expect(
                    await refusal { try await asker.perform("tasks", "break") } == "handlerLost: half of it is bought")
                #expect(
                    await refusal { try await asker.propose("tasks", [.deleteItems(["milk"])]) }
                        == "refused: not today")
                #expect(await refusal { try await asker.perform("tasks", "sell") }?.hasPrefix("noHandler") == true)
            }
            #expect(throws: ClientError.cancelled) { try ended.get() }
            // The daemon is notified over another connection.
            try await eventuallyInTask("the handler's end") {
                let refusal = await refusal { try await asker.perform("tasks", "buy") }
                return refusal?.hasPrefix("noHandler") == true ? () : nil
            }
        }

        @Test func `a proposal has the list before and after, and is applied, refused or made another`() async throws {
            try await handling { list in
                list.amendProposals { proposal in
                    #expect(proposal.initialSnapshot.contains("milk" as ItemID))
                    let final = try proposal.initialSnapshot.applying(proposal.difference)
                    #expect(final == proposal.finalSnapshot)
                    let new = proposal.finalSnapshot.itemIdentifiers.filter { !proposal.initialSnapshot.contains($0) }
                    if new == ["beer"] { return [.appendItems([Item(id: "tea")], to: .section("today"))] }
                    return proposal.difference
                }
            } _: { _ in
                for item in ["bread", "beer", "eggs"] as [ItemID] {
                    try await asker.propose("tasks", [.appendItems([Item(id: item)], to: .section("today"))])
                }
                let state = try await asker.withConnection { try await $0.state(of: "tasks") }
                #expect(state.snapshot.itemIdentifiers == ["milk", "bread", "tea", "eggs"])
                // The handler gets its own proposal, and answers with tea, which is now a duplicate.
                let own = await refusal {
                    try await handler.propose("tasks", [.appendItems([Item(id: "beer")], to: .section("today"))])
                }
                #expect(own?.hasPrefix("duplicateItem") == true, "\(own ?? "it was done")")
            }
        }

        @Test func `children come when an item is opened`() async throws {
            let client = handler
            try await handling { list in
                list.expand { request in
                    let child = Item(id: try ItemID("\(request.item)/1"))
                    try await client.transact(request.list, [.appendItems([child], to: .parent(request.item))])
                }
            } _: { _ in
                let revision = try await asker.expand("tasks", "milk")
                let state = try await asker.withConnection { try await $0.state(of: "tasks") }
                #expect(state.snapshot.contains("milk/1" as ItemID) && state.revision == revision)
                // The item now has children.
                #expect(try await asker.expand("tasks", "milk") == revision)
            }
        }

        @Test func `whoever is replaced, or whose list is deleted, hears so`() async throws {
            let task = try await handling {
                $0.perform("a") { _ in }
            } _: { handling in
                await #expect(throws: ClientError.self) {
                    try await asker.handle("tasks") { $0.perform("a") { _ in } }
                }
                let other = Task { [asker] in
                    try await asker.handle("tasks", existing: .isReplaced) { $0.perform("a") { _ in } }
                }
                #expect(try await handling.value == .replaced)
                try await asker.withConnection { try await $0.deleteList("tasks") }
                #expect(try await other.value == .listDeleted)
            }
            #expect(try task.get() == .replaced)
            #expect(
                await refusal { try await handler.handle("tasks") { $0.perform("a") { _ in } } }?
                    .hasPrefix("noSuchList") == true)
        }

        @Test func `it answers again after the connection was lost, with the list as it is then`() async throws {
            let registrations = Mutex(0)
            let seed = UInt64.random(in: .min ... .max)
            let proxy = try CuttingProxy(
                at: server.directory.file("proxy"), to: server.socket, limits: 400..<2_000, seed: seed)
            defer { proxy.close() }
            let client = Client(socket: SocketPath(proxy.socket))
            let task = Task {
                try await client.handle("tasks", onRegistration: { registrations.withLock { $0 += 1 } }) { list in
                    list.propose { proposal in #expect(proposal.initialSnapshot.contains("milk" as ItemID)) }
                    list.perform("ask") { _ in throw RequestRefusal("nobody asks") }
                }
            }
            defer { task.cancel() }
            var number = 0
            try await eventuallyInTask("third registration, seed \(seed)") {
                number += 1
                // Without a handler it is a transaction; a lost handler gives an error, or has already approved. The list stays
                // short, because a returning handler must not get more than a connection lets through.
                let change = ItemReconfiguration(id: "milk", content: try Content(json: "\(number)"))
                _ = try? await asker.propose("tasks", [.reconfigureItems([change])])
                return registrations.withLock { $0 } > 2 ? () : nil
            }
            proxy.letEverythingThrough()
            try await eventuallyInTask("a handler that answers, seed \(seed)") {
                await refusal { try await asker.perform("tasks", "ask") } == "refused: nobody asks" ? () : nil
            }
        }

        @Test func `an answer that nobody waits for any more is cancelled`() async throws {
            let cancelled = Mutex(false)
            try await handling { list in
                list.perform("sleep") { _ in
                    do { try await Task.sleep(for: .seconds(600)) } catch {
                        cancelled.withLock { $0 = true }
                        throw error
                    }
                }
            } _: { _ in
                let sleep = await refusal { try await asker.perform("tasks", "sleep", timeout: .milliseconds(50)) }
                #expect(sleep?.hasPrefix("handlerTimedOut") == true)
                try await eventuallyInTask("cancelled") { cancelled.withLock { $0 } ? () : nil }
            }
        }

        /// Cancels each request at once.
        private struct EndAtOnce: FaultyLines {
            func requests(for line: [UInt8]) -> [UInt8] { line + [UInt8(ascii: "\n")] }

            func answers(for line: [UInt8]) -> [UInt8] {
                let text = String(decoding: line, as: UTF8.self)
                guard let request = text.firstMatch(of: #/"method":"request",.*"request":([0-9]+)/#)?.1 else {
                    return Array("\(text)\n".utf8)
                }
                let end =
                    #"{"jsonrpc":"2.0","method":"requestCancelled","params":{"handler":1,"request":\#(request),"list":"tasks","reason":"timedOut"}}"#
                return Array("\(text)\n\(end)\n".utf8)
            }
        }

        @Test func `an answer that nobody waits for when it is begun is cancelled, too`() async throws {
            let proxy = try FaultyProxy(at: server.directory.file("proxy"), to: server.socket) { EndAtOnce() }
            let client = Client(socket: SocketPath(proxy.socket))
            let (registrations, continuation) = AsyncStream.makeStream(of: Void.self)
            let cancelled = Mutex(0)
            let task = Task {
                try await client.handle("tasks", onRegistration: { continuation.yield() }) { list in
                    list.perform("sleep") { _ in
                        do { try await Task.sleep(for: .seconds(600)) } catch {
                            cancelled.withLock { $0 += 1 }
                            throw error
                        }
                    }
                }
            }
            defer { task.cancel() }
            _ = await registrations.first { _ in true }
            let impatient = try server.connect()
            for id in 1...20 {
                try impatient.send(HandlerBench.perform("sleep", id: id, members: #","timeout":600000"#))
            }
            try await eventuallyInTask("end of all twenty") { cancelled.withLock { $0 } == 20 ? () : nil }
        }

        @Test func `a result that is too long is a failure that says so`() async throws {
            try await handling { list in
                list.perform("long", returning: Content.self) { _ in
                    try Content(json: "\"\(String(repeating: "x", count: 20_000_000))\"")
                }
                list.perform("longer than a result", returning: Content.self) { _ in
                    try Content(json: "\"\(String(repeating: "x", count: 500_000))\"")
                }
            } _: { _ in
                let long = await refusal { try await asker.perform("tasks", "long", timeout: .seconds(600)) }
                #expect(long?.contains("(lineLengthMax)") == true, "\(long ?? "")")
                #expect(long?.hasPrefix("handlerLost") == true)
                let longer = await refusal {
                    try await asker.perform("tasks", "longer than a result", timeout: .seconds(600))
                }
                #expect(longer?.contains("resultLengthMax") == true, "\(longer ?? "")")
                #expect(longer?.hasPrefix("handlerLost") == true)
            }
        }

        private func refusal(_ body: () async throws -> some Any) async -> String? {
            do { _ = try await body() } catch ClientError.refused(let refusal) {
                return "\(refusal.code): \(refusal.message)"
            } catch {
                return "\(error)"
            }
            return nil
        }
    }
}
