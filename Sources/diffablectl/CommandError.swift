import Diffable
import DiffableInput

struct CommandError: Error, Equatable, CustomStringConvertible {
    var status: ExitStatus
    var description: String

    init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    static func noSuchItem(_ item: ItemID, in list: ListName) -> CommandError {
        CommandError(
            .notFound, "the list \(quoted(list)) has no item \(quoted(item)); diffablectl show prints its items")
    }
}
