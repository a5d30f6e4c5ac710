import Diffable
import DiffableJSON

extension Request {
    package struct Hosts: Sendable, Equatable {
        package var hosts: [HostName]

        package init(hosts: [HostName]) { self.hosts = hosts }
    }
}

extension Request.Hosts: RequestParameters {
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
