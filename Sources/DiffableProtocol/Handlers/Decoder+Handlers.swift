import Diffable
import DiffableJSON

extension Decoder {
    /// The timeout for a response, in milliseconds.
    mutating func timeout() throws(DecodingError) -> Int {
        try wholeNumber("timeout", in: Request.timeoutRange, units: " number of milliseconds")
    }

    /// Any value, without insignificant white space. The daemon does not interpret it.
    mutating func uninterpreted(limit: String, max: Int) throws(DecodingError) -> [UInt8] {
        let value = try scan { scanner throws(JSONError) in try scanner.value() }
        return try value.withCompactBytes { bytes throws(DecodingError) in
            guard bytes.count <= max else { throw DecodingError(.tooLarge(limit: limit, max: max), at: value.offset) }
            return [UInt8](bytes)
        }
    }

    mutating func itemIDs() throws(DecodingError) -> [ItemID] {
        try elements("items") { decoder throws(DecodingError) in try decoder.identifier("an item") }
    }

    mutating func arguments() throws(DecodingError) -> [UInt8] {
        try uninterpreted(limit: "argumentsLengthMax", max: limits.argumentsLengthMax)
    }

    /// `"perform"`, `"propose"` or `"expand"`; nil for a kind that only a newer daemon knows.
    mutating func handledKind() throws(DecodingError) -> HandlerRequestKind? {
        let string = try string("a request")
        if let kind = HandlerRequestKind(rawValue: string.text) { return kind }
        if limits.unknownMembers == .areIgnored { return nil }
        throw .invalid(
            "a request must be \"perform\", \"propose\" or \"expand\", not \(string.text.quoted)", at: string.offset)
    }

    mutating func handledKinds(_ what: StaticString) throws(DecodingError) -> Set<HandlerRequestKind> {
        var kinds: Set<HandlerRequestKind> = []
        try array(what) { _, decoder throws(DecodingError) in
            if let kind = try decoder.handledKind() { kinds.insert(kind) }
        }
        return kinds
    }

    mutating func actionNames() throws(DecodingError) -> [ActionName] {
        let max = limits.actionsPerHandlerMax
        var actions: [ActionName] = []
        try array("actions") { index, decoder throws(DecodingError) in
            guard index < max else {
                throw DecodingError(.tooLarge(limit: "actionsPerHandlerMax", max: max), at: decoder.scanner.offset)
            }
            actions.append(try decoder.identifier("an action"))
        }
        return actions
    }
}

extension Request {
    /// The allowed timeouts for a response, in milliseconds.
    package static let timeoutRange = Perform.timeoutRange
    /// The timeout of a request that gives none, in milliseconds.
    package static let timeoutUsual = Perform.timeoutDefault
}

extension ByteWriter {
    /// In the order of `HandlerRequestKind`.
    mutating func appendArray(_ kinds: Set<HandlerRequestKind>) {
        appendArray(HandlerRequestKind.allCases.filter(kinds.contains)) { kind, writer in
            writer.appendString(kind.rawValue)
        }
    }

    mutating func appendArray(_ actions: [ActionName]) {
        appendArray(actions) { action, writer in writer.appendString(action) }
    }
}
