import ArgumentParser
import Diffable
import DiffableClient

struct SectionRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete sections with their items.",
        discussion: "The command prints how many items the sections contained.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The sections.", valueName: "id"), completion: .sections, transform: sectionID)
    var ids: [SectionID]
    @Flag(help: "Ignore sections that do not exist.") var ifPresent = false
    @OptionGroup var preview: PreviewOptions
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        let operation = ListOperation.deleteSections(ids, ifPresent ? .isPassedOver : .isError)
        if preview.dryRun { return try await options.preview(list) { _ in [operation] } }
        let outcome = try await options.answer { connection, key in
            try await connection.transact(list, [operation], ifRevision: options.ifRevision, requestKey: key)
        }
        await options.report(deletion: outcome, others: ids.count == 1 ? " with it" : " with them")
    }
}
