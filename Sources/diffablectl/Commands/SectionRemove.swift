import ArgumentParser
import Diffable

struct SectionRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete sections with their items.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The sections.", valueName: "id"), completion: .sections, transform: sectionID)
    var ids: [SectionID]
    @Flag(help: "Pass over sections that the list does not have.") var ifPresent = false
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        try await options.transact(list, [.deleteSections(ids, ifPresent ? .isPassedOver : .isError)])
    }
}
