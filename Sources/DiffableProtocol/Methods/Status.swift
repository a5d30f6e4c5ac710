import DiffableJSON

extension Reply {
    package struct Status: Equatable, Sendable {
        package var version: String
        package var processID: Int
        package var uptimeSeconds: Int
        package var connections: Int
        package var subscriptions: Int
        package var lists: Int
        package var items: Int
        /// Since the daemon started, like the members below; nil for a caller that may not see all lists.
        package var transactions: Int?
        /// The number of syncs of the disk for these transactions.
        package var groups: Int?
        package var traffic: Traffic?
        /// Nil if all lists belong to this host alone.
        package var otherHosts: OtherHosts?
        package var storage: StorageState
        /// Why every list is refused, if the lists on disk could not be read.
        package var refusing: String?
        /// An unacknowledged loss of acknowledged changes; nil for a caller that may not see all lists.
        package var loss: String?

        package init(
            version: String, processID: Int, uptimeSeconds: Int, connections: Int, subscriptions: Int, lists: Int,
            items: Int, transactions: Int?, groups: Int?, traffic: Traffic?, otherHosts: OtherHosts? = nil,
            storage: StorageState, refusing: String? = nil, loss: String? = nil
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
            self.otherHosts = otherHosts
            self.storage = storage
            self.refusing = refusing
            self.loss = loss
        }

        package enum StorageState: String, Sendable {
            case working
            /// The disk had no room for the last change; it was refused, and the lists are unchanged.
            case full
            /// A write or a sync failed: the daemon is about to end.
            case failed
            case unreadable
            case closing
        }
    }
}

extension Reply.Status {
    func write(into writer: inout ByteWriter) {
        writer.append(#""version":"#)
        writer.appendString(version)
        writer.appendMember("pid", processID)
        writer.appendMember("uptimeSeconds", uptimeSeconds)
        writer.appendMember("connections", connections)
        writer.appendMember("subscriptions", subscriptions)
        writer.appendMember("lists", lists)
        writer.appendMember("items", items)
        if let transactions { writer.appendMember("transactions", transactions) }
        if let groups { writer.appendMember("groups", groups) }
        traffic?.write(into: &writer)
        otherHosts?.write(into: &writer)
        writer.appendMember("storage", storage.rawValue)
        if let refusing { writer.appendMember("refusing", refusing) }
        if let loss { writer.appendMember("loss", loss) }
    }
}
