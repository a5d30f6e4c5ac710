import Diffable
import DiffableJSON

/// A canonical difference as bytes.
///
/// Contents that are changed are most of what happens to lists, and mostly little of one is new: of each there is what is between
/// the beginning and the end that both contents have. Everything else is JSON, as in the journal.
struct PackedOperations: Sendable {
    let form: Form
    let bytes: [UInt8]

    enum Form: UInt8 {
        /// One operation, which reconfigures items. Of each item there is
        ///
        ///     the length of the id, and the id
        ///     the length of the beginning that both contents have, and of the end
        ///     the length of what is between them in the new content, and that
        case contents = 1
        case json
    }

    /// More is not kept, in bytes: making it anew would take others' time.
    static let lengthMax = 64 << 10

    /// Nil when they are too long.
    /// - Parameters:
    ///   - revision: what they lead to.
    ///   - before: the state that they are applied to.
    ///   - json: the same as in the journal.
    init?(
        _ operations: [ListOperation], to revision: Revision, from before: Snapshot,
        json: @autoclosure () -> [UInt8]
    ) {
        if revision.length > Self.lengthMax { return nil }
        if operations.count == 1, case .reconfigureItems(let changes) = operations[0],
            let contents = Self.contents(changes, from: before)
        {
            (form, bytes) = (.contents, contents)
        } else {
            (form, bytes) = (.json, json())
        }
        if bytes.count > Self.lengthMax { return nil }
    }

    /// Nil when a content comes or goes, or is to be drawn again.
    private static func contents(_ changes: [ItemReconfiguration], from before: Snapshot) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        for change in changes {
            guard case .some(.some(let content)) = change.content, let record = before.record(of: change.id) else {
                return nil
            }
            change.id.record.withID { id in
                bytes.append(number: UInt64(id.count))
                bytes += id
            }
            content.bytes.withUnsafeBytes { new in
                record.withContent { old in
                    let (beginning, end) = commonEnds(old, new)
                    bytes.append(number: UInt64(beginning))
                    bytes.append(number: UInt64(end))
                    bytes.append(number: UInt64(new.count - beginning - end))
                    bytes += new[beginning..<new.count - end]
                }
            }
            if bytes.count > lengthMax { break }
        }
        return bytes
    }

    private static func commonEnds(
        _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer
    ) -> (beginning: Int, end: Int) {
        let max = min(old.count, new.count)
        var beginning = 0
        while beginning + 8 <= max, old.word(at: beginning) == new.word(at: beginning) { beginning += 8 }
        while beginning < max, old[beginning] == new[beginning] { beginning += 1 }
        var end = 0
        while end + 8 <= max - beginning, old.word(at: old.count - end - 8) == new.word(at: new.count - end - 8) {
            end += 8
        }
        while end < max - beginning, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        return (beginning, end)
    }

    /// - Parameter before: the state that they were packed from. Nil if it is another.
    static func read(_ form: Form, _ bytes: UnsafeRawBufferPointer, from before: Snapshot) -> [ListOperation]? {
        switch form {
        case .json: return try? [ListOperation](json: bytes, limits: .journal)
        case .contents:
            var changes: [ItemReconfiguration] = []
            var reader = PackedReader(bytes)
            while !reader.isAtEnd {
                let id = reader.bytes(Int(reader.number()))
                let (beginning, end) = (Int(reader.number()), Int(reader.number()))
                let middle = reader.bytes(Int(reader.number()))
                guard let id = try? ItemID(validating: id), let record = before.record(of: id),
                    record.contentLength >= beginning + end
                else { return nil }
                let content = record.withContent { old in
                    Content(Array(old[..<beginning]) + Array(middle) + Array(old[(old.count - end)...]))
                }
                changes.append(ItemReconfiguration(id: id, content: .some(content)))
            }
            return [.reconfigureItems(changes)]
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func word(at offset: Int) -> UInt64 { loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
}
