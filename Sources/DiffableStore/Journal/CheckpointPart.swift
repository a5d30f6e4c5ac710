import Diffable
import DiffableJSON

// A part of a checkpoint is read in one pass, straight into a snapshot, because the start of the daemon waits for it.
// So it is not JSON. It has the list's own content, if there is any, and then the sections and items one after the other in
// the order of the document, each as
//
//     1 byte   0 for a section; for an item one more than its level, and 128 more when it is expanded; 128 for the list
//     1 byte   the length of the id, 0 for the list
//     1 byte   the length of the kind, 0 for none
//     4 bytes  the length of the content, 0 for none, the lowest byte first
//              the id, the kind and the content

/// The heading of each element of a part.
private struct ElementHeading {
    static let length = 7
    private static let expanded: UInt8 = 128

    /// -1 for a section, and for the list.
    var level: Int
    /// Of what is no item: whether it is the list.
    var isExpanded = false
    var idLength: Int
    var kindLength: Int
    var contentLength: Int

    /// The length of the whole element, in bytes.
    var elementLength: Int { Self.length + idLength + kindLength + contentLength }

    init(_ record: Record, level: Int, isExpanded: Bool) {
        self.level = level
        self.isExpanded = isExpanded
        idLength = record.withID(\.count)
        kindLength = record.withKind(\.count)
        contentLength = record.contentLength
    }

    /// Nil when the bytes are too few for a heading.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.length else { return nil }
        level = Int(bytes[0] & ~Self.expanded) - 1
        isExpanded = bytes[0] & Self.expanded != 0
        idLength = Int(bytes[1])
        kindLength = Int(bytes[2])
        contentLength = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 3, as: UInt32.self)))
    }

    func write(into part: inout ByteWriter) {
        precondition(level + 1 < Self.expanded, "levels are limited to far fewer")
        part.append(byte: UInt8(level + 1) | (isExpanded ? Self.expanded : 0))
        part.append(byte: UInt8(idLength))
        part.append(byte: UInt8(kindLength))
        withUnsafeBytes(of: UInt32(contentLength).littleEndian) { part.append($0) }
    }
}

// MARK: - Writing

/// A snapshot in parts of limited length.
struct CheckpointParts {
    /// What the list has of its own, as long as it is to be written.
    private var list: Record?
    private var cursor: SnapshotCursor
    /// What the next part begins with.
    private var pending: SnapshotCursor.Element?
    /// In bytes; one element is longer if it must be.
    private let lengthMax: Int
    private var isBegun = false

    init(of snapshot: Snapshot, lengthMax: Int) {
        list = snapshot.listRecord
        cursor = SnapshotCursor(snapshot)
        pending = cursor.next()
        self.lengthMax = lengthMax
    }

    /// There is always a first part, even if it is empty.
    var isDone: Bool { isBegun && pending == nil }

    mutating func writeNext(into part: inout ByteWriter) {
        isBegun = true
        if let list {
            Self.write(list, ElementHeading(list, level: -1, isExpanded: true), into: &part)
            self.list = nil
        }
        while let element = pending {
            let (record, heading) = Self.heading(of: element)
            if part.count > 0, part.count + heading.elementLength > lengthMax { return }
            Self.write(record, heading, into: &part)
            pending = cursor.next()
        }
    }

    private static func write(_ record: Record, _ heading: ElementHeading, into part: inout ByteWriter) {
        heading.write(into: &part)
        record.withID { part.append($0) }
        record.withKind { part.append($0) }
        record.withContent { part.append($0) }
    }

    private static func heading(of element: SnapshotCursor.Element) -> (Record, ElementHeading) {
        switch element {
        case .section(let record): (record, ElementHeading(record, level: -1, isExpanded: false))
        case .item(let record, let level, let isExpanded, _):
            (record, ElementHeading(record, level: level, isExpanded: isExpanded))
        }
    }
}

// MARK: - Reading

/// Why a part cannot be read.
enum CheckpointPartError: Error {
    /// It ends within an element, or an item has no place.
    case malformed
    /// It is not what was written.
    case altered
    case state(OperationError)
}

extension CheckpointPartError: CustomStringConvertible {
    var description: String {
        switch self {
        case .malformed: "a part of its checkpoint is malformed"
        case .altered: "a part of its checkpoint has a wrong checksum"
        case .state(let error): "\(error)"
        }
    }
}

/// The elements of a part, with their records. Making records is most of the work and needs nothing of other parts, so
/// any thread can do it.
struct CheckpointElements: Sendable {
    fileprivate struct Element: Sendable {
        var record: Record
        var hash: UInt32
        /// -1 for a section.
        var level: Int8
        var isExpanded: Bool
    }

    /// What the list has of its own, if the part says it.
    fileprivate private(set) var list: Record?

    fileprivate private(set) var elements: [Element] = []

    init(part: UnsafeRawBufferPointer) throws(CheckpointPartError) {
        var rest = part
        while rest.count > 0 {
            guard let heading = ElementHeading(rest), heading.elementLength <= rest.count else { throw .malformed }
            let isList = heading.level < 0 && heading.isExpanded
            guard isList ? isFirst(heading) : heading.idLength > 0 else { throw .malformed }
            var offset = ElementHeading.length
            let id = UnsafeRawBufferPointer(rebasing: rest[offset..<offset + heading.idLength])
            offset += heading.idLength
            let kind = UnsafeRawBufferPointer(rebasing: rest[offset..<offset + heading.kindLength])
            offset += heading.kindLength
            let content = UnsafeRawBufferPointer(rebasing: rest[offset..<offset + heading.contentLength])
            offset += heading.contentLength
            let record = Record.make(id: id, kind: kind, content: content)
            if isList {
                list = record
            } else {
                elements.append(
                    Element(
                        record: record, hash: identifierHash(id), level: Int8(truncatingIfNeeded: heading.level),
                        isExpanded: heading.isExpanded))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[offset...])
        }
    }

    /// Whether the list's own content may stand here: nothing is before it, and it is nothing but content.
    private func isFirst(_ heading: ElementHeading) -> Bool {
        list == nil && elements.isEmpty && heading.idLength == 0 && heading.kindLength == 0 && heading.contentLength > 0
    }
}

extension SnapshotBuilder {
    /// Appends the elements of a part.
    mutating func append(part: UnsafeRawBufferPointer) throws(CheckpointPartError) {
        try append(CheckpointElements(part: part))
    }

    mutating func append(_ part: CheckpointElements) throws(CheckpointPartError) {
        if let list = part.list {
            guard isEmpty else { throw .malformed }
            set(list: list)
        }
        for element in part.elements {
            let level = Int(element.level)
            guard level <= levelMax else { throw .malformed }
            if level < 0 {
                do throws(OperationError) {
                    try append(section: element.record)
                } catch {
                    throw .state(error)
                }
            } else {
                append(item: element.record, hash: element.hash, level: level, isExpanded: element.isExpanded)
            }
        }
    }
}
