import ArgumentParser
import Diffable

struct Insert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add an item at a given place.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The new item's id.", transform: itemID) var id: ItemID
    @Argument(help: "JSON, or key=value pairs.") var content: [String] = []
    @OptionGroup var place: PlaceOptions
    @OptionGroup var looks: NewItemOptions
    @OptionGroup var literal: LiteralID
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        try literal.check("\(id)", content, "insert \(commandWord(list))")
        _ = try looks.item(id, content)
    }

    func run() async throws {
        let item = try looks.item(id, content)
        await AmbiguousStringPairs(content).warn(ofItemIn: list, options)
        try await options.transact(list, [.insertItems([item], at: try place.position)])
    }
}
