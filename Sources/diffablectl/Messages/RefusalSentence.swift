import Diffable
import DiffableClient
import DiffableInput

// Every sentence about a refused request. It is made from the error's code and facts, with this program's commands and options.

extension ClientError {
    /// The problem and the remedy.
    var sentence: String {
        switch self {
        case .refused(let refusal), .subscriptionEnded(let refusal): refusal.sentence
        default: sentence(socket: "--socket", system: "--system")
        }
    }
}

extension Refusal {
    /// The daemon's message if this program has no better one: a handler's own reason, or an error that names no parts of the
    /// protocol.
    var sentence: String { (list.flatMap(sentence(about:)) ?? unlistedSentence ?? message) + place }

    /// The operation, if there are several: in the input of `diffablectl transact`, for example.
    private var place: String {
        guard let operation, operation > 0 else { return "" }
        return " (operation \(operation), counted from 0)"
    }

    /// For errors that concern no single list.
    private var unlistedSentence: String? {
        switch code {
        case .noSpace:
            "the disk of the daemon is full; nothing was changed. Free some space on it, or delete lists for good (diffablectl "
                + "delete --force), and try again"
        case .storageFailed:
            "the daemon's disk failed, and this change may have been made. diffablectl status shows the cause. Check the disk, "
                + "restart the daemon, and look at the list before you repeat the change, or repeat it with the same --request-key"
        default: nil
        }
    }

    private func sentence(about list: ListName) -> String? {
        let name = quoted(list)
        switch code {
        case .noSuchList:
            // Only the daemon knows why it does not keep a deleted list.
            return reason == "deleted"
                ? message + ". diffablectl ls --deleted prints them"
                : "there is no list \(name), or you may not see it; diffablectl ls prints your lists, and "
                    + "diffablectl create \(commandWord(list)) creates this one"
        case .listExists where reason == "restore":
            return "there is already a list \(name), and nothing was restored; delete it first, or use --replace"
        case .listExists: return "there is already a list \(name), and it was not changed; choose another name"
        case .noSuchSection:
            return section.map { "the list \(name) has no section \(quoted($0)); diffablectl show prints the sections" }
        case .noSuchItem: return item.map { CommandError.noSuchItem($0, in: list).description }
        case .duplicateSection:
            return section.map {
                "the section \(quoted($0)) is already in the list \(name), or twice in the input; nothing was changed"
            }
        case .duplicateItem:
            return item.map {
                "the item \(quoted($0)) is already in the list \(name), or twice in the input; nothing was changed"
            }
        case .noSuchRevision: return sentenceAboutRevision(of: name)
        case .requestKeyReused:
            return
                "the --request-key was used for another change of the list \(name), and nothing was changed now; repeat a "
                + "change exactly as it was, or use a new key"
        case .tooLarge where limit == "patchedLengthMax":
            return
                "the patches of one change of the list \(name) would read too much content, and nothing was changed; put all "
                + "changes of an item into one patch. With --where, patch fewer items at a time"
        case .invalidContent:
            return message
                + (reason == "existing"
                    ? ". Change the contents that do not match, or use --keep to leave existing ones as they are"
                    : ". diffablectl schema prints the schemas")
        case .permissionDenied: return sentenceAboutPermission(name)
        case .noHandler, .handlerExists: return sentenceAboutHandler(of: name)
        case .notKept:
            return "the list \(name) was not deleted, because it could not be undeleted later"
                + (reasonNotKept.map { ": \($0)" } ?? "")
                + ". To delete it for good, use --force; back it up first if you may need it"
        case .mirrorExists: return "another command keeps the mirror \(name) in sync; stop that command first"
        case .unreachable: return sentenceAboutHosts(name)
        case .outcomeUnknown:
            return
                "etcd did not answer for the shared list \(name), so this change may have been made. Look at the list before "
                + "you repeat the change, or repeat it with the same --request-key, here or on another host"
        case .notForShared where reason == "ifRevision":
            return
                "the list \(name) is shared between hosts, and --if-revision cannot be used to delete it; nothing was deleted"
        default: return nil
        }
    }

    private func sentenceAboutRevision(of list: String) -> String {
        switch (reason, found) {
        case ("undo", 0):
            "the list \(list) has no change that can be undone, and nothing was changed; diffablectl log prints the changes "
                + "that are kept"
        case ("redo", 0):
            "the list \(list) has no undone change that can be redone, and nothing was changed; only an undo after which nothing "
                + "else was changed can be redone"
        case ("undo", let found?), ("redo", let found?):
            "only \(found) change\(found == 1 ? "" : "s") of the list \(list) can be \(reason == "undo" ? "undone" : "redone"), "
                + "and nothing was changed; diffablectl log prints the changes that are kept"
        case ("future", _):
            "the list \(list) does not have this revision yet. It may belong to another list, or to an earlier one of this name"
        default: "the list \(list) does not keep this revision; diffablectl log prints the revisions that are kept"
        }
    }

    /// Nil for reasons without the name of a command or an option.
    private func sentenceAboutPermission(_ list: String) -> String? {
        let remedy: String? =
            switch reason {
            case "create":
                "you may not create it: the configuration does not allow it, or a list that you cannot see has this name; choose "
                    + "another name, or ask an administrator"
            case "change": "you need the right to write; its owner or root can give it with diffablectl chmod"
            case "ask":
                "you need the right to execute or to write; its owner or root can give it with diffablectl chmod"
            case "handle":
                "you need the right to write, and for proposals the right to read; its owner or root can give them with "
                    + "diffablectl chmod"
            case "read":
                "you may not read it, so --dry-run and --if-revision cannot be used; its owner or root can give the right with "
                    + "diffablectl chmod"
            case "hidden":
                "an id does not exist or is already used, a content does not match a schema, or a limit is exceeded. You may not "
                    + "read the list, so the daemon does not say which. Nothing was changed"
            case "owner": "only its owner or root can do this"
            case "mirror":
                "it is a mirror. Change its source, or turn it into an ordinary list with diffablectl mirror --end"
            default: nil
            }
        return remedy.map { "permission denied for the list \(list): \($0)" }
    }

    private func sentenceAboutHandler(of list: String) -> String? {
        let subject: String? =
            switch reason {
            case "perform": action.map { "the action \"\($0)\"" }
            case "propose": "proposals"
            case "expand": "the children of items"
            default: nil
            }
        return subject.map {
            code == .noHandler
                ? "no program handles \($0) of the list \(list); nothing happened. Start one that does; diffablectl ls -l shows "
                    + "what is handled"
                : "another program handles \($0) of the list \(list); wait until it ends, or use diffablectl handle --replace"
        }
    }

    private var reasonNotKept: String? {
        switch reason {
        case "tooLong": "it is too long (deletedLengthMax)"
        case "keepsNone": "the configuration keeps no deleted lists"
        case "leased": "leased lists are not kept"
        default: nil
        }
    }

    private func sentenceAboutHosts(_ list: String) -> String {
        switch reason {
        case "newest":
            "etcd did not confirm in time that this host has the newest state of the shared list \(list). Try again, read this "
                + "host's copy (without --most-recent and --not-older-than), or check diffabled-etcd and etcd"
        case "full":
            "etcd has used up its space, so the shared list \(list) cannot be changed; nothing was changed, and reads still work. "
                + "Compact and defragment each member of etcd, then run etcdctl alarm disarm (docs/shared-lists.md), and try again"
        case "source":
            "the list \(list) is a mirror, so this daemon does not know the newest state: read its source, or leave "
                + "--most-recent out"
        default:
            "cannot reach etcd for the shared list \(list); nothing was changed, and reads still work (diffablectl watch says "
                + "since when it is not live). Try again, or check diffabled-etcd and etcd"
        }
    }
}
