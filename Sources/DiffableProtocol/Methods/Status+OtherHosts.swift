import DiffableJSON

extension Reply.Status {
    /// Lists that are kept with other hosts, and the connector that they are kept by.
    package struct OtherHosts: Equatable, Sendable {
        package var sharedLists: Int
        package var mirrors: Int
        /// Of both, those that something may be missing in.
        package var notLive: Int
        /// Nil where no list is shared and there is none.
        package var isConnected: Bool?
        /// Those that are there; nil while nobody has said so. It and what follows: nil for one who may not know of all lists.
        package var hosts: Int?
        /// Requests that wait for the engine.
        package var waiting: Int?
        /// Since the daemon started: those that this host has appended to logs.
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
