import DiffableJSON

/// The result of a method as a client decodes it. Unknown members are skipped: the daemon may be newer.
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
        guard let value else { throw .invalid("the result in the reply lacks \(name)", at: 0) }
        return value
    }
}

extension Decoder {
    /// Reads the object of a result: `read` is called with each known member, and reads its value.
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
