import Diffable
import DiffableClient
import DiffableInput

extension ClientError {
    /// The message for somebody at a prompt. The daemon's message names methods and members of the protocol; this one names
    /// commands and options.
    var words: String {
        switch self {
        case .refused(let refusal), .subscriptionEnded(let refusal): refusal.words
        case .noConnection(let path, _):
            descriptionWithOptions.replacing(
                "Start one there with `diffabled`", with: "Start one with `diffabled --socket \(path)`")
        default: descriptionWithOptions
        }
    }
}

extension Refusal {
    /// It is made from the error's name and data. Where only the daemon's sentence has the details, that sentence is used with
    /// our names.
    var words: String {
        switch name {
        case "noSuchList":
            guard let list else { return message }
            return "there is no list \(quoted(list)); create it with diffablectl create or apply --create, "
                + "or see diffablectl ls"
        case "listExists":
            guard let list else { return message }
            return "there is already a list \(quoted(list)); delete it first, or choose another name"
        case "noSuchSection":
            guard let list, let section else { return message }
            return "the list \(quoted(list)) has no section \(quoted(section)); diffablectl show prints the sections"
        case "noSuchItem":
            guard let list, let item else { return message }
            return CommandError.noSuchItem(item, in: list).description
        case "tooLarge" where message.contains("patchedLengthMax"):
            return sentence + "; with --where for fewer items each, for example"
        case "noHandler":
            return Self.withOwnNames(message.replacing("`lists` shows in `handles`", with: "diffablectl ls -l shows"))
        case "unreachable":
            return Self.withOwnNames(message.replacing("`lists` says", with: "diffablectl watch says"))
        case "mirrorExists":
            guard let list else { return message }
            return "another command mirrors \(quoted(list)); end that one first"
        case "handlerExists":
            return Self.withOwnNames(message.replacing(#"`"replace":true`"#, with: "diffablectl handle --replace"))
        default: return sentence
        }
    }

    /// The daemon's sentence with our names.
    var sentence: String { Self.withOwnNames(withoutOperation) }

    /// Our names for methods and members of the protocol. Limits have the same name everywhere.
    private static let ownNames = [
        "history": "diffablectl log", "snapshot": "diffablectl show", "lists": "diffablectl ls",
        "requestKey": "--request-key", "dryRun": "--dry-run",
        "ifRevision": "--if-revision", "deleted": "--deleted", "schemas": "diffablectl schema", "keep": "--keep",
        "mostRecent": "--most-recent", "notOlderThan": "--not-older-than",
    ]

    /// The daemon writes names of the protocol between backticks.
    private static func withOwnNames(_ message: String) -> String {
        message.replacing(#"`"keep":"never"`"#, with: "diffablectl delete --force")
            .replacing(#"`mirror` with `"end":true`, "#, with: "").replacing("`setAccess`, ", with: "").replacing(
                #/`(\w+)`/#
            ) { name in
                ownNames[String(name.1)] ?? String(name.0)
            }
    }

    /// Without the index, if there is a single operation: the user has not counted it.
    private var withoutOperation: String {
        let place = "operation 0 on "
        return operation == 0 && message.hasPrefix(place) ? String(message.dropFirst(place.count)) : message
    }
}
