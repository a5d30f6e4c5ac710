import DiffableJSON

/// The result of a method as a client reads it. Members that it does not know are passed over: the daemon may be newer.
package protocol DecodableReply: Sendable {
    init(from decoder: inout Decoder) throws(DecodingError)
}

extension DecodableReply {
    package init(json: [UInt8]) throws(DecodingError) {
        self = try json.withUnsafeBufferPointer { bytes throws(DecodingError) in
            var decoder = Decoder(UnsafeRawBufferPointer(bytes), limits: .client)
            let result = try Self(from: &decoder)
            try decoder.end()
            return result
        }
    }

    static func needed<Value>(_ value: Value?, _ name: StaticString) throws(DecodingError) -> Value {
        guard let value else { throw .invalid("the result needs \(name)", at: 0) }
        return value
    }
}

extension Decoder {
    /// Reads the object that a result is: `read` is handed each member that is known, and reads its value.
    @inline(__always)
    mutating func result<Member: MemberName>(
        _: Member.Type, _ read: (Member, inout Decoder) throws(DecodingError) -> Void
    ) throws(DecodingError) {
        try object("a result", Member.self, read)
    }

    mutating func names(_ what: StaticString) throws(DecodingError) -> [String] {
        try elements(what) { decoder throws(DecodingError) in try decoder.string("a name").text }
    }
}
