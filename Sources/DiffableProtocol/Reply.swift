import Diffable
import DiffableJSON

/// The result of a request. (A snapshot's is written by `SnapshotReplyWriter`, in pieces.)
package enum Reply: Sendable {
    case hello(Hello)
    case ping
    case help
    case status(Status)
    case clients([Client])
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
        package var processID: Int
        package var uptimeSeconds: Int
        package var connections: Int
        package var subscriptions: Int
        package var lists: Int
        package var items: Int
        /// This one and those that follow: since the daemon started; nil for one who may not know of all lists.
        package var transactions: Int?
        /// How often the disk was synced for them.
        package var groups: Int?
        package var traffic: Traffic?
        package var storage: Storage
        /// Why every list is refused, when those on disk could not be read.
        package var refusing: String?

        package init(
            version: String, processID: Int, uptimeSeconds: Int, connections: Int, subscriptions: Int, lists: Int,
            items: Int, transactions: Int?, groups: Int?, traffic: Traffic?, storage: Storage, refusing: String? = nil
        ) {
            self.version = version
            self.processID = processID
            self.uptimeSeconds = uptimeSeconds
            self.connections = connections
            self.subscriptions = subscriptions
            self.lists = lists
            self.items = items
            self.transactions = transactions
            self.groups = groups
            self.traffic = traffic
            self.storage = storage
            self.refusing = refusing
        }

        package enum Storage: String, Sendable {
            case working
            /// A write or a sync failed: the daemon is about to end.
            case failed
            /// What is on disk could not be read.
            case unreadable
            /// The daemon is about to end.
            case closing
        }
    }

    /// What went over connections.
    package struct Traffic: Equatable, Sendable {
        /// Lines that came in.
        package var requests = 0
        /// Of those, how many were answered with an error.
        package var refusals = 0
        /// Lines, or pages of long ones, that subscribers were sent.
        package var deliveries = 0
        package var bytesReceived = 0
        package var bytesSent = 0

        package init(
            requests: Int = 0, refusals: Int = 0, deliveries: Int = 0, bytesReceived: Int = 0, bytesSent: Int = 0
        ) {
            self.requests = requests
            self.refusals = refusals
            self.deliveries = deliveries
            self.bytesReceived = bytesReceived
            self.bytesSent = bytesSent
        }

        package static func += (sum: inout Traffic, other: Traffic) {
            sum.requests += other.requests
            sum.refusals += other.refusals
            sum.deliveries += other.deliveries
            sum.bytesReceived += other.bytesReceived
            sum.bytesSent += other.bytesSent
        }
    }

    /// One connection.
    package struct Client: Equatable, Sendable {
        /// Never used twice in one life of the daemon.
        package var number: Int
        /// What it calls itself, if it does.
        package var name: String?
        package var processID: Int?
        package var userID: Int?
        /// How long it has been connected.
        package var connectedSeconds: Int
        package var traffic: Traffic
        /// What it is still to be sent and its socket has not taken, in bytes.
        package var pendingBytes: Int
        package var subscriptions: [Subscription]

        package init(
            number: Int, name: String?, processID: Int?, userID: Int?, connectedSeconds: Int, traffic: Traffic,
            pendingBytes: Int, subscriptions: [Subscription]
        ) {
            self.number = number
            self.name = name
            self.processID = processID
            self.userID = userID
            self.connectedSeconds = connectedSeconds
            self.traffic = traffic
            self.pendingBytes = pendingBytes
            self.subscriptions = subscriptions
        }

        package struct Subscription: Equatable, Sendable {
            package var subscription: Int
            package var list: ListName
            /// How many revisions of the list it has still to be sent; nil when there is no such list.
            package var behind: Int?
            package var deliveries: Int
            package var bytesSent: Int

            package init(subscription: Int, list: ListName, behind: Int?, deliveries: Int, bytesSent: Int) {
                self.subscription = subscription
                self.list = list
                self.behind = behind
                self.deliveries = deliveries
                self.bytesSent = bytesSent
            }
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
