import Diffable

/// Builds JSON as bytes. Strings are escaped only where JSON requires it: the quote, the backslash and control characters.
/// Everything else is written as it is, so that input is reproduced byte for byte.
package struct ByteWriter: Sendable {
    /// The written bytes, followed by free room: filling room costs less than appending to an array, and a line is made of many
    /// short pieces.
    private var storage: [UInt8] = []
    /// The number of written bytes.
    package private(set) var count = 0

    package init() {}

    /// A copy of the written bytes. O(count)
    package var bytes: [UInt8] { Array(storage[..<count]) }

    package var last: UInt8? { count == 0 ? nil : storage[count - 1] }

    /// The number of bytes that fit without another allocation.
    package var capacity: Int { storage.count }

    package mutating func reserve(_ capacity: Int) {
        if capacity > storage.count { grow(to: capacity) }
    }

    /// Empties the writer and keeps its storage.
    package mutating func removeAll() { count = 0 }

    package mutating func truncate(to count: Int) {
        precondition(count <= self.count, "only what was written can be taken back")
        self.count = count
    }

    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    @inline(never)
    private mutating func grow(to capacity: Int) {
        storage = Array(unsafeUninitializedCapacity: max(capacity, 2 * storage.count, 64)) { room, filled in
            storage.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(room).copyMemory(from: .init(rebasing: $0[..<count]))
            }
            // No byte is read before it is written.
            filled = room.count
        }
    }

    // MARK: - Raw bytes

    @inline(__always)
    package mutating func append(byte: UInt8) {
        if count == storage.count { grow(to: count + 1) }
        storage[count] = byte
        count += 1
    }

    @inline(__always)
    package mutating func append(_ literal: StaticString) {
        append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    package mutating func append(_ raw: UnsafeRawBufferPointer) {
        guard let start = raw.baseAddress else { return }
        let end = count + raw.count
        if end > storage.count { grow(to: end) }
        storage.withUnsafeMutableBytes { room in
            (room.baseAddress.unsafelyUnwrapped + count).copyMemory(from: start, byteCount: raw.count)
        }
        count = end
    }

    package mutating func append(_ raw: [UInt8]) { raw.withUnsafeBytes { append($0) } }

    package mutating func append(_ other: ByteWriter) { other.withUnsafeBytes { append($0) } }

    package mutating func append(_ number: Int) {
        if number < 0 { append(byte: UInt8(ascii: "-")) }
        var rest = number.magnitude
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = digits.count
            repeat {
                first -= 1
                let (tens, digit) = rest.quotientAndRemainder(dividingBy: 10)
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = tens
            } while rest > 0
            append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(digits)[first...]))
        }
    }

    // MARK: - Strings

    package mutating func appendString(_ string: String) {
        var string = string
        string.withUTF8 { appendString(utf8: UnsafeRawBufferPointer($0)) }
    }

    package mutating func appendString<Named>(_ identifier: Identifier<Named>) {
        appendString(identifier: identifier.record)
    }

    @inline(__always)
    mutating func appendString(identifier record: Record) {
        record.withID { appendString(utf8: $0) }
    }

    /// Writes a string, quoted and escaped. O(length).
    package mutating func appendString(utf8: UnsafeRawBufferPointer) {
        append(byte: UInt8(ascii: "\""))
        var written = 0
        for offset in 0..<utf8.count {
            let byte = utf8[unchecked: offset]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            append(utf8.slice(written..<offset))
            written = offset + 1
            appendEscape(byte)
        }
        append(utf8.slice(written..<utf8.count))
        append(byte: UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(byte: UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(byte: UInt8(ascii: "b"))
        case 0x09: append(byte: UInt8(ascii: "t"))
        case 0x0A: append(byte: UInt8(ascii: "n"))
        case 0x0C: append(byte: UInt8(ascii: "f"))
        case 0x0D: append(byte: UInt8(ascii: "r"))
        case 0..<0x20:
            append("u00")
            append(byte: UInt8(ascii: "0") + byte >> 4)
            append(byte: Self.hexadecimalDigit(byte & 0x0F))
        default: append(byte: byte)
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
