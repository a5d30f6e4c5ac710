import Diffable
import DiffableJSON

extension Request {
    package struct Hello: Sendable, Equatable {
        package var name: String?
        /// The longest line that the client reads, in bytes with its newline: `maxLine`.
        package var lineLengthMax: Int?

        package init(name: String? = nil, lineLengthMax: Int? = nil) {
            self.name = name
            self.lineLengthMax = lineLengthMax
        }
    }
}

extension Request.Hello: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var hello = Request.Hello()
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .name: hello.name = try decoder.clientName()
            case .maxLine: hello.lineLengthMax = try decoder.wholeNumber("maxLine")
            }
        }
        return .hello(hello)
    }

    func write(into writer: inout ByteWriter) {
        if let name { writer.appendParameter("name", name) }
        if let lineLengthMax { writer.appendParameter("maxLine", lineLengthMax) }
    }
}

extension Decoder {
    /// A name is shown to users, so it follows the rules of identifiers.
    fileprivate mutating func clientName() throws(DecodingError) -> String {
        let name: ListName = try identifier("name")
        return name.description
    }
}

// MARK: - Reply

extension Reply {
    package struct Hello: Equatable, Sendable {
        package var version: String
        package var epoch: String
        package var limits: [WireError.Limit]
        package var capabilities: [String]
        /// The methods that this connection can call; empty if the daemon does not name them.
        package var methods: [String]

        package init(
            version: String, epoch: String, limits: [WireError.Limit], capabilities: [String], methods: [String] = []
        ) {
            self.version = version
            self.epoch = epoch
            self.limits = limits
            self.capabilities = capabilities
            self.methods = methods
        }
    }
}

extension Reply.Hello {
    func write(into writer: inout ByteWriter) {
        writer.append(#""server":"diffabled""#)
        writer.appendMember("version", version)
        writer.appendMember("epoch", epoch)
        writer.append(#","limits":"#)
        writer.appendNumbers(limits.map { ($0.name, $0.max) })
        writer.append(#","capabilities":"#)
        writer.appendArray(capabilities) { name, writer in writer.appendString(name) }
        writer.append(#","methods":"#)
        writer.appendArray(methods) { name, writer in writer.appendString(name) }
    }
}

extension Reply.Hello: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case version, epoch, limits, capabilities, methods

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var (version, epoch): (String?, String?)
        var limits: [WireError.Limit] = []
        var (capabilities, methods): ([String], [String]) = ([], [])
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .version: version = try decoder.string("version").text
            case .epoch: epoch = try decoder.string("epoch").text
            case .limits: limits = try decoder.limitTable()
            case .capabilities: capabilities = try decoder.names("capabilities")
            case .methods: methods = try decoder.names("methods")
            }
        }
        self.init(
            version: try Self.needed(version, "version"), epoch: try Self.needed(epoch, "epoch"), limits: limits,
            capabilities: capabilities, methods: methods)
    }
}

extension Decoder {
    fileprivate mutating func limitTable() throws(DecodingError) -> [WireError.Limit] {
        guard scanner.peek() == UInt8(ascii: "{") else { throw unexpected("limits", "an object") }
        var limits: [WireError.Limit] = []
        var object = try scan { scanner throws(JSONError) in try scanner.beginObject() }
        while let name = try scan({ scanner throws(JSONError) in try scanner.nextMember(of: &object) }) {
            limits.append(WireError.Limit(name.text, max: try wholeNumber("a limit")))
        }
        return limits
    }
}
