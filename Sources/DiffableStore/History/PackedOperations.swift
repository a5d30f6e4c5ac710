import Diffable
import DiffableJSON

/// A diff in canonical form (docs/protocol-operations.md), as bytes.
///
/// Most changes modify contents, and usually only a small part of one. So for changed contents only the part between
/// the common prefix and the common suffix is stored. All other operations are JSON, as in the journal.
struct PackedOperations: Sendable {
    let encoding: Encoding
    let bytes: [UInt8]

    enum Encoding: UInt8 {
        /// A single operation that reconfigures items. Each item has
        ///
        ///     the length of the id, and the id
        ///     the lengths of the common prefix and of the common suffix
        ///     the length of the new content between them, and that content
        case contents = 1
        case json
    }

    /// In bytes. Longer operations are not kept, because applying them again would delay other requests.
    static let lengthMax = 64 << 10

    /// Nil if they are too long.
    /// - Parameters:
    ///   - revision: the revision they lead to.
    ///   - before: the state they are applied to.
    ///   - json: their form in the journal.
    init?(
        _ operations: [ListOperation], to revision: Revision, from before: Snapshot,
        json: @autoclosure () -> [UInt8]
    ) {
        if revision.length > Self.lengthMax { return nil }
        if operations.count == 1, case .reconfigureItems(let changes) = operations[0],
            let contents = Self.contents(changes, from: before)
        {
            (encoding, bytes) = (.contents, contents)
        } else {
            (encoding, bytes) = (.json, json())
        }
        if bytes.count > Self.lengthMax { return nil }
    }

    /// Nil if a content is added or removed, or an item is only redrawn.
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

    /// - Parameter before: the state they were packed from. Nil is returned for a different one.
    static func unpack(_ encoding: Encoding, _ bytes: UnsafeRawBufferPointer, from before: Snapshot) -> [ListOperation]?
    {
        switch encoding {
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
