import Diffable
import DiffableJSON

extension Request {
    /// Makes the connection the one by which shared lists reach what keeps them.
    package struct Attach: Sendable, Equatable {
        /// What this host is called among those that share lists.
        package var host: HostName
        package var existing: ExistingConnector
        /// Which lists are shared with whom, for people.
        package var space: String?

        package init(host: HostName, space: String? = nil, existing: ExistingConnector = .isError) {
            self.host = host
            self.existing = existing
            self.space = space
        }
    }

    /// What becomes of another connection that is attached.
    package enum ExistingConnector: Sendable {
        case isError
        case isReplaced
    }
}

extension Request.Attach: RequestParameters {
    enum Parameter: UInt8, IndexedMemberName {
        case host, space, replace

        static let names = MemberNames(Parameter.self)
    }

    static let method = Method.attach
    static let required: [Parameter] = [.host]
    static let summary = "be what shared lists are kept by (diffabled-etcd)"

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
