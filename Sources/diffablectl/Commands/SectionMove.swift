import ArgumentParser
import Diffable

struct SectionMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a section with its items.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The section.", completion: .sections, transform: sectionID) var id: SectionID
    @OptionGroup var place: SectionPositionOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard place.position != nil else {
            throw ValidationError("the place is missing: use --before, --after or --front")
        }
    }

    func run() async throws {
        guard let position = place.position else { return }
        try await options.transact(list, [.moveSection(id, to: position)])
    }
}
