import DiffableJSON

/// What can be asked of the daemon: the one table that decoding, `help` and error messages read.
package enum Method: String, CaseIterable, Sendable {
    case hello, ping, help, status, clients, reload, lists, createList, deleteList, snapshot, transact, apply
    case subscribe, setView, unsubscribe, history, difference, undo, setAccess, backup, restore

    /// Without them the request says nothing.
    package var required: [Parameter] {
        switch self {
        case .hello, .ping, .help, .status, .clients, .reload, .lists, .backup, .restore: []
        case .createList, .deleteList, .snapshot, .apply, .subscribe, .history, .undo, .setAccess: [.list]
        case .transact: [.list, .operations]
        case .difference: [.list, .from, .to]
        case .setView: [.subscription, .view]
        case .unsubscribe: [.subscription]
        }
    }

    package var optional: [Parameter] {
        switch self {
        case .ping, .help, .status, .clients, .reload, .lists, .deleteList, .difference, .setView, .unsubscribe,
            .backup:
            []
        case .hello: [.name, .maxLine]
        case .createList: [.durability, .mode, .ifAbsent, .lease]
        case .transact: [.ifRevision, .requestKey, .lease, .dryRun, .more]
        // One of the first two is needed, which `Request` sees to.
        case .apply:
            [.snapshot, .operations, .section, .usingReloadData, .ifRevision, .requestKey, .lease, .dryRun, .more]
        case .snapshot: [.at, .view]
        case .subscribe: [.since, .view, .deliver, .minInterval, .bookmark, .ifAbsent, .once]
        case .history: [.limit]
        case .undo: [.to, .ifRevision, .requestKey, .dryRun]
        // Which of them are needed, `Request` sees to.
        case .restore: [.list, .operations, .mode, .owner, .group, .replace, .more]
        // At least one is needed, which `Request` sees to.
        case .setAccess: [.mode, .owner, .group]
        }
    }

    /// Whether it is about what the daemon keeps, and not about the daemon.
    package var needsLists: Bool {
        switch self {
        case .hello, .ping, .help, .status, .clients, .reload: false
        case .lists, .createList, .deleteList, .snapshot, .transact, .apply, .subscribe, .setView, .unsubscribe,
            .history, .difference, .undo, .setAccess, .backup, .restore:
            true
        }
    }

    package var summary: String {
        switch self {
        case .hello: "say who you are and how long a line may be; learn the server's version and limits"
        case .ping: "an empty answer"
        case .help: "this table"
        case .status: "how the server is doing"
        case .clients: "who is connected, what they follow and how far behind they are"
        case .reload: "read the configuration again; for root and the server's own user"
        case .lists: "every list that you may read: epoch, revision, counts, owner, group, mode, durability"
        case .createList: "make an empty list; it is yours"
        case .deleteList: "delete a list; its subscribers hear listDeleted"
        case .snapshot: "a list's whole state, in one line"
        case .transact: "apply operations to a list, all or none"
        case .apply: "hand over a list's (or a section's) new state; the server finds the difference"
        case .subscribe: "follow a list: its state, then its changes"
        case .setView: "let a subscription see something else of its list"
        case .unsubscribe: "end a subscription"
        case .history: "the revisions of a list that are kept: when, by whom, how many operations"
        case .difference: "the operations between two revisions"
        case .undo: "restore an earlier revision by a new transaction; by default the one before the newest"
        case .backup: "all durable lists as they are now, as requests that restore them"
        case .restore: "make lists what a backup has, all or none"
        case .setAccess: "say who may see and change a list: its mode, its group; for root, its owner"
        }
    }

    var parameters: MemberSet<Parameter> {
        self == .transact ? Self.transactParameters : MemberSet(required + optional)
    }

    /// Kept, because nearly every request is one.
    private static let transactParameters = MemberSet(Method.transact.required + Method.transact.optional)

    static func named(_ name: JSONString) -> Method? {
        switch name {
        case "transact": .transact
        case "apply": .apply
        case "subscribe": .subscribe
        case "unsubscribe": .unsubscribe
        case "snapshot": .snapshot
        case "lists": .lists
        case "createList": .createList
        case "deleteList": .deleteList
        case "ping": .ping
        case "hello": .hello
        case "help": .help
        case "status": .status
        case "clients": .clients
        case "reload": .reload
        case "setView": .setView
        case "history": .history
        case "difference": .difference
        case "undo": .undo
        case "backup": .backup
        case "restore": .restore
        case "setAccess": .setAccess
        default: nil
        }
    }
}
