import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Perform: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Perform an action of a list, and print its result.",
        discussion: """
            An action is performed on items, on a section, or on the list if you name neither. Words that contain = \
            are the action's arguments, as for append; use --item for an item whose id contains one. With --where, the \
            action is performed on all matching items.
              diffablectl perform units restart nginx.service
              diffablectl perform lamps dim kitchen hall level:=40

            A string result is printed as it is, any other as JSON. The request is sent once and never retried. The \
            exit status shows the kind of failure:
              8    the handler refused; its reason is printed
              9    the action has no handler
              4    the handler has not replied in time; the action may have been done
              10   the handler disconnected or failed; the action may have been done
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The action.", completion: .actions, transform: actionName) var action: ActionName
    @Argument(help: ArgumentHelp("Items and key=value pairs.", valueName: "item"), completion: .items)
    var words: [String] = []
    @Option(
        name: .customLong("item"),
        help: ArgumentHelp("Perform the action on this item. May be repeated.", valueName: "item"),
        completion: .items, transform: itemID)
    var namedItems: [ItemID] = []
    @Option(
        help: ArgumentHelp("Perform the action on this section.", valueName: "section"), completion: .sections,
        transform: sectionID)
    var section: SectionID?
    @OptionGroup(title: "Items by content") var matching: ConditionOptions
    @Option(help: ArgumentHelp("The action's arguments as JSON, instead of key=value pairs.", valueName: "json"))
    var arguments: String?
    @Option(help: ArgumentHelp("Do nothing unless the list is at this revision.", valueName: "revision"))
    var ifRevision: Int?
    @OptionGroup var answer: AnswerOptions
    @Flag(help: "Print the daemon's reply as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    /// The number of lookups of the items, if the list keeps changing in between.
    private static let attemptsMax = 20

    func validate() throws {
        _ = try content()
        guard [try !items().isEmpty, section != nil, !matching.isEmpty].count(where: { $0 }) <= 1 else {
            throw ValidationError("items, --section and --where cannot be combined; use one of them")
        }
    }

    private func items() throws -> [ItemID] {
        try words.filter { !$0.contains("=") }.map(itemID) + namedItems
    }

    private func content() throws -> Content? {
        let pairs = words.filter { $0.contains("=") }
        guard let arguments else { return pairs.isEmpty ? nil : try ContentArguments.object(of: pairs) }
        guard pairs.isEmpty else {
            throw ValidationError(
                "the arguments are given twice, as --arguments and as \(pairs[0].debugDescription): use "
                    + "one of them")
        }
        guard let content = Content.parsed(arguments) else {
            throw ValidationError(
                "--arguments is not JSON: \(arguments.debugDescription); use JSON such as '{\"level\":40}', or key=value pairs "
                    + "without --arguments")
        }
        return content
    }

    func run() async throws {
        let content = try content()
        AmbiguousStringPairs(words.filter { $0.contains("=") }).warn()
        let reply = try await daemon.withConnection { connection in
            if !matching.isEmpty { return try await askMatching(content, over: connection) }
            let items = try items()
            let target: ActionTarget = section.map { .section($0) } ?? (items.isEmpty ? .list : .items(items))
            return try await ask(target, content, ifRevision: ifRevision, over: connection)
        }
        var output = StandardOutput()
        if json {
            output.json(reply)
        } else if let result = JSONReader(checked: reply[...]).member("result"), !result.isNull {
            output.value(result.content)
        }
        output.flush()
    }

    private func ask(
        _ target: ActionTarget, _ arguments: Content?, ifRevision: Int?, over connection: Connection
    ) async throws -> [UInt8] {
        try await connection.performJSON(
            list, action, on: target, arguments: arguments, ifRevision: ifRevision, timeout: answer.timeout?.duration)
    }

    /// The items are looked up at one revision, and the action is requested at that revision, so it affects only matching items.
    private func askMatching(_ arguments: Content?, over connection: Connection) async throws -> [UInt8] {
        let matching = try ItemMatcher(try self.matching.json())
        var attempts = 1
        while true {
            let state = try await connection.state(of: list, matching.options)
            let found = matching.items(in: state.snapshot)
            try FieldAdvice.refuseTextForFalse(try self.matching.namedFields, in: found)
            let items = found.map(\.id)
            guard !items.isEmpty else {
                await FieldAdvice(try self.matching.namedFields, of: list, over: connection).printWarnings(
                    shown: Snapshot())
                throw CommandError(.notFound, "no item of \(list) meets the condition of --where; no request was sent")
            }
            do {
                return try await ask(
                    .items(items), arguments, ifRevision: ifRevision ?? state.revision, over: connection)
            } catch ClientError.refused(let refusal)
                where refusal.code == .revisionMismatch && ifRevision == nil && attempts < Self.attemptsMax
            {
                attempts += 1
            }
        }
    }
}
