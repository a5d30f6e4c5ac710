import Diffable
import DiffableClient
import DiffableJSON
import Synchronization
import Testing

extension Integration {
    /// The requests of `diffablectl view` to a list's handler, in a real terminal with a real daemon.
    struct ViewerRequestTests {
        private typealias Item = Diffable.Item

        private let daemon: Daemon
        private let handler: Client

        init() throws {
            daemon = try Daemon()
            handler = Client(socket: SocketPath(daemon.socket), name: "keeper")
        }

        /// Handles requests while the closure runs.
        private func handling(
            _ register: @escaping @Sendable (inout ListHandler) -> Void, _ body: () async throws -> Void
        ) async throws {
            let (registrations, continuation) = AsyncStream.makeStream(of: Void.self)
            let task = Task { [handler] in
                try await handler.handle("tasks", onRegistration: { continuation.yield() }, register)
            }
            defer { task.cancel() }
            _ = await registrations.first { _ in true }
            try await body()
            task.cancel()
            _ = await task.result
        }

        @Test func `an action is performed by the handler, whose text or refusal is in the status line`() async throws {
            try daemon.fill(
                "tasks",
                #"""
                {"selection":"multiple","kinds":{"":{"actions":[
                  {"id":"done","title":"Done","key":"d","style":"primary","multiple":true},
                  {"id":"greet","title":"Greet","key":"r","arguments":{"word":"Hello"}},
                  {"id":"pay","title":"Pay","key":"b"},{"id":"nobody's","title":"Nobody's","key":"x"}]}},
                 "actions":[{"id":"count","title":"Count","key":"c"}]}
                """#)
            let client = handler
            let actions: @Sendable (inout ListHandler) -> Void = { list in
                list.perform("done") { request in
                    let items = request.items
                    try await client.transact(request.list, [.deleteItems(items)])
                }
                list.perform("greet", returning: Content.self) { request in
                    let word = request.arguments.flatMap { ContentValue($0)["word"]?.text } ?? ""
                    let name = request.client.name ?? "nobody"
                    return try Content(json: "\"\(word) \(request.items[0])\\u001b[31m from \(name)\"")
                }
                list.perform("pay") { _ in throw RequestRefusal("The purse is empty.") }
                list.perform("count", returning: Content.self) { request in
                    try Content(json: "\"\(request.items.count) of them\"")
                }
            }
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try await handling(actions) {
                try screen.press("j")
                // As text without effect on the terminal.
                try screen.press("r", saying: "Hello i1[31m from diffablectl")
                try screen.press("b", saying: "The purse is empty.")
                try screen.press("c", saying: "0 of them")
                try screen.press("x", saying: "no program handles the action \"nobody's\"")
                // After a user's own deletion, the cursor is on the next row.
                try screen.press("Enter")
                try screen.waitForNo("Task 1.")
                try screen.waitForCursor(on: "Task 2.")
                try screen.press("Space", "Space", "d")
                try screen.waitForNo("Task 3.")
                try screen.waitForCursor(on: "Task 4.")
                #expect(!(try daemon.succeed("show", "tasks")).contains("Task 2."))
                // The handler's change for an action is undone and redone like the user's own.
                try screen.press("u", saying: "Undone: Done 2 items")
                try screen.waitFor("Task 3.")
                try screen.press("U", saying: "Redone: Done 2 items")
                try screen.waitForNo("Task 3.")
                try screen.waitForCursor(on: "Task 4.")
            }
            // Without a handler there is a message, too.
            try screen.press("b", saying: "no program handles the action \"pay\"")
            try screen.waitForCursor(on: "Task 4.")
        }

        @Test func `the row More asks for further items, and stands behind them`() async throws {
            try daemon.succeed(
                "apply", "tasks", "--create", "-",
                input: #"""
                    {"sections":[{"id":"mail","content":{"more":true},"items":[{"id":"m0","content":{"text":"Letter 0."}}]}]}
                    """#)
            let client = handler
            let count = Mutex(0)
            let screen = try daemon.view("tasks")
            try screen.waitFor("Letter 0.")
            try await handling { list in
                list.perform("more") { request in
                    guard request.target == .section("mail") else { throw RequestRefusal("\(request.target)") }
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    if number > 2 { throw RequestRefusal("That is all of them.") }
                    let item = Item(
                        id: ItemID(stringLiteral: "m\(number)"),
                        content: try Content(json: "{\"text\":\"Letter \(number).\"}"))
                    try await client.transact(request.list, [.appendItems([item], to: .section("mail"))])
                }
            } _: {
                try screen.press("G")
                for number in 1...2 {
                    try screen.press("Enter")
                    try screen.waitFor("Letter \(number).")
                }
                try screen.press("Enter", saying: "That is all of them.")
            }
            #expect(count.withLock { $0 } >= 3)
        }

        @Test func `an item is filled when it is opened`() async throws {
            try daemon.succeed(
                "apply", "tasks", "--create", "-",
                input:
                    #"{"sections":[{"id":"main","items":[{"id":"a","content":{"text":"Folder","hasChildren":true}},{"id":"b","content":{"text":"Locked","hasChildren":true}},{"id":"c","content":{"text":"Last"}}]}]}"#
            )
            let client = handler
            let screen = try daemon.view("tasks")
            try screen.waitFor("Folder")
            try await handling { list in
                list.expand { request in
                    if request.item == "b" { throw RequestRefusal("The key is lost.") }
                    let child = Item(
                        id: ItemID(stringLiteral: "\(request.item)/1"),
                        content: try Content(json: #"{"text":"A page"}"#))
                    try await client.transact(request.list, [.appendItems([child], to: .parent(request.item))])
                }
            } _: {
                try screen.press("Right")
                try screen.waitFor("A page")
                try screen.press("Right")
                try screen.waitForCursor(on: "A page")
                try screen.press("Down")
                try screen.press("Right", saying: "The key is lost.")
                try screen.waitForCursor(on: "Locked")
            }
            // The list itself does not record an item that one user expanded.
            #expect(!(try daemon.succeed("show", "tasks", "-o", "json")).contains("expanded"))
        }

        @Test func `a move is proposed, and one that is refused leaves the row in its place with the reason`()
            async throws
        {
            try daemon.fill("tasks", #"{"canReorder":true}"#)
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            func rows(_ texts: String...) throws {
                try screen.waitFor("\(texts) one below the other") { lines in
                    let rows = texts.map { text in lines.firstIndex { $0.contains(text) } }
                    return zip(rows, rows.dropFirst()).allSatisfy { upper, lower in
                        upper.flatMap { upper in lower.map { $0 == upper + 1 } } ?? false
                    }
                }
            }
            try await handling { list in
                list.propose { proposal in
                    if proposal.finalSnapshot.itemIdentifiers.prefix(3).last == "i0" {
                        throw RequestRefusal("Not as the third.")
                    }
                }
            } _: {
                try screen.press("M-Down")
                try rows("Task 1.", "Task 0.", "Task 2.")
                try screen.waitForCursor(on: "Task 0.")
                try screen.press("M-Down", saying: "Not as the third.")
                try rows("Task 1.", "Task 0.", "Task 2.")
                try screen.waitForCursor(on: "Task 0.")
                try screen.press("M-Up")
                try rows("Task 0.", "Task 1.", "Task 2.")
            }
            let shown = try daemon.succeed("show", "tasks")
            #expect(shown.contains("Task 0."))
        }
    }
}
