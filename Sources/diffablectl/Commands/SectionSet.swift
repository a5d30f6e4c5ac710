import ArgumentParser
import Diffable

struct SectionSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Replace a section's content.",
        discussion: "The content null takes it away.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The section.", completion: .sections, transform: sectionID) var id: SectionID
    @Argument(help: "JSON, or key=value pairs.") var content: [String]
    @OptionGroup var options: ChangeOptions

    func validate() throws { _ = try ContentArguments.content(of: content) }

    func run() async throws {
        let content = try ContentArguments.content(of: content)
        try await options.transact(list, [.reloadSections([SectionReload(id: id, content: .some(content))])])
    }
}
