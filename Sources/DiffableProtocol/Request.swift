import Diffable
import DiffableJSON

/// What a client asks for, with everything that can be checked without knowing the lists already checked.
///
/// What has a view in it is boxed: every request would be as large, and moving it around is part of reading it.
package enum Request: Sendable {
    case hello(Hello)
    case ping
    case help
    case status
    case clients
    case reload
    case lists
    case createList(CreateList)
    case deleteList(ListName)
    indirect case snapshot(Snapshot)
    case transact(Transact)
    case apply(Apply)
    indirect case subscribe(Subscribe)
    indirect case setView(View, subscription: Int)
    case unsubscribe(subscription: Int)
    case history(ListName, limit: Int?)
    case difference(ListName, from: Int, to: Int)
    case undo(Undo)
    case backup
    case restore(Restore)
    case setAccess(SetAccess)

    package var method: Method {
        switch self {
        case .hello: .hello
        case .ping: .ping
        case .help: .help
        case .status: .status
        case .clients: .clients
        case .reload: .reload
        case .lists: .lists
        case .createList: .createList
        case .deleteList: .deleteList
        case .snapshot: .snapshot
        case .transact: .transact
        case .apply: .apply
        case .subscribe: .subscribe
        case .setView: .setView
        case .unsubscribe: .unsubscribe
        case .history: .history
        case .difference: .difference
        case .undo: .undo
        case .backup: .backup
        case .restore: .restore
        case .setAccess: .setAccess
        }
    }

    package struct Hello: Sendable, Equatable {
        /// What the client calls itself.
        package var name: String?
        /// The longest line that the client reads, in bytes with its newline: `maxLine`.
        package var lineLengthMax: Int?

        package init(name: String? = nil, lineLengthMax: Int? = nil) {
            self.name = name
            self.lineLengthMax = lineLengthMax
        }
    }

    package struct CreateList: Sendable {
        package var list: ListName
        package var durability: Durability
        package var ifPresent: IfPresent
        package var lease: Lease?
        /// Who may see and change it; nil: as the daemon's configuration says.
        package var mode: AccessMode?

        package init(
            list: ListName, durability: Durability = .durable, ifPresent: IfPresent = .isError, lease: Lease? = nil,
            mode: AccessMode? = nil
        ) {
            self.list = list
            self.mode = mode
            self.durability = durability
            self.ifPresent = ifPresent
            self.lease = lease
        }
    }

    package enum Durability: String, Sendable {
        case durable, volatile
    }

    /// For how long something is there; what is not leased stays.
    package enum Lease: String, Sendable {
        case connection
    }

    /// What a list of that name means to `createList`.
    package enum IfPresent: Sendable {
        case isError
        /// `"ifAbsent":true`: the list that is there is the answer.
        case isKept
    }

    package struct Transact: Sendable {
        package var list: ListName
        package var operations: [Operation]
        package var ifRevision: Int?
        package var requestKey: RequestKey?
        package var lease: Lease?
        package var mode: Mode
        package var part: Part

        package init(
            list: ListName, operations: [Operation], ifRevision: Int? = nil, requestKey: RequestKey? = nil,
            lease: Lease? = nil, mode: Mode = .commit, part: Part = .whole
        ) {
            self.list = list
            self.operations = operations
            self.ifRevision = ifRevision
            self.requestKey = requestKey
            self.lease = lease
            self.mode = mode
            self.part = part
        }
    }

    package struct Apply: Sendable {
        package var list: ListName
        package var contents: Contents
        package var delivery: Delivery
        package var ifRevision: Int?
        package var requestKey: RequestKey?
        package var lease: Lease?
        package var mode: Mode
        package var part: Part

        package init(
            list: ListName, contents: Contents, delivery: Delivery = .difference, ifRevision: Int? = nil,
            requestKey: RequestKey? = nil, lease: Lease? = nil, mode: Mode = .commit, part: Part = .whole
        ) {
            self.list = list
            self.contents = contents
            self.delivery = delivery
            self.ifRevision = ifRevision
            self.requestKey = requestKey
            self.lease = lease
            self.mode = mode
            self.part = part
        }
    }

    package enum Contents: Sendable {
        /// The whole list.
        case snapshot([Section])
        /// One section's items.
        case items([Item], SectionID)
        /// What makes the state from nothing, as a `reset` does: the form that can be sent in parts.
        case operations([Operation], section: SectionID?)
    }

    package enum Mode: Sendable {
        case commit
        /// The answer tells the operations; nothing changes.
        case dryRun
    }

    /// How subscribers hear of it.
    package enum Delivery: Sendable {
        case difference
        /// `"usingReloadData":true`: a `reset`.
        case reload
    }

    /// A transaction that is too long for one line comes in parts, one after the other on one connection.
    package enum Part: Sendable {
        /// The line says nothing of parts: it is all there is.
        case whole
        /// `"more":true`: nothing happens before the last part.
        case more
        /// `"more":false`. It is said, so that a last part is never taken for a whole request.
        case last
    }

    package struct Snapshot: Sendable {
        package var list: ListName
        /// A revision that is kept; nil: the current one.
        package var revision: Int?
        package var view: View

        package init(list: ListName, revision: Int? = nil, view: View = View()) {
            self.list = list
            self.revision = revision
            self.view = view
        }
    }

    package struct Undo: Sendable, Equatable {
        package var list: ListName
        /// The revision to restore; nil: the one before the newest.
        package var revision: Int?
        package var ifRevision: Int?
        package var requestKey: RequestKey?
        package var mode: Mode

        package init(
            list: ListName, revision: Int? = nil, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
            mode: Mode = .commit
        ) {
            self.list = list
            self.revision = revision
            self.ifRevision = ifRevision
            self.requestKey = requestKey
            self.mode = mode
        }
    }

    /// Comes in parts, like a long transaction: nothing happens before the end.
    package enum Restore: Sendable {
        /// Operations that make a list from nothing, after those of the parts before.
        /// Whom it belongs to and who may see it may be said with any part.
        case part(SetAccess, [Operation])
        /// Whether lists that are there may be replaced.
        case end(replacing: Bool)
    }

    /// Who may see and change a list; nil is left as it is.
    package struct SetAccess: Sendable, Equatable {
        package var list: ListName
        package var mode: AccessMode?
        package var owner: UInt32?
        package var group: UInt32?

        package init(list: ListName, mode: AccessMode? = nil, owner: UInt32? = nil, group: UInt32? = nil) {
            self.list = list
            self.mode = mode
            self.owner = owner
            self.group = group
        }
    }

    package struct Subscribe: Sendable {
        package var list: ListName
        /// What the client has already; nil: nothing.
        package var since: Since?
        package var view: View
        package var form: Form
        /// At least so many milliseconds lie between two groups; nil: none need to. In `minIntervalRange`.
        package var minInterval: Int?
        /// After so many milliseconds without a line comes a `bookmark`; nil: none comes. In `bookmarkRange`.
        package var bookmark: Int?
        package var ifAbsent: IfAbsent
        package var duration: Duration

        package init(
            list: ListName, since: Since? = nil, view: View = View(), form: Form = .operations,
            minInterval: Int? = nil, bookmark: Int? = nil, ifAbsent: IfAbsent = .isError,
            duration: Duration = .lasting
        ) {
            self.list = list
            self.since = since
            self.view = view
            self.form = form
            self.minInterval = minInterval
            self.bookmark = bookmark
            self.ifAbsent = ifAbsent
            self.duration = duration
        }

        /// In milliseconds.
        package static let minIntervalRange = 1...3_600_000
        package static let bookmarkRange = 10...3_600_000

        /// `deliver`: in which form what is new is sent.
        package enum Form: String, Sendable {
            /// `reset` and `changes`.
            case operations
            /// The whole state each time: `snapshot`.
            case snapshots
            /// The whole state first, then JSON patches (RFC 6902) on it: `snapshot` and `patch`.
            case patches
        }

        /// What it means that there is no list of that name.
        package enum IfAbsent: Sendable {
            case isError
            /// `"ifAbsent":"wait"`: the subscription lasts until there is one, and also when it is deleted again.
            case isAwaited
        }

        /// The revision of the last group that was read, and the epoch that it means something in.
        package struct Since: Sendable, Equatable {
            package var epoch: String
            package var revision: Int

            package init(epoch: String, revision: Int) {
                self.epoch = epoch
                self.revision = revision
            }
        }

        package enum Duration: Sendable {
            case lasting
            /// `"once":true`: the `reset`, and that is all.
            case once
        }
    }
}
