import Diffable
import DiffableJSON

/// The result of a request. (A snapshot's is written by `SnapshotReplyWriter`, in pieces.)
package enum Reply: Sendable {
    case hello(Hello)
    case ping
    case help
    case status(Status)
    case reload(Reload)
    case lists([ListSummary])
    case createList(ListRevision)
    case deleteList(ListName)
    /// A part of a transaction that asked for a reply of its own.
    case staged(ListName)
    case change(Change)
    case subscribe(Subscribe)
    case setView(subscription: Int)
    case unsubscribe(subscription: Int)
    case history(History)
    case difference(Difference)
    case setAccess(ListAccess)

    package struct Hello: Equatable, Sendable {
        /// Of the daemon.
        package var version: String
        /// One life of the daemon.
        package var epoch: String
        package var limits: [WireError.Limit]
        package var capabilities: [String]

        package init(version: String, epoch: String, limits: [WireError.Limit], capabilities: [String]) {
            self.version = version
            self.epoch = epoch
            self.limits = limits
            self.capabilities = capabilities
        }
    }

    package struct Status: Equatable, Sendable {
        package var version: String
        package var uptimeSeconds: Int
        package var connections: Int
        package var subscriptions: Int
        package var lists: Int
        package var items: Int
        /// Since the daemon started; nil for one who may not know of all lists.
        package var transactions: Int?
        /// Why every list is refused, when those on disk could not be read.
        package var refusing: String?

        package init(
            version: String, uptimeSeconds: Int, connections: Int, subscriptions: Int, lists: Int, items: Int,
            transactions: Int?, refusing: String? = nil
        ) {
            self.version = version
            self.uptimeSeconds = uptimeSeconds
            self.connections = connections
            self.subscriptions = subscriptions
            self.lists = lists
            self.items = items
            self.transactions = transactions
            self.refusing = refusing
        }
    }

    package struct Reload: Equatable, Sendable {
        /// What was read; nil when there is no file, and all is as it is built in or in the environment.
        package var file: String?
        /// The settings, as in the configuration, that have other values now.
        package var applied: [String]
        /// The settings that have other values in the configuration, and keep the old ones until a restart.
        package var needRestart: [String]

        package init(file: String?, applied: [String], needRestart: [String]) {
            self.file = file
            self.applied = applied
            self.needRestart = needRestart
        }
    }

    package struct ListSummary: Equatable, Sendable {
        package var list: ListName
        package var epoch: String
        package var revision: Int
        package var numberOfSections: Int
        /// At any depth.
        package var numberOfItems: Int
        package var access: ListAccess
        package var durability: Request.Durability

        package init(
            list: ListName, epoch: String, revision: Int, numberOfSections: Int, numberOfItems: Int,
            access: ListAccess, durability: Request.Durability
        ) {
            self.access = access
            self.list = list
            self.epoch = epoch
            self.revision = revision
            self.numberOfSections = numberOfSections
            self.numberOfItems = numberOfItems
            self.durability = durability
        }
    }

    /// Whom a list belongs to, and who may see and change it.
    package struct ListAccess: Equatable, Sendable {
        package var list: ListName
        package var owner: UInt32
        package var group: UInt32
        package var mode: AccessMode

        package init(list: ListName, owner: UInt32, group: UInt32, mode: AccessMode) {
            self.list = list
            self.owner = owner
            self.group = group
            self.mode = mode
        }
    }

    package struct ListRevision: Equatable, Sendable {
        package var list: ListName
        package var epoch: String
        package var revision: Int

        package init(list: ListName, epoch: String, revision: Int) {
            self.list = list
            self.epoch = epoch
            self.revision = revision
        }
    }

    package struct Subscribe: Equatable, Sendable {
        package var subscription: Int
        package var list: ListName
        /// Where the list is; nil when there is no such list yet.
        package var start: ListRevision?
        /// Whether it goes on from where the client was; nil if the client did not say where that is.
        package var isResumed: Bool?

        package init(subscription: Int, list: ListName, start: ListRevision?, isResumed: Bool? = nil) {
            self.subscription = subscription
            self.list = list
            self.start = start
            self.isResumed = isResumed
        }
    }

    package struct History: Equatable, Sendable {
        package var start: ListRevision
        /// The oldest revision that can be read and restored.
        package var oldest: Int
        /// Newest first.
        package var revisions: [Revision]

        package init(start: ListRevision, oldest: Int, revisions: [Revision]) {
            self.start = start
            self.oldest = oldest
            self.revisions = revisions
        }

        package struct Revision: Equatable, Sendable {
            package var revision: Int
            /// In milliseconds since 1970 began.
            package var time: Int
            package var numberOfOperations: Int
            /// What the client called itself, if it did.
            package var name: String?
            package var processID: Int?
            package var userID: Int?

            package init(
                revision: Int, time: Int, numberOfOperations: Int, name: String? = nil, processID: Int? = nil,
                userID: Int? = nil
            ) {
                self.revision = revision
                self.time = time
                self.numberOfOperations = numberOfOperations
                self.name = name
                self.processID = processID
                self.userID = userID
            }
        }
    }

    package struct Difference: Sendable {
        package var list: ListName
        package var epoch: String
        package var from: Int
        package var to: Int
        package var operations: [Operation]

        package init(list: ListName, epoch: String, from: Int, to: Int, operations: [Operation]) {
            self.list = list
            self.epoch = epoch
            self.from = from
            self.to = to
            self.operations = operations
        }
    }

    /// Of `transact`, `apply` and `undo`.
    package struct Change: Sendable {
        package var list: ListName
        /// Nil for one who may change the list and not read it.
        package var revision: Int?
        /// Nil like the revision.
        package var isChanged: Bool?
        package var summary: DifferenceSummary?
        /// What a dry run would have done.
        package var operations: [Operation]?

        package init(
            list: ListName, revision: Int?, isChanged: Bool?, summary: DifferenceSummary? = nil,
            operations: [Operation]? = nil
        ) {
            self.list = list
            self.revision = revision
            self.isChanged = isChanged
            self.summary = summary
            self.operations = operations
        }
    }
}
