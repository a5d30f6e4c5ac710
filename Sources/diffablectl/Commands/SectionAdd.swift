import ArgumentParser
import Diffable

struct SectionAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a section, by default at the end.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The new section's id.", transform: sectionID) var id: SectionID
    @Argument(help: "JSON, or key=value pairs.") var content: [String] = []
    @OptionGroup var place: SectionPositionOptions
    @OptionGroup var literal: LiteralID
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        try literal.check("\(id)", content, "section add \(commandWord(list))")
        _ = try ContentArguments.content(of: content)
    }

    func run() async throws {
        if !options.quiet { AmbiguousStringPairs(content).warn() }
        let section = Section(id: id, content: try ContentArguments.content(of: content))
        let operation: ListOperation =
            place.position.map { .insertSections([section], at: $0) } ?? .appendSections([section])
        try await options.transact(list, [operation])
    }
}
