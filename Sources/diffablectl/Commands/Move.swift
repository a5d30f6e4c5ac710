import ArgumentParser
import Diffable

struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Move an item; its children go along.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The item.", transform: itemID) var id: ItemID
    @OptionGroup var place: PlaceOptions
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        try await options.transact(list, [.moveItem(id, to: place.position)])
    }
}
