import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

/// Options for the part of a list that is shown: a view (docs/protocol-views.md).
struct ViewOptions: ParsableArguments {
    @OptionGroup var items: ShownItemsOptions

    @Option(
        help: ArgumentHelp(
            "Which children to show: all; shared (as expanded in the list); own (as set by --expanded or --toggled).",
            valueName: "mode"))
    var expansion: String?

    @Option(
        help: ArgumentHelp("Show the children of this item, and of no others. May be repeated.", valueName: "item"),
        completion: .items, transform: itemID)
    var expanded: [ItemID] = []

    @Option(
        help: ArgumentHelp(
            "Toggle this item; leave all others as they are in the list. May be repeated.",
            valueName: "item"),
        completion: .items, transform: itemID)
    var toggled: [ItemID] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many rows.", valueName: "rows"))
    var limit: Int?

    @Option(
        help: ArgumentHelp("With --limit: start at this item.", valueName: "item"), completion: .items,
        transform: itemID)
    var from: ItemID?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --limit: skip this many rows first.", valueName: "rows"))
    var offset: Int?

    func validate() throws {
        for (option, value) in [("--limit", limit), ("--offset", offset)] {
            if let value, value < 0 {
                throw ValidationError("\(option) must be a number of rows, from 0 on, not \(value)")
            }
        }
        if limit == nil, from != nil || offset != nil {
            throw ValidationError("--from and --offset need --limit")
        }
        _ = try checkedView(try json())
    }

    func options() throws -> ListOptions {
        let json = try json()
        return ListOptions(view: json == "{}" ? nil : try ListView(json: json))
    }

    private func json() throws -> String {
        var members: [(String, Content)] = []
        if !items.sections.isEmpty {
            members.append(("sections", .array(items.sections.map { .string($0.description.utf8) })))
        }
        if let condition = try items.matching.json() { members.append(("where", condition)) }
        if let search = items.search { members.append(("search", .string(search.utf8))) }
        let sort = try items.sortKeys().map(\.json)
        if !sort.isEmpty { members.append(("sort", .array(sort))) }
        if let mode = expansion ?? (expanded.isEmpty && toggled.isEmpty ? nil : "own") {
            members.append(("expansion", .string(mode.utf8)))
        }
        if !expanded.isEmpty { members.append(("expanded", .array(expanded.map { .string($0.description.utf8) }))) }
        if !toggled.isEmpty { members.append(("toggled", .array(toggled.map { .string($0.description.utf8) }))) }
        if let limit {
            var window: [(String, Content)] = [("limit", .number(limit))]
            if let from { window.append(("anchor", .string(from.description.utf8))) }
            if let offset { window.append(("offset", .number(offset))) }
            members.append(("window", .object(window)))
        }
        return Content.object(members).description
    }
}
