import ArgumentParser
import Diffable

struct SectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "section", abstract: "Add, move, change or delete sections.",
        subcommands: [SectionAdd.self, SectionMove.self, SectionSet.self, SectionRemove.self])
}
