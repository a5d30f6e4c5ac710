#if canImport(Darwin)
    import Darwin
#else
    import Glibc
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
    /// and at their middle, which are all the lines of memory that most records have, so that many pairs can be fetched
    /// before the first is compared.
    func isAlike(_ other: BorrowedRecord) -> Bool {
        guard header == other.header else { return false }
        guard let length = header.length else { return true }
        let mine = bytes
        let its = other.bytes
        // Both or neither, so that no byte waits for another.
        return (mine[length - 1] ^ its[length - 1]) | (mine[length / 2] ^ its[length / 2]) == 0
    }

    /// Whether what is alike is equal. One comparison, because id, kind and content lie one after the other.
    func isEqual(toAlike other: BorrowedRecord) -> Bool {
        let mine = layout
        let its = other.layout
        return mine.contentLength == its.contentLength && mine.redraws == its.redraws
            && memcmp(mine.bytes, its.bytes, mine.idLength + mine.kindLength + mine.contentLength) == 0
    }

    /// The type of the object, with which it begins: reading it fetches the record from memory.
    var type: Int { UnsafeRawPointer(buffer.toOpaque()).load(as: Int.self) }

    /// Both at once, because finding out takes the same steps.
    var lengths: (content: Int, counted: Int) {
        let layout = layout
        return (layout.contentLength, layout.lengthCounted)
    }

    private var layout: Record.Layout { buffer._withUnsafeGuaranteedRef { Record.layout($0) } }

    /// Through the pointer, because reading the property would check at run time that nobody writes to it.
    private var header: Record.Header {
        buffer._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader(\.pointee) }
    }

    /// Of a record without an extension: its id, kind and content.
    private var bytes: UnsafePointer<UInt8> {
        buffer._withUnsafeGuaranteedRef { UnsafePointer($0.withUnsafeMutablePointerToElements { $0 }) }
    }
}
