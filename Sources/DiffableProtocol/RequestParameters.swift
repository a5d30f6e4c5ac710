import Diffable
import DiffableJSON

/// The parameters of one method: how the daemon reads them, how a client writes them, and their description in `help`. Each
/// conformer is a file of `Methods/`, which also has the method's reply. `scripts/protocol` generates everything that
/// `protocol/protocol.toml` declares: the names of the parameters, `method`, `required`, `summary`, `needsLists` and
/// `isForAdministrators`.
protocol RequestParameters: Sendable {
    /// The parameters, with their names in messages, in the order of `help`.
    associatedtype Parameter: IndexedMemberName

    static var method: Method { get }
    /// `help` marks the other parameters as optional.
    static var required: [Parameter] { get }
    static var summary: String { get }
    /// Whether the method concerns the lists of the daemon, and not the daemon itself.
    static var needsLists: Bool { get }
    /// Whether only root, the daemon's user and the connector of shared lists can use the method.
    static var isForAdministrators: Bool { get }

    /// Reads the object that contains the parameters. `list` is set as soon as the list's name is read, because a later error
    /// names the list.
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request

    /// Writes the parameters without the braces around them.
    func write(into writer: inout ByteWriter)
}

extension RequestParameters {
    static var needsLists: Bool { true }
    static var isForAdministrators: Bool { false }
    static var required: [Parameter] { [] }

    static var requiredNames: [String] { required.map(\.name) }
    static var optionalNames: [String] { Parameter.allCases.filter { !required.contains($0) }.map(\.name) }

    /// Reads the object: `read` is called with each parameter in turn, and reads its value.
    @inline(__always)
    static func readObject(
        from decoder: inout Decoder, _ read: (Parameter, inout Decoder) throws(DecodingError) -> Void
    ) throws(DecodingError) {
        try decoder.object(method.rawValue, Parameter.self, read)
    }

    static func needed<Value>(_ value: Value?, _ parameter: Parameter) throws(DecodingError) -> Value {
        guard let value else { throw missing(parameter) }
        return value
    }

    // Not inlined, for the sake of valid requests.
    @inline(never)
    private static func missing(_ parameter: Parameter) -> DecodingError {
        .invalidRequest("\(method.rawValue) needs the parameter \(parameter.name)")
    }
}

protocol PlainRequest: RequestParameters where Parameter == NoParameter {
    init()
    static var request: Request { get }
}

extension PlainRequest {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        try readObject(from: &decoder) { _, _ in }
        return request
    }

    func write(into writer: inout ByteWriter) {}
}

enum NoParameter: IndexedMemberName {
    static let names = MemberNames(NoParameter.self)
    static let allCases: [NoParameter] = []

    init?(rawValue: UInt8) { nil }

    var rawValue: UInt8 { switch self {} }
}

// MARK: - Errors

extension DecodingError {
    /// An error of the request as a whole: a parameter is missing, or two parameters exclude each other. Its offset is the
    /// beginning of the line.
    static func invalidRequest(_ sentence: String) -> DecodingError { .invalid(sentence, at: 0) }

    var isOfWholeRequest: Bool { offset == 0 }
}
