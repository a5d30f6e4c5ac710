#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A name that distinguishes things of one kind: 1 to 255 bytes of UTF-8 without control characters.
///
/// Identifiers are equal if their bytes are equal: `é` as one scalar and as two are different identifiers. An
/// identifier read from an item shares the item's storage and keeps it alive.
///
///     let milk = try ItemID("milk")
public struct Identifier<Named>: Sendable {
    package let record: Record

    package init(record: Record) {
        self.record = record
    }

    /// Throws if the string is not a valid identifier. O(length).
    public init(_ string: String) throws(IdentifierError) {
        var string = string
        let record = string.withUTF8 { utf8 in
            Result { () throws(IdentifierError) in
                try Record.make(validating: UnsafeRawBufferPointer(utf8))
            }
        }
        self.record = try record.get()
    }

    /// Takes bytes that are known to be UTF-8. Throws if they break another rule. O(length).
    /// - Parameter lengthMax: in bytes, at most 255.
    package init(
        validating utf8: UnsafeRawBufferPointer, lengthMax: Int = Record.idLengthMax
    ) throws(IdentifierError) {
        self.record = try Record.make(validating: utf8, lengthMax: lengthMax)
    }
}

extension Record {
    /// A record with an identifier only.
    fileprivate static func make(
        validating utf8: UnsafeRawBufferPointer, lengthMax: Int = idLengthMax
    ) throws(IdentifierError) -> Record {
        try IdentifierError.check(utf8, lengthMax: lengthMax)
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        return make(id: utf8, kind: none, content: none)
    }
}

/// The tag of `ItemID`; it has no values.
public enum ItemTag: Sendable {}
/// The tag of `SectionID`; it has no values.
public enum SectionTag: Sendable {}
/// The tag of `Kind`; it has no values.
public enum KindTag: Sendable {}
/// The tag of `ListName`; it has no values.
public enum ListTag: Sendable {}
/// The tag of `RequestKey`; it has no values.
public enum RequestTag: Sendable {}
/// The tag of `ActionName`; it has no values.
public enum ActionTag: Sendable {}
/// The tag of `MirrorSource`; it has no values.
public enum SourceTag: Sendable {}
/// The tag of `HostName`; it has no values.
public enum HostTag: Sendable {}

/// Identifies an item in a list, at any depth.
public typealias ItemID = Identifier<ItemTag>
/// Identifies a section in a list.
public typealias SectionID = Identifier<SectionTag>
/// The kind of an item, such as the cell type that draws it.
public typealias Kind = Identifier<KindTag>
/// Names a list.
public typealias ListName = Identifier<ListTag>
/// Identifies a request for a change, so that repeating the request does not repeat the change.
public typealias RequestKey = Identifier<RequestTag>
/// Names an action that a list's handler performs on request.
public typealias ActionName = Identifier<ActionTag>
/// The source of a mirror, for people: a host and a list, such as `build:jobs`.
public typealias MirrorSource = Identifier<SourceTag>
/// Names a host among the hosts that share lists.
public typealias HostName = Identifier<HostTag>

extension Identifier: Hashable {
    /// Whether the bytes are equal. O(length).
    public static func == (a: Identifier, b: Identifier) -> Bool { a.record.hasSameID(as: b.record) }

    /// Feeds a keyed hash of the bytes. O(length).
    public func hash(into hasher: inout Hasher) { hasher.combine(record.hash) }
}

extension Identifier: Comparable {
    /// Compares bytes.
    public static func < (a: Identifier, b: Identifier) -> Bool {
        a.record.withID { a in b.record.withID { b in a.lexicographicallyPrecedes(b) } }
    }
}

extension Identifier: CustomStringConvertible {
    /// The identifier as a string. O(length).
    public var description: String { record.withID { String(decoding: $0, as: UTF8.self) } }
}

extension Identifier: ExpressibleByStringLiteral {
    /// For literals in a program. An invalid one stops the program.
    public init(stringLiteral: String) {
        do { try self.init(stringLiteral) } catch {
            preconditionFailure("the literal \(stringLiteral.debugDescription) \(error)")
        }
    }
}

/// Why bytes are not an identifier.
public enum IdentifierError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The identifier is empty.
    case empty
    /// The length in bytes exceeds the limit.
    case tooLong(length: Int)
    /// There is a control character at this byte.
    case controlCharacter(offset: Int)

    /// Completes "the id …", and includes the limit that was exceeded.
    public var description: String {
        switch self {
        case .empty: "is empty; an identifier is 1 to \(Record.idLengthMax) bytes of UTF-8"
        case .tooLong(let length):
            "is \(length) bytes long; an identifier is 1 to \(Record.idLengthMax) bytes of UTF-8"
        case .controlCharacter(let offset):
            "has a control character at byte \(offset); remove it: identifiers must not have any"
        }
    }

    package static func check(
        _ utf8: UnsafeRawBufferPointer, lengthMax: Int = Record.idLengthMax
    ) throws(IdentifierError) {
        guard utf8.count > 0 else { throw .empty }
        guard utf8.count <= lengthMax else { throw .tooLong(length: utf8.count) }
        for offset in utf8.indices {
            let byte = utf8[offset]
            // Printable ASCII, the usual case.
            if byte &- 0x20 < 0x5F { continue }
            // U+0080 to U+009F are the bytes C2 80 to C2 9F.
            let isControl =
                byte < 0x20 || byte == 0x7F || byte & 0xE0 == 0x80 && offset > 0 && utf8[offset - 1] == 0xC2
            if isControl { throw .controlCharacter(offset: offset) }
        }
    }
}

// MARK: - Bytes

func equalBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    a.count == b.count && (a.count == 0 || memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0)
}

/// A keyed hash of an identifier, after Wang Yi's wyhash (folded 64-bit multiplication). The key is random in each
/// process, so that clients cannot choose colliding identifiers.
package func identifierHash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
    var hash = identifierHashKey.0 ^ UInt64(truncatingIfNeeded: bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
        hash = fold(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), identifierHashKey.1)
        offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
        rest = rest << 8 | UInt64(bytes[offset])
        offset += 1
    }
    hash = fold(hash ^ rest, identifierHashKey.1)
    return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
}

/// Derived from the standard library's random key. With `SWIFT_DETERMINISTIC_HASHING` it is fixed, for counting instructions.
private let identifierHashKey: (UInt64, UInt64) = {
    func part(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
    return (part(0), part(1) | 1)
}()
