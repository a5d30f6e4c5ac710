import Diffable
import DiffableJSON

extension Request {
    /// What the connector tells of the hosts that share lists.
    package struct Hosts: Sendable, Equatable {
        /// Those that are there.
        package var hosts: [HostName]

        package init(hosts: [HostName]) { self.hosts = hosts }
    }
}

extension Request.Hosts: RequestParameters {
    enum Parameter: UInt8, IndexedMemberName {
        case hosts

        static let names = MemberNames(Parameter.self)
    }

    static let method = Method.hosts
    static let required: [Parameter] = [.hosts]
    static let summary = "say which hosts are there that share lists; for whoever is attached"
    static let needsLists = true

    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var hosts: [HostName]?
        try readObject(from: &decoder) { _, decoder throws(DecodingError) in
            hosts = try decoder.elements("hosts") { decoder throws(DecodingError) in try decoder.identifier("a host") }
        }
        return .hosts(Self(hosts: try needed(hosts, .hosts)))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameterName("hosts")
        writer.appendArray(hosts) { host, writer in writer.appendString(host) }
    }
}
