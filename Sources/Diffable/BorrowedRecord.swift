#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A record without a reference count, which another value keeps alive while it is used.
///
/// Retaining costs more than comparing two records: a diff of large lists reads each record once, and on the way from
/// an id to its position, an atomic increment would wait for all pending memory reads.
struct BorrowedRecord {
    private let buffer: Unmanaged<ManagedBuffer<Record.Header, UInt8>>

    init(_ record: Record) { buffer = Unmanaged.passUnretained(record.buffer) }

    init(_ reference: Unmanaged<AnyObject>) { buffer = .fromOpaque(reference.toOpaque()) }

    /// A retained reference.
    var record: Record { Record(buffer: buffer.takeUnretainedValue()) }

    func isShared(with other: BorrowedRecord) -> Bool { buffer.toOpaque() == other.buffer.toOpaque() }

    func hasSameID(as other: BorrowedRecord) -> Bool {
        let mine = layout
        let its = other.layout
        return mine.idLength == its.idLength && memcmp(mine.bytes, its.bytes, mine.idLength) == 0
    }

    /// Whether id, kind, content and redraw requests may be equal. Reads both ends and the middle of the records, which
    /// covers all cache lines of most records, so that many pairs can be prefetched before the first is compared.
    func mayBeEqual(to other: BorrowedRecord) -> Bool {
        guard header == other.header else { return false }
        guard let length = header.length else { return true }
        let mine = bytes
        let its = other.bytes
        // Combined without a branch, so that the two reads overlap.
        return (mine[length - 1] ^ its[length - 1]) | (mine[length / 2] ^ its[length / 2]) == 0
    }

    /// Whether records that may be equal are equal. A single comparison, because id, kind and content are contiguous.
    func isEqual(toSimilar other: BorrowedRecord) -> Bool {
        let mine = layout
        let its = other.layout
        return mine.contentLength == its.contentLength && mine.redraws == its.redraws
            && memcmp(mine.bytes, its.bytes, mine.idLength + mine.kindLength + mine.contentLength) == 0
    }

    /// The first word of the object, its type. Reading it prefetches the record.
    var type: Int { UnsafeRawPointer(buffer.toOpaque()).load(as: Int.self) }

    /// Both together, because computing either takes the same steps.
    var lengths: (content: Int, counted: Int) {
        let layout = layout
        return (layout.contentLength, layout.lengthCounted)
    }

    private var layout: Record.Layout { buffer._withUnsafeGuaranteedRef { Record.layout($0) } }

    /// Through the pointer, because reading the property would check for exclusive access at run time.
    private var header: Record.Header {
        buffer._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader(\.pointee) }
    }

    /// The id, kind and content of a record without an extension.
    private var bytes: UnsafePointer<UInt8> {
        buffer._withUnsafeGuaranteedRef { UnsafePointer($0.withUnsafeMutablePointerToElements { $0 }) }
    }
}
