import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print an item's content, or fields of it.",
        discussion: """
            Without FIELD, get prints the content as JSON. Otherwise it prints each field on a line of its own: a \
            string as it is, any other value as JSON. With --json, strings are printed as JSON, too. With --json and \
            without FIELD, get prints the whole item, with its place and the list's revision. If a field is missing, \
            the status is 6.
              diffablectl get tasks milk .text
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The item.", completion: .items, transform: itemID) var item: ItemID
    @Argument(help: ArgumentHelp("Paths, id or kind.", valueName: "field")) var fields: [String] = []
    @Flag(help: "Print JSON.") var json = false
    @OptionGroup(title: "For lists shared between hosts") var freshness: FreshnessOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws { for field in fields { _ = try ItemField(checking: field) } }

    func run() async throws {
        // A window of one row is fast however long the list is. If the item is missing, the window shows another one.
        let window = Content.object([("anchor", .string("\(item)".utf8)), ("limit", .number(1))])
        var options = ListOptions(view: try ListView(json: Content.object([("window", window)]).description))
        options.freshness = freshness.freshness
        let state = try await daemon.withReadOnlyConnection { [options] in try await $0.state(of: list, options) }
        guard let row = ItemRow.all(of: state.snapshot).first(where: { $0.item.id == item }) else {
            throw CommandError.noSuchItem(item, in: list)
        }
        var output = StandardOutput()
        if fields.isEmpty {
            write(json ? whole(row, state) : row.item.content ?? .null, to: &output)
        }
        for field in fields {
            guard let value = try ItemField(checking: field).value(in: row.item) else {
                throw CommandError(
                    .notFound,
                    "the item \(quoted(item)) of \(list) has no field \(field); diffablectl get \(commandWord(list)) "
                        + "\(commandWord(item)) prints its content")
            }
            write(value, to: &output)
        }
        output.flush()
    }

    private func write(_ value: Content, to output: inout StandardOutput) {
        if json { output.json(value.bytes) } else { output.value(value) }
    }

    private func whole(_ row: ItemRow, _ state: ListState) -> Content {
        var members: [(String, Content)] = [
            ("list", .string("\(list)".utf8)), ("epoch", .string(state.epoch.utf8)),
            ("revision", .number(state.revision)), ("section", .string("\(row.section)".utf8)),
        ]
        if let parent = row.parent { members.append(("parent", .string("\(parent)".utf8))) }
        members.append(("id", .string("\(row.item.id)".utf8)))
        if let kind = row.item.kind { members.append(("kind", .string("\(kind)".utf8))) }
        if let content = row.item.content { members.append(("content", content)) }
        return .object(members)
    }
}
