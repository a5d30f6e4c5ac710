/// The stored form of an item or a section: its id, kind and content in one immutable allocation.
///
/// A record is shared by all snapshots, identifiers and operations that contain it. Its overhead is only 20 bytes,
/// which matters with a million items.
package struct Record: @unchecked Sendable {
    // Unchecked, because a ManagedBuffer is mutable; but nothing writes to it after `make` has returned.
    let buffer: ManagedBuffer<Header, UInt8>

    /// Followed by the id, the kind and the content. Rare properties precede these, in an `Extension`.
    struct Header: Equatable {
        var idLength: UInt8
        /// Zero for no kind.
        var kindLength: UInt8
        /// Zero for no content.
        var contentLength: UInt16

        /// The value of `contentLength` if there is an extension, which has the real length.
        static let isExtended = UInt16.max

        /// The length of id, kind and content, in bytes. Nil for a record with an extension, which is long or rare.
        var length: Int? {
            contentLength == Header.isExtended ? nil : Int(idLength) + Int(kindLength) + Int(contentLength)
        }
    }

    private struct Extension {
        var contentLength: UInt32
        var redraws: Redraws

        static let size = MemoryLayout<Extension>.size
    }

    /// The last requests to redraw this item without changing it: their numbers according to `Snapshot.redrawsAsked`.
    /// Zero for none.
    ///
    /// They are not part of equality. The diff of two snapshots uses them to find new requests.
    package struct Redraws: Equatable {
        var reconfiguration: UInt64 = 0
        var reload: UInt64 = 0
    }

    package static let idLengthMax = 255

    /// Copies the bytes, which have to be valid.
    package static func make(
        id: UnsafeRawBufferPointer, kind: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer,
        redraws: Redraws = Redraws()
    ) -> Record {
        precondition(id.count <= idLengthMax && kind.count <= idLengthMax, "an identifier is at most 255 bytes")
        precondition(content.count <= UInt32.max, "content is less than 4 GiB")
        let isExtended = content.count >= Header.isExtended || redraws != Redraws()
        let count = (isExtended ? Extension.size : 0) + id.count + kind.count + content.count
        let buffer = ManagedBuffer<Header, UInt8>.create(minimumCapacity: count) { _ in
            Header(
                idLength: UInt8(id.count), kindLength: UInt8(kind.count),
                contentLength: isExtended ? Header.isExtended : UInt16(content.count))
        }
        buffer.withUnsafeMutablePointerToElements { elements in
            var target = UnsafeMutableRawPointer(elements)
            if isExtended {
                let more = Extension(contentLength: UInt32(content.count), redraws: redraws)
                target.storeBytes(of: more, as: Extension.self)
                target += Extension.size
            }
            func append(_ part: UnsafeRawBufferPointer) {
                guard part.count > 0 else { return }
                target.copyMemory(from: part.baseAddress!, byteCount: part.count)
                target += part.count
            }
            append(id)
            append(kind)
            append(content)
        }
        return Record(buffer: buffer)
    }

    /// The parts of a record. Valid while the record is retained.
    struct Layout {
        var bytes: UnsafeRawPointer
        var idLength: Int
        var kindLength: Int
        var contentLength: Int
        var redraws: Redraws

        var lengthCounted: Int { 64 + idLength + kindLength + contentLength }
    }

    private var layout: Layout { Record.layout(buffer) }

    static func layout(_ buffer: ManagedBuffer<Header, UInt8>) -> Layout {
        buffer.withUnsafeMutablePointers { header, elements in
            let header = header.pointee
            var layout = Layout(
                bytes: UnsafeRawPointer(elements), idLength: Int(header.idLength), kindLength: Int(header.kindLength),
                contentLength: Int(header.contentLength), redraws: Redraws())
            if header.contentLength == Header.isExtended {
                let more = layout.bytes.loadUnaligned(as: Extension.self)
                layout.bytes += Extension.size
                layout.contentLength = Int(more.contentLength)
                layout.redraws = more.redraws
            }
            return layout
        }
    }

    /// A hash of the id, keyed per process. O(length of the id).
    package var hash: UInt32 { withID(identifierHash) }
    package var redraws: Redraws { layout.redraws }
    package var hasKind: Bool { layout.kindLength > 0 }
    package var hasContent: Bool { layout.contentLength > 0 }
    package var contentLength: Int { layout.contentLength }
    /// The size that counts towards limits: the bytes, and an approximate overhead of 64.
    var lengthCounted: Int { layout.lengthCounted }

    package func withID<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let layout = layout
        return try withBytes(layout, from: 0, count: layout.idLength, body)
    }

    package func withKind<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let layout = layout
        return try withBytes(layout, from: layout.idLength, count: layout.kindLength, body)
    }

    package func withContent<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let layout = layout
        return try withBytes(layout, from: layout.idLength + layout.kindLength, count: layout.contentLength, body)
    }

    private func withBytes<R, E: Error>(
        _ layout: Layout, from offset: Int, count: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        defer { withExtendedLifetime(buffer) {} }
        return try body(UnsafeRawBufferPointer(start: layout.bytes + offset, count: count))
    }
}

// MARK: - Comparing

extension Record {
    /// Whether both are the same allocation.
    package func isShared(with other: Record) -> Bool { buffer === other.buffer }

    package func hasSameID(as other: Record) -> Bool {
        isShared(with: other)
            || withID { mine in other.withID { equalBytes(mine, $0) } }
    }

    package func hasSameKind(as other: Record) -> Bool {
        isShared(with: other) || withKind { mine in other.withKind { equalBytes(mine, $0) } }
    }

    package func hasSameContent(as other: Record) -> Bool {
        isShared(with: other) || withContent { mine in other.withContent { equalBytes(mine, $0) } }
    }
}

// MARK: - Changing, by making another

extension Record {
    /// A copy with other parts; `nil` keeps a part. Returns itself if nothing changes.
    func rewritten(
        kind: UnsafeRawBufferPointer? = nil, content: UnsafeRawBufferPointer? = nil, redraws: Redraws? = nil
    ) -> Record {
        withID { id in
            withKind { oldKind in
                withContent { oldContent in
                    // Kept parts need no comparison.
                    let isSame =
                        (redraws.map { $0 == self.redraws } ?? true) && (kind.map { equalBytes($0, oldKind) } ?? true)
                        && (content.map { equalBytes($0, oldContent) } ?? true)
                    if isSame { return self }
                    return Record.make(
                        id: id, kind: kind ?? oldKind, content: content ?? oldContent, redraws: redraws ?? self.redraws)
                }
            }
        }
    }

    /// The known record of the same element if it is equal; otherwise this one, with the known record's redraw requests.
    func sharing(_ known: Record?) -> Record {
        guard let known else { return self }
        if hasSameKind(as: known) && hasSameContent(as: known) { return known }
        return rewritten(redraws: known.redraws)
    }
}
