import Diffable
import DiffableJSON

/// What a request of one method says: how the daemon reads it, how a client writes it, and what `help` tells of it.
///
/// Each conformer is a file of `Methods/`, which has the method's reply too. `Method.parameters` is the table of them.
protocol RequestParameters: Sendable {
    /// The parameters, named as on the wire, in the order in which `help` tells them.
    associatedtype Parameter: IndexedMemberName

    static var method: Method { get }
    /// Without them the request says nothing. `help` marks the others as optional.
    static var required: [Parameter] { get }
    /// What the method does, for `help`.
    static var summary: String { get }
    /// Whether the method is about the lists that the daemon keeps, and not about the daemon.
    static var needsLists: Bool { get }

    /// Reads the object that holds the parameters.
    ///
    /// - Parameter list: is set as soon as the list's name is read, because an error that follows names the list.
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request

    /// Writes the parameters without the braces around them.
    func write(into writer: inout ByteWriter)
}

extension RequestParameters {
    static var needsLists: Bool { true }
    static var required: [Parameter] { [] }

    static var requiredNames: [String] { required.map(\.name) }
    static var optionalNames: [String] { Parameter.allCases.filter { !required.contains($0) }.map(\.name) }

    /// Reads the object: `read` is handed each parameter as it comes, and reads its value.
    @inline(__always)
    static func readObject(
        from decoder: inout Decoder, _ read: (Parameter, inout Decoder) throws(DecodingError) -> Void
    ) throws(DecodingError) {
        try decoder.object(method.rawValue, Parameter.self, read)
    }

    /// The value of a parameter that the request cannot do without.
    static func needed<Value>(_ value: Value?, _ parameter: Parameter) throws(DecodingError) -> Value {
        guard let value else { throw .invalidRequest("\(method.rawValue) needs \(parameter.name)") }
        return value
    }
}

/// A method without parameters.
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
    /// What is wrong with a request as a whole: something is missing, or two parameters exclude each other. Its place is
    /// the beginning of the line.
    static func invalidRequest(_ sentence: String) -> DecodingError { .invalid(sentence, at: 0) }

    var isOfWholeRequest: Bool { offset == 0 }
}
