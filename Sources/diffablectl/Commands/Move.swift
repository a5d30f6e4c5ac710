import ArgumentParser
import Diffable
import DiffableClient

struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move an item; its children go along.",
        discussion: """
            --front, --back, --up and --down are among its siblings; with --section or --parent, --front is the front of that.
              diffablectl move tasks milk --up
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The item.", completion: .items, transform: itemID) var id: ItemID
    @OptionGroup var place: MoveOptions
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        if let position = place.position {
            return try await options.transact(list, [.moveItem(id, to: position)])
        }
        try await options.transact(list) { state in
            guard let step = place.step else { return [] }
            guard let siblings = Siblings(of: id, in: state.snapshot) else {
                throw CommandError.noSuchItem(id, in: list)
            }
            return siblings.position(after: step).map { [.moveItem(id, to: $0)] } ?? []
        }
    }
}
