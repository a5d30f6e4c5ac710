import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Wait: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait until a condition holds for an item or a list.",
        discussion: """
            --for is exists, deleted, or a condition as for --where. If you repeat it, all must hold. Without ITEM, \
            wait looks for an item that matches, and prints its id. In a condition, count is the number of items, or \
            with --where the number of items that match. wait returns at once if the condition already holds. If no \
            item has a field of the condition, wait prints a warning and continues to wait. The daemon reports each \
            change, so wait does not poll.
              diffablectl wait tasks milk --for done=true --timeout 30s
              diffablectl wait jobs --where state=failed --for 'count>10'

            After the timeout, the status is 4. If the daemon restarts, wait continues. If the list is deleted, the \
            status is 6. --for exists also waits for the list.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The item.", completion: .items, transform: itemID) var item: ItemID?
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("The condition to wait for. May be repeated.", valueName: "condition"))
    var goals: [String] = []
    @Option(help: ArgumentHelp("How long to wait: 30s, 500ms, 2m, 1h. Default: without limit.", valueName: "time"))
    var timeout: TimeSpan?
    @OptionGroup(title: "Items to count") var counted: ConditionOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        let goal = try WaitGoal(goals, hasItem: item != nil)
        if !counted.isEmpty, item != nil {
            throw ValidationError("--where cannot be combined with an item: use --for for its condition")
        }
        _ = try goal.options(item: item, where: try counted.json())
    }

    func run() async throws {
        let client = try daemon.client()
        // A missing daemon at startup is an error, as for any command.
        try await client.withConnection(patience: .zero) { _ in }
        let ids: [ItemID] = try await withThrowingTaskGroup(of: [ItemID].self) { group in
            group.addTask { try await follow(client) }
            group.addTask { throw try await client.reportConnectionLosses() }
            if let timeout {
                group.addTask {
                    try await Task.sleep(for: timeout.duration)
                    throw CommandError(.timeOut, "timed out after \(timeout) waiting for \(words)")
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
        var output = StandardOutput()
        for id in ids { output.line("\(id)") }
        output.flush()
    }

    /// `tasks milk: done=true`
    private var words: String {
        ([list.description] + [item].compactMap { $0?.description }).joined(separator: " ") + ": "
            + goals.joined(separator: ", ")
    }

    /// A field that no item has may be a typing error, or may appear later. So the command warns of it and still waits.
    private func namedFields(_ goal: WaitGoal) throws -> [NamedField] {
        guard case .condition = goal else { return try counted.namedFields }
        return try ConditionOptions.namedFields(of: goals, "--for") + counted.namedFields
    }

    /// Returns when the goal is reached, with the items that were found if none was named.
    private func follow(_ client: Client) async throws -> [ItemID] {
        let wait = try ItemWait(goal: WaitGoal(goals, hasItem: item != nil), item: item, counted: counted.json())
        do {
            for try await update in client.list(list, options: try wait.options) {
                if let ids = wait.result(of: update) { return ids }
                guard update.cause == .initial, case let fields = try namedFields(wait.goal), !fields.isEmpty else {
                    continue
                }
                try? await client.withConnection {
                    await FieldAdvice(fields, of: list, over: $0).printWarnings(shown: Snapshot())
                }
            }
        } catch ClientError.refused(let refusal) where refusal.code == .noSuchList && wait.goal.isDeletion {
            return []
        }
        // The loop ends when the list is deleted.
        if wait.goal.isDeletion { return [] }
        throw CommandError(.notFound, "\(list) was deleted while waiting for \(words)")
    }
}

private struct ItemWait: Sendable {
    let goal: WaitGoal
    let item: ItemID?
    private let counted: Content?
    private let matching: ItemMatcher

    init(goal: WaitGoal, item: ItemID?, counted: Content?) throws {
        self.goal = goal
        self.item = item
        self.counted = counted
        if case .condition(let content) = goal {
            matching = try ItemMatcher(counted.map { .object([("and", .array([content, $0]))]) } ?? content)
        } else {
            matching = try ItemMatcher(counted)
        }
    }

    var options: ListOptions {
        get throws { try goal.options(item: item, where: counted) }
    }

    /// Nil before the goal is reached; then the items that were found, if none was named.
    func result(of update: ListUpdate<Content?>) -> [ItemID]? {
        if update.cause == .deleted { return nil }
        // The list was deleted and created again between two connections.
        if update.cause == .epoch, item == nil, goal.isDeletion { return [] }
        let snapshot = update.snapshot.untyped
        let items: [Item]
        if let item {
            items = [snapshot.itemAlone(item)].compactMap(\.self)
        } else {
            items = update.window == nil ? matching.items(in: snapshot) : []
        }
        guard goal.isReached(hasItem: item != nil, count: update.window?.total ?? items.count) else { return nil }
        if case .condition = goal, item == nil { return items.map(\.id) }
        return []
    }
}
