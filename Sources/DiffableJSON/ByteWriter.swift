import Diffable

/// Bytes of JSON in the making.
///
/// Strings are escaped no more than JSON demands: the quote, the backslash and control characters. Everything else
/// is written as it is, so what was read comes out byte for byte.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package var count: Int { bytes.count }
    /// What it holds without another allocation, in bytes.
    package var capacity: Int { bytes.capacity }

    package mutating func reserve(_ capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Empties the writer; its storage is used again.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Takes back what was written after `count` bytes.
    package mutating func truncate(to count: Int) { bytes.removeLast(bytes.count - count) }

    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes(body)
    }

    // MARK: - Raw bytes

    @inline(__always)
    package mutating func append(byte: UInt8) { bytes.append(byte) }

    @inline(__always)
    package mutating func append(_ literal: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @inline(__always)
    package mutating func append(_ raw: UnsafeRawBufferPointer) { bytes.append(contentsOf: raw) }

    package mutating func append(_ raw: [UInt8]) { bytes.append(contentsOf: raw) }

    package mutating func append(_ number: Int) {
        if number < 0 { append(byte: UInt8(ascii: "-")) }
        let first = count
        var rest = number.magnitude
        repeat {
            append(byte: UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[first...].reverse()
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
