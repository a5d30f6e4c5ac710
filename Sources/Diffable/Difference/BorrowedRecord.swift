#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A record that somebody else holds for as long as this is read.
///
/// Counting references costs more than comparing two records does: a difference of large lists reads each record once,
/// and on the way from an id to its place an atomic count would wait for all that is still to be fetched. So nothing is
/// counted here.
struct BorrowedRecord {
    private let buffer: Unmanaged<ManagedBuffer<Record.Header, UInt8>>

    init(_ record: Record) { buffer = Unmanaged.passUnretained(record.buffer) }

    /// What a reference to a record refers to.
    init(_ reference: Unmanaged<AnyObject>) { buffer = .fromOpaque(reference.toOpaque()) }

    /// Held from now on.
    var record: Record { Record(buffer: buffer.takeUnretainedValue()) }

    func isShared(with other: BorrowedRecord) -> Bool { buffer.toOpaque() == other.buffer.toOpaque() }

    func hasSameID(as other: BorrowedRecord) -> Bool {
        let mine = layout
        let its = other.layout
        return mine.idLength == its.idLength && memcmp(mine.bytes, its.bytes, mine.idLength) == 0
    }

    /// Whether all may be the same: id, kind, content and the requests to draw again. Looks at both ends of the records
    /// and not at what lies between, so that many pairs can be fetched from memory before the first is compared.
    func isAlike(_ other: BorrowedRecord) -> Bool {
        let mine = layout
        let its = other.layout
        let last = mine.length - 1
        return mine.contentLength == its.contentLength && mine.idLength == its.idLength
            && mine.kindLength == its.kindLength && mine.redraws == its.redraws
            && mine.bytes.load(fromByteOffset: last, as: UInt8.self)
                == its.bytes.load(fromByteOffset: last, as: UInt8.self)
    }

    /// Whether what is alike is equal. One comparison, because id, kind and content lie one after the other.
    func isEqual(toAlike other: BorrowedRecord) -> Bool {
        let mine = layout
        return memcmp(mine.bytes, other.layout.bytes, mine.length) == 0
    }

    private var layout: Record.Layout { buffer._withUnsafeGuaranteedRef { Record.layout($0) } }
}

extension Record.Layout {
    /// Of id, kind and content together; at least 1.
    fileprivate var length: Int { idLength + kindLength + contentLength }
}
