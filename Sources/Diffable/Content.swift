/// The content of an item, a section or a list: bytes that this module does not interpret. Contents are equal if their
/// bytes are equal.
///
/// In the protocol they are a JSON value without insignificant white space. `DiffableJSON` makes them from text and
/// validates them. "No content" is `nil`, never an empty `Content`.
public struct Content: Hashable, Sendable {
    /// At least one byte.
    public let bytes: [UInt8]

    /// Takes the bytes unchanged. They must not be empty; use nil for no content.
    public init(_ bytes: [UInt8]) {
        precondition(!bytes.isEmpty, "content is at least one byte; use nil for no content")
        self.bytes = bytes
    }
}

extension Content: CustomStringConvertible {
    /// The bytes as text. Invalid UTF-8 is replaced. O(length).
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
