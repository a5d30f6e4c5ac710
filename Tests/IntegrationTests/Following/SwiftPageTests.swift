import Diffable
import DiffableClient
import DiffableJSON
import Foundation
import Synchronization
import Testing

extension Integration {
    /// docs/swift.md: each of its blocks is repeated here, and runs.
    struct SwiftPageTests {
        private typealias Item = Diffable.Item
        private typealias Section = Diffable.Section

        @Test func `the code of docs/swift.md is code of this file`() throws {
            let here = PageBlocks.lines(try String(contentsOfFile: #filePath, encoding: .utf8))
            // The blocks before are a package of their own: `scripts/first-program`.
            let blocks = try PageBlocks.of("docs/swift.md", "swift", after: "## Follow a list").map(PageBlocks.lines)
            #expect(blocks.count > 5)
            for block in blocks { #expect(here.contains(block), "\(block)") }
        }

        struct Todo: Decodable {
            var text: String
            var done: Bool?
        }

        private enum Cell: Sendable {
            case header(String)
            case todo(Todo)
            case unknown(ItemID)
        }

        private struct Heading: Decodable {
            var title: String
        }

        // This sets an environment variable.
        @Test(.alone) func `the code of docs/swift.md does what it says`() async throws {
            let daemon = try Daemon()
            setenv("DIFFABLED_SOCKET", daemon.socket, 1)
            defer { unsetenv("DIFFABLED_SOCKET") }
            try daemon.succeed("create", "tasks")
            let client = Client()
            let items = [Item(id: "bread", content: try Content(json: #"{"text":"Bread","done":false}"#))]
            try await client.apply("tasks", [Section(id: "today", items: items)])
            try await Self.change(client, items)
            let state = try await client.withConnection { try await $0.state(of: "tasks") }
            // The next block waits for the milk.
            try #require(state.snapshot.itemIdentifiers == ["bread", "milk"])
            #expect(try await Self.lists(client) == ["tasks"])
            try await Self.bringBack(client)
            let back = try await client.withConnection { try await $0.state(of: "tasks") }
            try await Self.update(client)
            try await client.undo("tasks")
            try await Self.applyTyped(client)
            try await client.undo("tasks")
            #expect(back.revision == state.revision && back.epoch == state.epoch)
            try await Self.undecodable(client)
            #expect(try await Self.hold(client) == ["eggs is refused by required"])
            try await Self.ask(client, daemon)
            try await Self.publish(client)
            try await Self.followLists(client)

            try await withThrowingTaskGroup(of: Void.self) { group in
                let carriedOut: [@Sendable (Client, Shown) async throws -> Void] = [
                    Self.follow, Self.keepTable, Self.seeOpen, Self.search, Self.followKinds, Self.endings,
                    Self.skip, Self.showOutline, Self.followUntyped, Self.fold, Self.observe, Self.deliver,
                ]
                let parts = carriedOut.map { (carryOut: $0, shown: Shown()) }
                for part in parts {
                    group.addTask { try await part.carryOut(client, part.shown) }
                }
                group.addTask { #expect(await Self.banner(client) == nil) }
                // And that to the set of lists.
                try await eventuallyInTask("subscriptions") {
                    try daemon.succeed("status").contains("subscriptions: 13") ? () : nil
                }
                try await eventuallyInTask("what each is to show") {
                    // One milk is open, and one is found.
                    let counts = parts.map(\.shown.count)
                    return counts.allSatisfy { $0 > 0 } && counts[2] == 1 && counts[3] == 1 ? () : nil
                }
                try await client.withConnection { try await $0.deleteList("tasks") }
                try await group.waitForAll()
                try await Self.awaitBar(client, daemon)
            }
        }
    }
}

/// The output of the page's code.
private final class Shown: Sendable {
    private let number = Mutex(0)

    var count: Int {
        get { number.withLock { $0 } }
        set { number.withLock { $0 = newValue } }
    }
}

/// The part of a table that index paths need.
private final class Table {
    typealias Todo = Integration.SwiftPageTests.Todo
    var snapshot: ListSnapshot<Todo>?
    private var rows: [[String]] = []

    var onBatch: () -> Void = {}

    func performBatchUpdates(_ updates: () -> Void) {
        updates()
        onBatch()
    }
    func deleteSections(_ sections: [Int]) { for section in sections { rows.remove(at: section) } }
    func insertSections(_ sections: [Int]) {
        for section in sections {
            let count = snapshot?.numberOfRootItems(inSection: section) ?? 0
            rows.insert((0..<count).map { text(at: [section, $0]) }, at: section)
        }
    }
    func moveSection(from: Int, to: Int) { rows.insert(rows.remove(at: from), at: to) }
    func deleteRows(at paths: [[Int]]) { for path in paths { rows[path[0]].remove(at: path[1]) } }
    func insertRows(at paths: [[Int]]) { for path in paths { rows[path[0]].insert(text(at: path), at: path[1]) } }
    func moveRow(from: [Int], to: [Int]) { rows[to[0]].insert(rows[from[0]].remove(at: from[1]), at: to[1]) }
    func reconfigureRows(at paths: [[Int]]) { for path in paths { rows[path[0]][path[1]] = text(at: path) } }
    func reloadRows(at paths: [[Int]]) { reconfigureRows(at: paths) }
    func reloadSections(_ sections: [Int]) {}

    private func text(at path: [Int]) -> String { snapshot?[path]?.content.text ?? "" }
    var texts: [[String]] { rows }
}

private struct DataSource {
    typealias Todo = Integration.SwiftPageTests.Todo
    var snapshot: ListSnapshot<Todo>

    func numberOfSections() -> Int { snapshot.numberOfSections }
    func numberOfRows(inSection section: Int) -> Int { snapshot.numberOfRootItems(inSection: section) }
    func numberOfChildren(at path: [Int]) -> Int { snapshot.numberOfChildren(at: path) }
    func text(at path: [Int]) -> String { snapshot[path]?.content.text ?? "" }
}

extension Integration.SwiftPageTests {
    private static func follow(_: Client, _ shown: Shown) async throws {
        func show(_ id: ItemID, _ text: String) { shown.count += 1 }

        struct Todo: Decodable {
            var text: String
            var done: Bool?
        }

        let client = Client()
        for try await update in client.list("tasks", as: Todo.self) {
            for section in update.snapshot.sections {
                for item in section.items { show(item.id, item.content.text) }
            }
        }
    }

    private static func keepTable(_ client: Client, _ shown: Shown) async throws {
        let table = Table()
        table.onBatch = { shown.count += 1 }
        for try await update in client.list("tasks", as: Todo.self) {
            for stage in update.stages {
                let changes = stage.changes
                table.performBatchUpdates {
                    table.snapshot = stage.snapshot
                    table.deleteSections(changes.deletedSections)
                    table.insertSections(changes.insertedSections)
                    for move in changes.movedSections { table.moveSection(from: move.from[0], to: move.to[0]) }
                    table.deleteRows(at: changes.deletedItems)
                    table.insertRows(at: changes.insertedItems)
                    for move in changes.movedItems { table.moveRow(from: move.from, to: move.to) }
                }
                // After the batch, because these are positions in the new state.
                table.reconfigureRows(at: changes.reconfiguredItems)
                table.reloadRows(at: changes.reloadedItems)
                table.reloadSections(changes.reloadedSections)
            }
        }
        #expect(table.texts == [["Bread", "Milk"]])
        let source = DataSource(snapshot: try #require(table.snapshot))
        #expect(source.numberOfSections() == 1 && source.numberOfRows(inSection: 0) == 2)
        #expect(source.numberOfChildren(at: [0, 0]) == 0 && source.text(at: [0, 1]) == "Milk")
    }

    private static func showOutline(_ client: Client, _ shown: Shown) async throws {
        var lines: [String] = [] { didSet { shown.count += 1 } }
        for try await update in client.list("tasks", as: Todo.self) {
            let snapshot = update.snapshot
            func line(_ row: VisibleRow) -> String {
                let mark = row.hasChildren ? row.isExpanded ? "▾ " : "▸ " : "  "
                return String(repeating: "  ", count: row.level) + mark + (snapshot[row.id]?.content.text ?? "")
            }
            for change in update.rowChanges {
                switch change {
                case .remove(let rows): lines.removeSubrange(rows)
                case .insert(let rows, let place): lines.insert(contentsOf: rows.map(line), at: place)
                case .move(let rows, let place):
                    let moved = lines[rows]
                    lines.removeSubrange(rows)
                    lines.insert(contentsOf: moved, at: place)
                case .reload(let row, let place): lines[place] = line(row)
                }
            }
        }
        #expect(lines == ["  Bread", "  Milk"])
    }

    /// Returns the banner when there is one for a state.
    private static func banner(_ client: Client) async -> String? {
        for attempt in 1...50 {
            var banner: String? = "?"
            let following = Task {
                for await state in client.connectionStates {
                    switch state {
                    case .connected: banner = nil
                    case .disconnected(let error): banner = error.map { "Connecting… (\($0))" }
                    }
                }
                return banner
            }
            try? await Task.sleep(for: .milliseconds(100 * attempt))
            following.cancel()
            let said = await following.value
            if said != "?" { return said }
        }
        return "?"
    }

    private static func endings(_ client: Client, _ shown: Shown) async throws {
        func show(_ revision: Int) { shown.count += 1 }
        func say(_ message: String) { Issue.record("\(message)") }
        do {
            for try await update in client.list("tasks", as: Todo.self) { show(update.revision) }
        } catch .refused(let refusal) where refusal.code == .noSuchList {
            say(refusal.message)
        } catch .undecodable(let content) {
            say("\(content.item) has another \(content.member)")
        } catch {
            say("\(error)")
        }
    }

    private static func undecodable(_ client: Client) async throws {
        struct Strict: Decodable { var done: Bool }
        let error = await #expect(throws: ClientError.self) {
            for try await _ in client.list("tasks", as: Strict.self) {}
        }
        guard case .undecodable(let content) = error else { throw Failure("\(String(describing: error))") }
        #expect(content.list == "tasks" && content.item == "milk" && content.member == "done")
        let words = #"the content of the item "milk" cannot be decoded as Strict: done: it is missing"#
        #expect("\(content)".contains(words))
    }

    private static func skip(_ client: Client, _ shown: Shown) async throws {
        func show(_ count: Int) { shown.count += 1 }
        @Sendable func say(_ message: String) { Issue.record("\(message)") }
        let todos = client.list("tasks", as: Todo.self, undecodable: .skip { say("\($0)") })
        for try await update in todos { show(update.snapshot.numberOfItems) }
    }

    private static func hold(_ client: Client) async throws -> [String] {
        var said: [String] = []
        func say(_ message: String) { said.append(String(message.prefix { $0 != ":" })) }
        let schemas = ListSchemas(
            json: #"{"":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}}"#)
        try await client.setSchemas(of: "tasks", schemas)
        do {
            try await client.transact("tasks", [.appendItems([Item(id: "eggs", content: try Content(json: "{}"))])])
        } catch ClientError.refused(let refusal) where refusal.code == .invalidContent {
            say("\(refusal.item!) is refused by \(refusal.violation!.keyword): \(refusal.message)")
        }
        try await client.setSchemas(of: "tasks", .none)
        #expect(try await client.schemas(of: "tasks") == .none)
        return said
    }

    private static func answer(_ client: Client) async throws {
        try await client.handle("tasks") { list in
            list.perform("done") { request in
                try await client.transact("tasks", [.deleteItems(request.items)])
            }
            list.perform("count", returning: Content.self) { request in
                try Content(json: "\(request.items.count)")
            }
            list.propose { proposal in
                if proposal.finalSnapshot.numberOfItems > 5 { throw RequestRefusal("five are enough") }
            }
            list.expand { request in
                let child = Item(id: try ItemID("\(request.item)/1"))
                try await client.transact("tasks", [.appendItems([child], to: .parent(request.item))])
            }
        }
    }

    /// Leaves the list unchanged.
    private static func ask(_ client: Client, _ daemon: Daemon) async throws {
        let before = try await client.withConnection { try await $0.state(of: "tasks") }
        try await client.transact("tasks", [.appendItems((1...4).map { Item(id: ItemID(stringLiteral: "\($0)")) })])
        // On another client, because a handler's own proposals are not sent to it.
        let handler = Client()
        let answering = Task { try await answer(handler) }
        defer { answering.cancel() }
        try await eventuallyInTask("a handler") {
            try daemon.succeed("ls", "--json").contains(#""handles":["perform","propose","expand"]"#) ? () : nil
        }
        var said: [String] = []
        func say(_ message: String) { said.append(message) }
        try await client.perform("tasks", "done", on: .items(["milk"]))
        let count = try await client.perform("tasks", "count", on: .items(["bread"])).result
        do {
            try await client.propose("tasks", [.appendItems([Item(id: "eggs")])])
        } catch .refused(let refusal) {
            say("\(refusal.code): \(refusal.message)")
        } catch {
            say("\(error)")
        }
        try await client.expand("tasks", "bread")
        #expect(count?.description == "1" && said == ["refused: five are enough"])
        let after = try await client.withConnection { try await $0.state(of: "tasks") }
        #expect(after.snapshot.itemIdentifiers == ["bread", "bread/1", "1", "2", "3", "4"])
        try await client.apply("tasks", before.snapshot.sections)
    }

    private static func followKinds(_ client: Client, _ shown: Shown) async throws {
        func show(_ count: Int, _ headings: [String?]) { shown.count += headings.count }
        let cells = client.list(
            "tasks",
            registrations: [
                Registration("header", as: String.self) { .header($0) },
                Registration(nil, as: Todo.self) { Cell.todo($0) },
            ],
            otherwise: .shown { .unknown($0.id) })
        for try await update in cells {
            let headings = update.snapshot.sections.map { try? $0.content?.decoded(as: Heading.self).title }
            show(update.snapshot.numberOfItems, headings)
        }
    }

    private static func followUntyped(_ client: Client, _ shown: Shown) async throws {
        func show(_ count: Int) { shown.count += 1 }
        func show(_ text: String?) { shown.count += 1 }
        do {
            let names = client.list("tasks") { item in item.content == nil ? "\(item.id)" : "\(item.id)…" }
            for try await update in names { show(update.snapshot.numberOfItems) }
            for try await update in client.list("tasks") { show(update.snapshot["milk"]?.content?.description) }
            Issue.record("there is no such list any more")
        } catch ClientError.refused(let refusal) {
            // The first loop ended with the list, so the second one finds none.
            #expect(refusal.code == .noSuchList)
        }
    }

    private static func seeOpen(_ client: Client, _ shown: Shown) async throws {
        func show(_ count: Int) { shown.count = count }
        let open = try ListView(where: "/done" == false, sort: ["/text"])
        for try await update in client.list("tasks", as: Todo.self, options: ListOptions(view: open)) {
            show(update.snapshot.numberOfItems)
        }
        #expect(shown.count == 1)
    }

    private final class SearchField {
        var onChange: (String) throws -> Void = { _ in }
    }

    private static func search(_ client: Client, _ shown: Shown) async throws {
        let searchField = SearchField()
        func show(_ count: Int) {
            // Both first, then the search results.
            if shown.count == 0 { #expect(throws: Never.self) { try searchField.onChange("MILK") } }
            shown.count = count
        }
        let list = client.list("tasks", as: Todo.self)
        searchField.onChange = { text in
            try list.setView(text.isEmpty ? nil : ListView(search: text))
        }
        for try await update in list { show(update.snapshot.numberOfItems) }
        #expect(shown.count == 1)
    }

    private struct Reading: Encodable {
        var room: String
        var degrees: Int
    }

    private static func publish(_ client: Client) async throws {
        let readings = AsyncStream { continuation in
            continuation.yield([Reading(room: "kitchen", degrees: 21), Reading(room: "hall", degrees: 18)])
            continuation.finish()
        }
        try await client.publish(
            "rooms",
            from: readings.map { readings in
                [Section(id: "all", items: try readings.map { try Item(ItemID($0.room), encoding: $0) })]
            })
        let state = try await client.withConnection { try await $0.state(of: "rooms") }
        #expect(state.snapshot.item("hall")?.content?.description == #"{"degrees":18,"room":"hall"}"#)
        try await client.withConnection { try await $0.deleteList("rooms") }
    }

    private static func followLists(_ client: Client) async throws {
        let shown = Shown()
        @Sendable func print(_ values: Any...) { shown.count += 1 }
        let following = Task {
            try await client.withConnection { connection in
                for try await update in try await connection.followLists(includingContent: true, minInterval: 500) {
                    for (name, list) in update.lists { print(name, list.items, list.permissions ?? []) }
                }
            }
        }
        try await eventuallyInTask("the lists") { shown.count > 0 ? () : nil }
        following.cancel()
        _ = await following.result
    }

    @MainActor private static func observe(_ client: Client, _ shown: Shown) async throws {
        func show(_ text: String) { shown.count += 1 }
        let model = ListModel(client.list("tasks", as: Todo.self))
        let following = Task { await model.follow() }
        func body() { for item in model.sections.flatMap(\.items) { show(item.content.text) } }
        try await eventuallyInTask("model of what there is") { model.sections.isEmpty ? nil : () }
        body()
        #expect(shown.count == 2)
        await following.value
    }

    /// As in GLib and Qt: scheduled functions run on the main thread.
    private struct Loop {
        func callSoon(_ work: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: work) }
    }

    @MainActor private final class Store {
        var rows: [VisibleRow] = [] { didSet { shown.count = rows.count } }
        private let shown: Shown

        init(_ shown: Shown) { self.shown = shown }
    }

    @MainActor private static func deliver(_ client: Client, _ shown: Shown) async throws {
        let (loop, store) = (Loop(), Store(shown))
        let list = client.list("tasks", as: Todo.self)
        let following = Task.detached {
            try await list.deliver(by: { work in loop.callSoon(work) }) { update in
                for change in update.rowChanges { store.rows.carryOut(change) }
            }
        }
        try await following.value
    }

    private final class Disclosure {
        var onChange: (ItemID, Bool) async throws -> Void = { _, _ in }
    }

    private static func fold(_ client: Client, _ shown: Shown) async throws {
        let disclosure = Disclosure()
        func show(_ count: Int) { shown.count += 1 }
        let outline = client.list("tasks", options: ListOptions(view: try ListView(expansion: .own([]))))
        disclosure.onChange = { item, isOpen in
            if isOpen { try await outline.expand([item]) } else { try await outline.collapse([item]) }
        }
        for try await update in outline { show(update.snapshot.numberOfItems) }
        // The list no longer exists.
        await #expect(throws: ClientError.self) { try await disclosure.onChange("bread", true) }
        try await disclosure.onChange("bread", false)
        let urgent = try ListView(
            where: !("/done" == true) && ("/due" < 5 || .contains("/tags", "urgent")), search: "milk",
            sort: [.descending("/priority"), "/text"], expansion: .own([]), window: .offset(0, limit: 50))
        outline.setView(urgent)
    }

    private static func awaitBar(_ client: Client, _ daemon: Daemon) async throws {
        let said = Mutex<[String]>([])
        let following = Task {
            func hideBar() { said.withLock { $0.append("hidden") } }
            func show(_ count: Int) { said.withLock { $0.append("\(count) items") } }
            for try await update in client.list("bar", options: ListOptions(ifAbsent: .isAwaited)) {
                if update.cause == .deleted { hideBar() } else { show(update.snapshot.numberOfItems) }
            }
        }
        for (command, word) in [("create", "0 items"), ("delete", "hidden")] {
            try daemon.succeed(command, "bar")
            try await eventuallyInTask(word) { said.withLock { $0.last } == word ? () : nil }
        }
        following.cancel()
        _ = await following.result
    }

    private static func change(_ client: Client, _ items: [Item]) async throws {
        let milk = Item(id: "milk", content: try Content(json: #"{"text":"Milk"}"#))
        try await client.transact("tasks", [.patchList(ListPatch(mergePatch: #"{"title":"Today"}"#))])
        try await client.transact("tasks", [.appendItems([milk])])
        try await client.apply("tasks", [Section(id: "today", items: items)])
        try await client.undo("tasks")
    }

    private static func applyTyped(_ client: Client) async throws {
        struct Todo: Codable {
            var text: String
            var done: Bool?
        }
        struct Heading: Codable { var title: String }
        for try await update in client.list("tasks", as: Todo.self) {
            var sections = update.snapshot.sections
            sections[0].items[0].content.done = true
            sections[0].items.append(ListItem(id: "tea", content: Todo(text: "Tea")))
            sections.append(try ListSection("later", encoding: Heading(title: "Later")))
            try await client.apply("tasks", sections, ifRevision: update.revision)
            break
        }
        let snapshot = try await client.withConnection { try await $0.state(of: "tasks") }.snapshot
        #expect(snapshot.item("bread")?.content?.description == #"{"done":true,"text":"Bread"}"#)
        #expect(snapshot.itemIdentifiers == ["bread", "milk", "tea"])
        #expect(snapshot.section("later")?.content?.description == #"{"title":"Later"}"#)
    }

    private static func update(_ client: Client) async throws {
        struct Todo: Codable { var text: String }
        try await client.update("tasks") { draft in
            let items = draft.snapshot.itemIdentifiers
            if items.count > 1, items.last != "milk" { try draft.moveItem("milk", afterItem: items[items.count - 1]) }
            try draft.setContent(Content(encoding: Todo(text: "Oat milk")), ofItem: "milk")
        }
        let state = try await client.withConnection { try await $0.state(of: "tasks") }
        #expect(state.snapshot.item("milk")?.content?.description == #"{"text":"Oat milk"}"#)
    }

    private static func lists(_ client: Client) async throws -> [ListName] {
        let lists = try await client.withConnection { try await $0.lists() }
        return lists.map(\.list)
    }

    private static func bringBack(_ client: Client) async throws {
        try await client.withConnection { try await $0.deleteList("tasks") }
        try await client.withConnection { try await $0.undeleteList("tasks") }
    }
}
