import Diffable
import DiffableJSON

// A part of a checkpoint is read in one pass, straight into a snapshot, because the start of the daemon waits for it.
// So it is no JSON: it has the sections and items one after the other in the order of the document, each as
//
//     1 byte   0 for a section; for an item one more than its level, and 128 more when it is expanded
//     1 byte   the length of the id
//     1 byte   the length of the kind, 0 for none
//     4 bytes  the length of the content, 0 for none, the lowest byte first
//              the id, the kind and the content

/// What stands before each element of a part.
private struct ElementHeading {
    static let length = 7
    private static let expanded: UInt8 = 128

    /// -1 for a section.
    var level: Int
    var isExpanded = false
    var idLength: Int
    var kindLength: Int
    var contentLength: Int

    /// How long the element is as a whole.
    var elementLength: Int { Self.length + idLength + kindLength + contentLength }

    init(_ record: Record, level: Int, isExpanded: Bool) {
        self.level = level
        self.isExpanded = isExpanded
        idLength = record.withID(\.count)
        kindLength = record.withKind(\.count)
        contentLength = record.contentLength
    }

    /// Nil when there is not even room for the heading.
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
    private var cursor: SnapshotCursor
    /// What the next part begins with.
    private var pending: SnapshotCursor.Element?
    /// In bytes; one element is longer if it must be.
    private let lengthMax: Int
    private var isBegun = false

    init(of snapshot: Snapshot, lengthMax: Int) {
        cursor = SnapshotCursor(snapshot)
        pending = cursor.next()
        self.lengthMax = lengthMax
    }

    /// There is always a first part, if only an empty one.
    var isDone: Bool { isBegun && pending == nil }

    mutating func writeNext(into part: inout ByteWriter) {
        isBegun = true
        while let element = pending {
            let (record, heading) = Self.heading(of: element)
            if part.count > 0, part.count + heading.elementLength > lengthMax { return }
            heading.write(into: &part)
            record.withID { part.append($0) }
            record.withKind { part.append($0) }
            record.withContent { part.append($0) }
            pending = cursor.next()
        }
    }

    private static func heading(of element: SnapshotCursor.Element) -> (Record, ElementHeading) {
        switch element {
        case .section(let record): (record, ElementHeading(record, level: -1, isExpanded: false))
        case .item(let record, let level, let isExpanded):
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
        case .malformed: "a part of its checkpoint makes no sense"
        case .altered: "a part of its checkpoint is not what was written"
        case .state(let error): "\(error)"
        }
    }
}

/// What a part holds, with its records made. That is most of the work, and needs nothing of what came before, so it can
/// be done on any thread.
struct CheckpointElements: Sendable {
    fileprivate struct Element: Sendable {
        var record: Record
        var hash: UInt32
        /// -1 for a section.
        var level: Int8
        var isExpanded: Bool
    }

    fileprivate private(set) var elements: [Element] = []

    init(part: UnsafeRawBufferPointer) throws(CheckpointPartError) {
        var rest = part
        while rest.count > 0 {
            guard let heading = ElementHeading(rest), heading.elementLength <= rest.count, heading.idLength > 0 else {
                throw .malformed
            }
            var offset = ElementHeading.length
            let id = UnsafeRawBufferPointer(rebasing: rest[offset..<offset + heading.idLength])
            offset += heading.idLength
            let kind = UnsafeRawBufferPointer(rebasing: rest[offset..<offset + heading.kindLength])
            offset += heading.kindLength
            let content = UnsafeRawBufferPointer(rebasing: rest[offset..<offset + heading.contentLength])
            offset += heading.contentLength
            elements.append(
                Element(
                    record: Record.make(id: id, kind: kind, content: content), hash: identifierHash(id),
                    level: Int8(truncatingIfNeeded: heading.level), isExpanded: heading.isExpanded))
            rest = UnsafeRawBufferPointer(rebasing: rest[offset...])
        }
    }
}

extension SnapshotBuilder {
    /// Appends what a part holds.
    mutating func append(part: UnsafeRawBufferPointer) throws(CheckpointPartError) {
        try append(CheckpointElements(part: part))
    }

    mutating func append(_ part: CheckpointElements) throws(CheckpointPartError) {
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
