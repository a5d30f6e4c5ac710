import Diffable
import DiffableJSON

extension Request {
    /// Makes the connection the one between shared lists and etcd.
    package struct Attach: Sendable, Equatable {
        /// This host's name among the hosts that share lists.
        package var host: HostName
        package var existing: ExistingConnector
        /// The namespace in etcd, for messages.
        package var space: String?

        package init(host: HostName, space: String? = nil, existing: ExistingConnector = .isError) {
            self.host = host
            self.existing = existing
            self.space = space
        }
    }

    package enum ExistingConnector: Sendable {
        case isError
        case isReplaced
    }
}

extension Request.Attach: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var host: HostName?
        var space: String?
        var existing = Request.ExistingConnector.isError
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .host: host = try decoder.identifier("host")
            case .space: space = try decoder.string("space").text
            case .replace: existing = try decoder.boolean("replace") ? .isReplaced : .isError
            }
        }
        return .attach(Self(host: try needed(host, .host), space: space, existing: existing))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("host", host)
        if let space { writer.appendParameter("space", space) }
        if existing == .isReplaced { writer.appendParameter("replace", true) }
    }
}
