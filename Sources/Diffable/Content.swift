/// What an item or a section shows: bytes that this module never looks into, equal when they are equal byte for byte.
///
/// On the wire they are a JSON value without insignificant white space; `DiffableJSON` makes them from text and
/// checks them. "No content" is `nil`, never an empty `Content`.
public struct Content: Hashable, Sendable {
    public let bytes: [UInt8]

    /// Takes bytes as they are. An empty sequence is refused: it would be no content.
    public init(_ bytes: [UInt8]) {
        precondition(!bytes.isEmpty, "content is at least one byte; use nil for no content")
        self.bytes = bytes
    }
}

extension Content: CustomStringConvertible {
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
