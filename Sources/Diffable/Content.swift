/// The content of an item or a section: bytes that this module never interprets. Contents are equal when their bytes
/// are.
///
/// On the wire they are a JSON value without insignificant white space; `DiffableJSON` makes them from text and
/// checks them. "No content" is `nil`, never an empty `Content`.
public struct Content: Hashable, Sendable {
    /// What it consists of; at least one byte.
    public let bytes: [UInt8]

    /// Takes bytes as they are. An empty sequence is refused: it would be no content.
    public init(_ bytes: [UInt8]) {
        precondition(!bytes.isEmpty, "content is at least one byte; use nil for no content")
        self.bytes = bytes
    }
}

extension Content: CustomStringConvertible {
    /// Its bytes as text; what is no UTF-8 in them is replaced. O(length).
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
