import Diffable
import DiffableJSON

private enum EnvelopeMember: UInt8, MemberName {
    case jsonrpc, id, method, params

    /// `"id":null` asks for a reply with that id.
    var takesNull: Bool { self == .id }

    private static let names = MemberNames(EnvelopeMember.self)

    static func named(_ name: JSONString) -> EnvelopeMember? { names.number(of: name).flatMap(Self.init(rawValue:)) }
}

/// The outer object of a request, and the stage of reading it, which determines the error.
struct RequestEnvelope: ~Copyable {
    private(set) var id = RequestID.absent
    private var method: Method?
    /// The request's list, once its name is read, because errors contain it.
    private var list: ListName?
    private var stage = Stage.envelope

    private enum Stage {
        case envelope, method, params
    }

    /// Reads the line in one pass.
    mutating func read(_ line: UnsafeRawBufferPointer, limits: DecodingLimits) throws(DecodingError) -> Request {
        var decoder = Decoder(line, limits: limits)
        var request: Request?
        try decoder.object("a request", EnvelopeMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .jsonrpc: try decoder.protocolVersion()
            case .id: id = try decoder.requestID()
            case .method: method = try readMethod(from: &decoder)
            case .params: request = try readParams(from: &decoder, line: line)
            }
        }
        try decoder.end()
        if let request { return request }
        guard let method else { throw .invalid("a request needs a method", at: 0) }
        stage = .params
        return try method.request(emptyObject, limits: limits)
    }

    private mutating func readMethod(from decoder: inout Decoder) throws(DecodingError) -> Method {
        let string = try decoder.string("method")
        stage = .method
        guard let method = Method.named(string) else { throw Method.unknown(string.text, at: string.offset) }
        stage = .envelope
        return method
    }

    private mutating func readParams(
        from decoder: inout Decoder, line: UnsafeRawBufferPointer
    ) throws(DecodingError) -> Request? {
        // Members may have any order, so the method is looked for if it has not been read yet.
        if method == nil { method = try methodAfter(decoder, line: line) }
        // A missing method is an error after the whole line has been read.
        guard let method else {
            try decoder.scan { scanner throws(JSONError) in try scanner.skipValue() }
            return nil
        }
        stage = .params
        guard decoder.scanner.peek() == UInt8(ascii: "{") else {
            throw decoder.unexpected("params of the method \"\(method.rawValue)\"", "an object (with named members)")
        }
        let request = try method.parameters.read(from: &decoder, list: &list)
        stage = .envelope
        return request
    }

    private mutating func methodAfter(
        _ decoder: Decoder, line: UnsafeRawBufferPointer
    ) throws(DecodingError) -> Method? {
        var ahead = Decoder(line, limits: decoder.limits)
        var object = try ahead.scan { scanner throws(JSONError) in try scanner.beginObject() }
        while let name = try ahead.scan({ scanner throws(JSONError) in try scanner.nextMember(of: &object) }) {
            if "method" ~= name { return try ahead.readNull() ? nil : try readMethod(from: &ahead) }
            try ahead.scan { scanner throws(JSONError) in try scanner.skipValue() }
        }
        return nil
    }

    // MARK: - Errors

    func wireError(_ error: DecodingError) -> WireError {
        var error = error
        let invalid: WireError.Code =
            switch stage {
            case .envelope: .invalidRequest
            case .method: .methodNotFound
            case .params: .invalidParams
            }
        // Paths begin at the parameters: `operations[3].items[0].id`. An error of the whole request has none.
        if error.path.hasPrefix("params.") { error.path.removeFirst("params.".count) }
        if error.isOfWholeRequest { error.path = "" }
        return WireError(error, list: list, invalid: invalid)
    }

    /// Checks the whole line, and finds the id for the error reply.
    static func id(of line: UnsafeRawBufferPointer, limits: DecodingLimits) throws(JSONError) -> RequestID {
        var decoder = Decoder(line, limits: limits)
        var id = RequestID.absent
        var object = try decoder.scanner.beginObject()
        while let name = try decoder.scanner.nextMember(of: &object) {
            let ahead = decoder
            // First, so that the text examined below is known to be JSON.
            try decoder.scanner.skipValue()
            if "id" ~= name { id = Self.id(at: ahead) }
        }
        try decoder.scanner.end()
        return id
    }

    /// `null` for an invalid id.
    private static func id(at decoder: Decoder) -> RequestID {
        var decoder = decoder
        do throws(DecodingError) { return try decoder.requestID() } catch { return .null }
    }
}

extension Decoder {
    mutating func protocolVersion() throws(DecodingError) {
        let version = try string("jsonrpc")
        guard "2.0" ~= version else {
            throw .invalid("jsonrpc must be \"2.0\" or left out, not \(version.text.quoted)", at: version.offset)
        }
    }
}

private let emptyObject = Array("{}".utf8)

extension Method {
    func request(_ parameters: [UInt8], limits: DecodingLimits) throws(DecodingError) -> Request {
        try parameters.withUnsafeBufferPointer { text throws(DecodingError) in
            var decoder = Decoder(UnsafeRawBufferPointer(text), limits: limits)
            var list: ListName?
            return try self.parameters.read(from: &decoder, list: &list)
        }
    }

    static func unknown(_ name: String, at offset: Int) -> DecodingError {
        let names = Method.allCases.map(\.rawValue)
        let advice =
            nearestName(to: name, among: names).map { "did you mean \"\($0)\"?" }
            ?? "there are \(names.joined(separator: ", "))"
        return .invalid("there is no method \(name.quoted); \(advice)", at: offset)
    }
}
