/// The stored form of an item or a section: its id, kind and content in one allocation, never changed.
///
/// A record is shared by every snapshot that holds it, by the identifiers that name it and by the operations that
/// carry it. Beside the bytes themselves it costs 34 bytes: with a million items, that is what decides.
package struct Record: @unchecked Sendable {
    // Unchecked, because a ManagedBuffer could be written to: nothing does after `make` has returned.
    private let buffer: ManagedBuffer<Header, UInt8>

    private struct Header {
        /// Of the id alone, keyed anew in each process.
        var hash: UInt32
        /// Zero is "no content".
        var contentLength: UInt32
        var redraws: Redraws
        var idLength: UInt8
        /// Zero is "no kind".
        var kindLength: UInt8
    }

    /// How often clients were asked to draw this item again although nothing in it changed.
    ///
    /// The marks do not count in equality; the difference of two snapshots tells by them what to ask for. They wrap.
    package struct Redraws: Equatable {
        var reconfigurations: UInt32 = 0
        var reloads: UInt32 = 0
    }

    package static let idLengthMax = 255

    /// Copies the bytes; they must have been validated.
    package static func make(
        id: UnsafeRawBufferPointer, kind: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer,
        hash: UInt32, redraws: Redraws = Redraws()
    ) -> Record {
        precondition(id.count <= idLengthMax && kind.count <= idLengthMax, "an identifier is at most 255 bytes")
        precondition(content.count <= UInt32.max, "content is less than 4 GiB")
        let count = id.count + kind.count + content.count
        let buffer = ManagedBuffer<Header, UInt8>.create(minimumCapacity: count) { _ in
            Header(
                hash: hash, contentLength: UInt32(content.count), redraws: redraws,
                idLength: UInt8(id.count), kindLength: UInt8(kind.count))
        }
        buffer.withUnsafeMutablePointerToElements { elements in
            var target = UnsafeMutableRawPointer(elements)
            for part in [id, kind, content] where part.count > 0 {
                target.copyMemory(from: part.baseAddress!, byteCount: part.count)
                target += part.count
            }
        }
        return Record(buffer: buffer)
    }

    package static func make(
        id: UnsafeRawBufferPointer, kind: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer
    ) -> Record {
        make(id: id, kind: kind, content: content, hash: identifierHash(id))
    }

    private var header: Header { buffer.header }

    package var hash: UInt32 { header.hash }
    package var redraws: Redraws { header.redraws }
    package var hasKind: Bool { header.kindLength > 0 }
    package var hasContent: Bool { header.contentLength > 0 }
    package var contentLength: Int { Int(header.contentLength) }

    package func withID<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withBytes(from: 0, count: Int(header.idLength), body)
    }

    package func withKind<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withBytes(from: Int(header.idLength), count: Int(header.kindLength), body)
    }

    package func withContent<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withBytes(
            from: Int(header.idLength) + Int(header.kindLength), count: Int(header.contentLength), body)
    }

    private func withBytes<R, E: Error>(
        from offset: Int, count: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let elements = buffer.withUnsafeMutablePointerToElements { UnsafeRawPointer($0) }
        defer { withExtendedLifetime(buffer) {} }
        return try body(UnsafeRawBufferPointer(start: elements + offset, count: count))
    }
}

// MARK: - Comparing

extension Record {
    /// Whether both are one allocation.
    package func isShared(with other: Record) -> Bool { buffer === other.buffer }

    package func hasSameID(as other: Record) -> Bool {
        isShared(with: other)
            || header.hash == other.header.hash
                && withID { mine in other.withID { equalBytes(mine, $0) } }
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
    /// What is `nil` is kept. Returns itself when nothing becomes different.
    func rewritten(
        kind: UnsafeRawBufferPointer? = nil, content: UnsafeRawBufferPointer? = nil, redraws: Redraws? = nil
    ) -> Record {
        withID { id in
            withKind { oldKind in
                withContent { oldContent in
                    let kind = kind ?? oldKind
                    let content = content ?? oldContent
                    let redraws = redraws ?? self.redraws
                    if redraws == self.redraws && equalBytes(kind, oldKind) && equalBytes(content, oldContent) {
                        return self
                    }
                    return Record.make(id: id, kind: kind, content: content, hash: hash, redraws: redraws)
                }
            }
        }
    }

    /// The record that the same item or section has already when nothing in it changed; else this one, with the
    /// requests to draw again that were counted so far.
    func sharing(_ known: Record?) -> Record {
        guard let known else { return self }
        if hasSameKind(as: known) && hasSameContent(as: known) { return known }
        return rewritten(redraws: known.redraws)
    }
}
