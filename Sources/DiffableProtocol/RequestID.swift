import DiffableJSON

package enum RequestID: Hashable, Sendable {
    /// A request without an id gets no reply, not even an error.
    case absent
    /// For a shorthand request, for one with a null id, and for one with an unreadable id.
    case null
    case number(Int)
    /// JSON text with its quotes, as it was received.
    case string([UInt8])
}

extension ByteWriter {
    /// `{"jsonrpc":"2.0","id":…`
    mutating func beginReply(_ id: RequestID) {
        append(#"{"jsonrpc":"2.0","id":"#)
        append(id)
    }

    mutating func append(_ id: RequestID) {
        switch id {
        case .absent, .null: append("null")
        case .number(let number): append(number)
        case .string(let text): append(text)
        }
    }
}

/// Bytes, with the quotes: it is part of the reply, which is a line of limited length.
private let requestIDLengthMax = 1024

extension Decoder {
    mutating func requestID() throws(DecodingError) -> RequestID {
        switch scanner.peek() {
        case UInt8(ascii: "n"):
            _ = try readNull()
            return .null
        case UInt8(ascii: "\""):
            let value = try scan { scanner throws(JSONError) in try scanner.value() }
            guard value.bytes.count <= requestIDLengthMax else {
                throw .invalid(
                    "id (of the request) is longer than \(requestIDLengthMax) bytes; use a shorter one",
                    at: value.offset)
            }
            return .string([UInt8](value.bytes))
        default:
            let before = scanner
            do throws(JSONError) {
                return .number(try scanner.integer())
            } catch {
                scanner = before
                throw unexpected("id", "a string, null or a 64-bit integer")
            }
        }
    }
}
