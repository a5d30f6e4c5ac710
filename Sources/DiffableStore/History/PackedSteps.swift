import Diffable
import DiffableJSON

struct PackedTransaction {
    let revision: Revision
    let isReload: Bool
    /// Nil if they are too long to be kept.
    let operations: PackedOperations?
    /// The number of redraw requests it made (`Snapshot.redrawsAsked`).
    var redraws: UInt64 = 0

    init(_ revision: Revision, _ delivery: Delivery, _ operations: PackedOperations?) {
        self.revision = revision
        self.operations = operations
        isReload = delivery == .reload
    }
}

/// Transactions as consecutive bytes.
///
/// Numbers are written in LEB128: seven bits at a time, lowest first, with the highest bit set in each byte except the
/// last. A small change of a content takes about 20 bytes plus the new part.
struct PackedSteps: Sendable {
    private var bytes: [UInt8] = []
    /// Distinct origins without their process ids, which may be different for each transaction.
    private var makers: [Origin] = []
    private var lastMoment = Cursor(revision: 0).moment

    /// In bytes.
    var length: Int { bytes.count }

    /// The start of a transaction, and the values that its bytes are relative to.
    struct Cursor: Sendable {
        /// The revision before it.
        fileprivate(set) var revision: Int
        fileprivate(set) var offset = 0
        fileprivate var moment = Moment(
            timeOfDay: Timestamp(milliseconds: 0), running: RunningTime(milliseconds: 0))

        init(revision: Int) { self.revision = revision }
    }

    struct Step {
        let revision: Revision
        let isReload: Bool
        let redraws: UInt64
        let next: Cursor
        fileprivate let encoding: PackedOperations.Encoding?
        fileprivate let operations: Range<Int>
    }

    private enum Flag {
        static let isReload: UInt8 = 4
        static let hasMaker: UInt8 = 8
        static let hasProcess: UInt8 = 16
        /// The mask of the operations' form; 0 for none.
        static let encoding: UInt8 = 3
    }

    mutating func append(_ step: PackedTransaction) {
        let revision = step.revision
        let origin = revision.origin
        var flags = step.operations?.encoding.rawValue ?? 0
        if step.isReload { flags |= Flag.isReload }
        if origin != nil { flags |= Flag.hasMaker }
        if origin?.processID != nil { flags |= Flag.hasProcess }
        bytes.append(flags)
        bytes.append(signed: revision.moment.timeOfDay.milliseconds &- lastMoment.timeOfDay.milliseconds)
        bytes.append(signed: revision.moment.running.milliseconds &- lastMoment.running.milliseconds)
        lastMoment = revision.moment
        bytes.append(signed: revision.operations)
        bytes.append(signed: revision.length)
        bytes.append(number: step.redraws)
        if var maker = origin {
            let process = maker.processID
            maker.processID = nil
            bytes.append(number: UInt64(index(of: maker)))
            if let process { bytes.append(signed: process) }
        }
        if let operations = step.operations {
            bytes.append(number: UInt64(operations.bytes.count))
            bytes += operations.bytes
        }
    }

    private mutating func index(of maker: Origin) -> Int {
        if let index = makers.lastIndex(of: maker) { return index }
        makers.append(maker)
        return makers.count - 1
    }

    /// Frees unused capacity.
    mutating func shrink() { bytes = bytes.withUnsafeBytes { Array($0) } }

    func read(at place: Cursor) -> Step {
        bytes.withUnsafeBytes { bytes in
            var reader = PackedReader(bytes, at: place.offset)
            let flags = reader.byte()
            var next = place
            next.revision += 1
            next.moment = Moment(
                timeOfDay: Timestamp(milliseconds: place.moment.timeOfDay.milliseconds &+ reader.signed()),
                running: RunningTime(milliseconds: place.moment.running.milliseconds &+ reader.signed()))
            let (operations, length, redraws) = (reader.signed(), reader.signed(), reader.number())
            var origin: Origin?
            if flags & Flag.hasMaker != 0 {
                origin = makers[Int(reader.number())]
                if flags & Flag.hasProcess != 0 { origin?.processID = reader.signed() }
            }
            let encoding = PackedOperations.Encoding(rawValue: flags & Flag.encoding)
            let count = encoding == nil ? 0 : Int(reader.number())
            next.offset = reader.offset + count
            return Step(
                revision: Revision(
                    number: next.revision, moment: next.moment, operations: operations, length: length,
                    origin: origin),
                isReload: flags & Flag.isReload != 0, redraws: redraws, next: next, encoding: encoding,
                operations: reader.offset..<next.offset)
        }
    }

    /// - Parameter snapshot: the state before it.
    /// - Returns: nil if the operations were not kept, or were packed from a different state.
    func operations(of step: Step, from snapshot: Snapshot) -> [ListOperation]? {
        guard let encoding = step.encoding else { return nil }
        return bytes.withUnsafeBytes {
            PackedOperations.unpack(encoding, UnsafeRawBufferPointer(rebasing: $0[step.operations]), from: snapshot)
        }
    }
}

extension [UInt8] {
    mutating func append(number: UInt64) {
        var rest = number
        while rest > 127 {
            append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Zigzag encoding: 2n for n ≥ 0, and -2n - 1 for n < 0.
    mutating func append(signed number: Int) { append(number: UInt64(bitPattern: Int64(number << 1 ^ number >> 63))) }
}

/// Reads bytes that this process wrote, without validation.
struct PackedReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func byte() -> UInt8 {
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func number() -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = byte()
            number |= UInt64(byte & 127) << shift
            if byte < 128 { return number }
            shift += 7
        }
    }

    mutating func signed() -> Int {
        let number = number()
        return Int(number >> 1) ^ -Int(number & 1)
    }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }
}
