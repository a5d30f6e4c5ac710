import DiffableJSON

extension Reply.Status {
    package struct OtherHosts: Equatable, Sendable {
        package var sharedLists: Int
        package var mirrors: Int
        /// The number of lists of both kinds that may be incomplete.
        package var notLive: Int
        /// Nil if no list is shared and there is no connector.
        package var isConnected: Bool?
        /// The number of connected hosts; nil while it is unknown. This and the following members are nil for a caller that may
        /// not see all lists.
        package var hosts: Int?
        /// Requests that wait for etcd.
        package var waiting: Int?
        /// The number of batches that this host has appended to logs since the daemon started.
        package var batches: Int?

        package init(
            sharedLists: Int, mirrors: Int, notLive: Int, isConnected: Bool?, hosts: Int? = nil, waiting: Int? = nil,
            batches: Int? = nil
        ) {
            self.sharedLists = sharedLists
            self.mirrors = mirrors
            self.notLive = notLive
            self.isConnected = isConnected
            self.hosts = hosts
            self.waiting = waiting
            self.batches = batches
        }
    }
}

extension Reply.Status.OtherHosts {
    func write(into writer: inout ByteWriter) {
        writer.appendMember("sharedLists", sharedLists)
        writer.appendMember("mirrors", mirrors)
        writer.appendMember("notLive", notLive)
        if let isConnected { writer.append(isConnected ? #","connector":true"# : #","connector":false"#) }
        if let hosts { writer.appendMember("hosts", hosts) }
        if let waiting { writer.appendMember("waiting", waiting) }
        if let batches { writer.appendMember("batches", batches) }
    }
}
