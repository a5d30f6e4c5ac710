import ArgumentParser
import Diffable

struct Append: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add an item at the end.",
        discussion: """
            Without --section or --parent it goes to the end of the last section. A list that has none gets one, main.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The new item's id.", transform: itemID) var id: ItemID
    @Argument(help: "JSON, or key=value pairs.") var content: [String] = []

    @Option(help: ArgumentHelp("Into this section.", valueName: "section"), completion: .sections, transform: sectionID)
    var section: SectionID?
    @Option(help: ArgumentHelp("Under this item.", valueName: "item"), completion: .items, transform: itemID)
    var parent: ItemID?
    @OptionGroup var looks: NewItemOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws { _ = try looks.item(id, content) }

    func run() async throws {
        let item = try looks.item(id, content)
        try await options.transact(list, [.appendItems([item], to: Container(section: section, parent: parent))])
    }
}

/// The properties of a new item besides its id and content.
struct NewItemOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Which registration draws it.", valueName: "kind"), transform: kindName)
    var kind: Kind?

    @Flag(help: "Show its children.")
    var expanded = false

    func item(_ id: ItemID, _ content: [String]) throws -> Item {
        Item(
            id: id, kind: kind, content: try ContentArguments.content(of: content), isExpanded: expanded ? true : nil)
    }
}
