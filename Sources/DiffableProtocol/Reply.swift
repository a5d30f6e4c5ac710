import Diffable
import DiffableJSON

/// The result of a request. (A snapshot's is written by `SnapshotReplyWriter`, in pieces.)
package enum Reply: Sendable {
    case hello(Hello)
    case ping
    case help
    case status(Status)
    case lists([ListSummary])
    case createList(ListRevision)
    case deleteList(ListName)
    /// A part of a transaction that asked for a reply of its own.
    case staged(ListName)
    case change(Change)
    case subscribe(subscription: Int, ListRevision)
    case unsubscribe(subscription: Int)

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
        /// Since the daemon started.
        package var transactions: Int

        package init(
            version: String, uptimeSeconds: Int, connections: Int, subscriptions: Int, lists: Int, items: Int,
            transactions: Int
        ) {
            self.version = version
            self.uptimeSeconds = uptimeSeconds
            self.connections = connections
            self.subscriptions = subscriptions
            self.lists = lists
            self.items = items
            self.transactions = transactions
        }
    }

    package struct ListSummary: Equatable, Sendable {
        package var list: ListName
        package var epoch: String
        package var revision: Int
        package var numberOfSections: Int
        /// At any depth.
        package var numberOfItems: Int
        package var durability: Request.Durability

        package init(
            list: ListName, epoch: String, revision: Int, numberOfSections: Int, numberOfItems: Int,
            durability: Request.Durability
        ) {
            self.list = list
            self.epoch = epoch
            self.revision = revision
            self.numberOfSections = numberOfSections
            self.numberOfItems = numberOfItems
            self.durability = durability
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

    /// Of `transact` and `apply`.
    package struct Change: Sendable {
        package var list: ListName
        package var revision: Int
        package var isChanged: Bool
        package var summary: DifferenceSummary?
        /// What a dry run would have done.
        package var operations: [Operation]?

        package init(
            list: ListName, revision: Int, isChanged: Bool, summary: DifferenceSummary? = nil,
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
