import Diffable
import DiffableClient
import DiffableInput

extension ClientError {
    /// The message on the command line. The daemon's message names methods and members of the protocol; this one names commands
    /// and options.
    var words: String {
        switch self {
        case .refused(let refusal), .subscriptionEnded(let refusal): refusal.words
        default: descriptionWithOptions
        }
    }
}

extension Refusal {
    /// Made from the error's name and data. If only the daemon's sentence has the details, that sentence is used with the names
    /// of this program.
    var words: String {
        switch code {
        case .noSuchList:
            guard let list else { return message }
            return "there is no list \(quoted(list)), or you may not see it; diffablectl ls prints your lists, and "
                + "diffablectl create \(commandWord(list)) creates this one"
        case .listExists:
            guard let list else { return message }
            return "there is already a list \(quoted(list)), and it was not changed; choose another name"
        case .noSuchSection:
            guard let list, let section else { return message }
            return "the list \(quoted(list)) has no section \(quoted(section)); diffablectl show prints the sections"
        case .noSuchItem:
            guard let list, let item else { return message }
            return CommandError.noSuchItem(item, in: list).description
        case .tooLarge where message.contains("patchedLengthMax"):
            return sentence + ". With --where, patch fewer items at a time"
        case .noHandler:
            return Self.withOwnNames(message.replacing("`lists` shows in `handles`", with: "diffablectl ls -l shows"))
        case .unreachable:
            return Self.withOwnNames(message.replacing("`lists` says", with: "diffablectl watch says"))
        case .mirrorExists:
            guard let list else { return message }
            return "another command keeps the mirror \(quoted(list)) in sync; stop that command first"
        case .handlerExists:
            return Self.withOwnNames(message.replacing(#"`"replace":true`"#, with: "diffablectl handle --replace"))
        default: return sentence
        }
    }

    var sentence: String { Self.withOwnNames(withoutOperation) }

    private static let ownNames = [
        "history": "diffablectl log", "snapshot": "diffablectl show", "lists": "diffablectl ls",
        "requestKey": "--request-key", "dryRun": "--dry-run",
        "ifRevision": "--if-revision", "deleted": "--deleted", "schemas": "diffablectl schema", "keep": "--keep",
        "mostRecent": "--most-recent", "notOlderThan": "--not-older-than",
    ]

    private static func withOwnNames(_ message: String) -> String {
        message.replacing(#"`"keep":"never"`"#, with: "diffablectl delete --force")
            .replacing(#"`mirror` with `"end":true`, "#, with: "").replacing("`setAccess`, ", with: "").replacing(
                #/`(\w+)`/#
            ) { name in
                ownNames[String(name.1)] ?? String(name.0)
            }
    }

    /// Leaves out the index of a single operation, which the user has not counted.
    private var withoutOperation: String {
        let place = "operation 0 on "
        return operation == 0 && message.hasPrefix(place) ? String(message.dropFirst(place.count)) : message
    }
}
