import Diffable
import DiffableClient
import Foundation
import Synchronization
import Testing

extension Integration {
    /// docs/migration.md: its Swift code is repeated here, and its shell lines run.
    struct MigrationPageTests {
        private typealias Item = Diffable.Item
        private typealias Section = Diffable.Section

        struct Todo: Codable, Sendable {
            var id: Int
            var text: String
            var day = "monday"
        }

        @Test func `the Swift of docs/migration.md is code of this file`() throws {
            let blocks = try PageBlocks.of("docs/migration.md", "swift")
            let here = PageBlocks.lines(try String(contentsOfFile: #filePath, encoding: .utf8))
            #expect(blocks.count == 6)
            for block in blocks { #expect(here.contains(PageBlocks.lines(block)), "\(block)") }
        }

        @Test func `the shell lines of docs/migration.md succeed`() throws {
            let daemon = try Daemon()
            let blocks = try PageBlocks.of("docs/migration.md", "sh")
            #expect(blocks.count == 3)
            for block in blocks {
                let script = "set -eu\ncd '\(daemon.directory.path)'\nPATH='\(Binaries.directory)':$PATH\n\(block)"
                let shell = try Program(
                    "/bin/bash", ["-c", script], environment: ["DIFFABLED_SOCKET": daemon.socket], in: daemon.directory)
                #expect(try shell.wait() == 0, "\(block)\(shell.complaints)\(shell.output)")
            }
            #expect(try daemon.succeed("show", "units").contains("failed"))
        }

        @Test func `the Swift of docs/migration.md does what it says`() async throws {
            let daemon = try Daemon()
            let client = Client(socket: SocketPath(daemon.socket))
            for list: ListName in ["tasks", "player", "verbs", "todos"] {
                try await client.ensureList(list, durability: .volatile)
            }
            try await Self.useVerbs(client)
            try await Self.publish(client)
            try await Self.apply(client, [Todo(id: 1, text: "Milk")])
            let (shown, differences, tracks) = (Said(), Said(), Said())
            async let kept: Void = Self.keepTable(client, shown)
            async let followed: Void = Self.follow(client, differences)
            async let played: Void = Self.followPlayer(client, tracks)
            try await eventuallyInTask("followers") {
                try daemon.succeed("status").contains("subscriptions: 3") ? () : nil
            }
            // An untaken state is merged with the next one. Items of a new section are not counted.
            try await shown.wait(for: "1 Milk")
            try await differences.wait(for: "- 0 + 0 ~ 0")
            try await tracks.wait(for: "at first nothing")
            try await Self.apply(client, [Todo(id: 2, text: "Tea"), Todo(id: 1, text: "Oat milk")])
            try await client.transact("player", [.appendItems([Item(id: "track", content: try Content(json: "1"))])])
            try await shown.wait(for: "2 Tea, 1 Oat milk")
            try await differences.wait(for: "- 0 + 1 ~ 1")
            try await tracks.wait(for: "now 1")
            for list: ListName in ["tasks", "player"] {
                try await client.withConnection { try await $0.deleteList(list) }
            }
            try await kept
            try await followed
            try await played
        }

        private static func apply(_ client: Client, _ todos: [Todo]) async throws {
            let sections = [Section(id: "today", items: try todos.map { try Item(ItemID($0.id), encoding: $0) })]
            try await client.apply("tasks", sections)
        }

        private static func follow(_ client: Client, _ said: Said) async throws {
            func say(_ words: String) { said.append(words) }
            for try await update in client.list("tasks", as: Todo.self) {
                let changes = update.changes
                let (come, gone) = (changes.insertedItems.count, changes.deletedItems.count)
                say("- \(gone) + \(come) ~ \(changes.reconfiguredItems.count)")
            }
        }

        private static func followPlayer(_ client: Client, _ said: Said) async throws {
            func say(_ words: String) { said.append(words) }
            for try await update in client.list("player") {
                let track = update.snapshot["track"]?.content?.description
                say(update.cause == .changes ? "now \(track ?? "nothing")" : "at first \(track ?? "nothing")")
            }
        }

        private static func keepTable(_ client: Client, _ shown: Said) async throws {
            let table = MigratedTable(shown)
            for try await update in client.list("tasks", as: Todo.self) {
                for stage in update.stages {
                    table.performBatchUpdates {
                        table.snapshot = stage.snapshot
                        table.carryOut(stage.changes)
                    }
                }
            }
        }

        private static func publish(_ client: Client) async throws {
            let states = AsyncStream { continuation in
                continuation.yield([Todo(id: 1, text: "Milk", day: "monday"), Todo(id: 2, text: "Tea", day: "friday")])
                continuation.finish()
            }
            try await client.publish(
                "todos",
                from: states.map { todos in
                    let byDay = Dictionary(grouping: todos, by: \.day)
                    return try byDay.keys.sorted().map { day in
                        let todos = byDay[day] ?? []
                        return Section(
                            id: try SectionID(day), items: try todos.map { try Item(ItemID($0.id), encoding: $0) })
                    }
                })
            let state = try await client.withConnection { try await $0.state(of: "todos") }
            #expect(state.snapshot.sectionIdentifiers == ["friday", "monday"])
        }

        private static func useVerbs(_ client: Client) async throws {
            try await client.update("verbs") { draft in
                try draft.appendSections([Section(id: "today"), Section(id: "later")])
                try draft.insertSections([Section(id: "new")], beforeSection: "today")
                try draft.insertSections([Section(id: "old")], afterSection: "later")
                try draft.appendItems([Item(id: "milk"), Item(id: "bread")], toSection: "today")
                try draft.insertItems([Item(id: "tea")], beforeItem: "milk")
                try draft.insertItems([Item(id: "jam")], afterItem: "bread")
                try draft.moveItem("jam", beforeItem: "tea")
                try draft.moveItem("tea", afterItem: "bread")
                try draft.moveSection("old", beforeSection: "new")
                try draft.moveSection("later", afterSection: "old")
                try draft.setContent(Content(json: #"{"text":"Oat milk"}"#), ofItem: "milk")
                try draft.reconfigureItems(["bread"])
                try draft.reloadItems(["jam"])
                try draft.reloadSections(["today"])
                try draft.append([Item(id: "butter"), Item(id: "honey")], to: "bread")
                try draft.replace(childrenOf: "bread", using: [Item(id: "honey"), Item(id: "salt")])
                try draft.expand(["bread"])
                try draft.collapse(["bread"])
                try draft.deleteItems(["tea"])
                try draft.deleteSections(["new"])
            }
            let snapshot = try await client.withConnection { try await $0.state(of: "verbs") }.snapshot
            #expect(snapshot.sectionIdentifiers == ["old", "later", "today"])
            #expect(snapshot.itemIdentifiers == ["jam", "milk", "bread", "honey", "salt"])
        }
    }
}

/// The last output of a follower.
private final class Said: Sendable {
    private let last = Mutex("")

    func append(_ words: String) { last.withLock { $0 = words } }

    func wait(for words: String) async throws {
        func said() -> String { last.withLock(\.self) }
        try await eventuallyInTask("\(words), but \(said())") { said() == words ? () : nil }
    }
}

/// One section's rows, changed by positions.
private final class MigratedTable {
    typealias Todo = Integration.MigrationPageTests.Todo
    var snapshot: ListSnapshot<Todo>?
    private let shown: Said
    private var rows: [String] = []

    init(_ shown: Said) { self.shown = shown }

    func performBatchUpdates(_ updates: () -> Void) {
        updates()
        shown.append(rows.joined(separator: ", "))
    }

    func carryOut(_ changes: IndexPathChanges) {
        for section in changes.insertedSections {
            rows += (0..<(snapshot?.numberOfRootItems(inSection: section) ?? 0)).map { text([section, $0]) }
        }
        for path in changes.insertedItems { rows.insert(text(path), at: path[1]) }
        for path in changes.reconfiguredItems { rows[path[1]] = text(path) }
    }

    private func text(_ path: [Int]) -> String {
        snapshot?[path].map { "\($0.id) \($0.content.text)" } ?? ""
    }
}

// MARK: - Pages

/// The code blocks of a page.
enum PageBlocks {
    /// Returns the blocks in one language, or those after a heading.
    static func of(_ page: String, _ language: String, after heading: String? = nil) throws -> [String] {
        var text = try String(contentsOfFile: "\(Binaries.repository)/\(page)", encoding: .utf8)
        if let heading { text = try #require(text.components(separatedBy: "\n\(heading)\n").dropFirst().first) }
        return text.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    /// Returns the lines without indentation, which depends on the place.
    static func lines(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
}
