import ArgumentParser
import Diffable

struct SectionSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Replace a section's content.",
        discussion: "null removes the content.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The section.", completion: .sections, transform: sectionID) var id: SectionID
    @Argument(help: "JSON, or key=value pairs.") var content: [String]
    @OptionGroup var options: ChangeOptions

    func validate() throws { _ = try ContentArguments.content(of: content) }

    func run() async throws {
        let pairs = AmbiguousStringPairs(content)
        let content = try ContentArguments.content(of: content)
        let present = options.quiet && pairs.isEmpty ? [] : await options.present(.section(id), in: list)
        try pairs.check(against: present)
        if !options.quiet { pairs.warn(replacing: present) }
        try await options.transact(
            list, [.reloadSections([SectionReload(id: id, content: .some(content))])],
            saying: PresentContent.loss(of: present, replacedBy: content, hasPatch: false))
    }
}
