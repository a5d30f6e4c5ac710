import ArgumentParser
import Diffable
import DiffableJSON

struct Append: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add an item at the end.",
        discussion: """
            Without --section or --parent, the item is added at the end of the last section. If the list has no \
            section, it gets one, main.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The new item's id.", transform: itemID) var id: ItemID
    @Argument(help: "JSON, or key=value pairs.") var content: [String] = []

    @Option(
        help: ArgumentHelp("Add the item to this section.", valueName: "section"), completion: .sections,
        transform: sectionID)
    var section: SectionID?
    @Option(
        help: ArgumentHelp("Add the item as a child of this item.", valueName: "item"), completion: .items,
        transform: itemID)
    var parent: ItemID?
    @OptionGroup var looks: NewItemOptions
    @OptionGroup var literal: LiteralID
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        try literal.check("\(id)", content, "append \(commandWord(list))")
        _ = try looks.item(id, content)
    }

    func run() async throws {
        let item = try looks.item(id, content)
        await AmbiguousStringPairs(content).warn(ofItemIn: list, options)
        try await options.transact(list, [.appendItems([item], to: Container(section: section, parent: parent))])
    }
}

struct NewItemOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The item's kind. Viewers choose its appearance by it.", valueName: "kind"),
        transform: kindName)
    var kind: Kind?

    @Flag(help: "Expand the item, so that viewers show its children.")
    var expanded = false

    func item(_ id: ItemID, _ content: [String]) throws -> Item {
        Item(
            id: id, kind: kind, content: try ContentArguments.content(of: content), isExpanded: expanded ? true : nil)
    }
}

/// Refuses an id such as `text=Tea` or `{"text":"Tea"}`: the user has forgotten the id and typed content.
struct LiteralID: ParsableArguments {
    @Flag(help: "Take the id as it is, even if it looks like key=value.") var literalID = false

    /// `command` is the command and its list, for the message.
    func check(_ id: String, _ content: [String], _ command: String) throws {
        if literalID { return }
        if content.isEmpty, let first = id.first, "{[".contains(first), (try? Content(json: id)) != nil {
            throw ValidationError(
                "\(id.debugDescription) is content, and the id is missing: use diffablectl \(command) ID \(shellQuoted(id)); if this "
                    + "is the id, add --literal-id")
        }
        guard let sign = id.firstIndex(of: "="), case var key = id[..<sign] else { return }
        if key.last == ":" { key.removeLast() }
        guard let first = key.first, first.isLetter || "_./".contains(first),
            key.allSatisfy({ $0.isLetter || $0.isNumber || "_-./%".contains($0) })
        else { return }
        let words = [id] + content
        throw ValidationError(
            "\(id.debugDescription) is content, and the id is missing: use diffablectl \(command) ID "
                + words.map {
                    $0.allSatisfy { $0.isLetter || $0.isNumber || "_-./%=:".contains($0) } ? $0 : shellQuoted($0)
                }
                .joined(separator: " ") + "; if this is the id, add --literal-id")
    }
}
