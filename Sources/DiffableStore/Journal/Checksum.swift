/// A checksum over words that detects faults but not forgeries.
///
/// Each word is multiplied into it, as in Y. Collet's xxHash. Cost: one multiplication per word.
struct Checksum: Equatable {
    private(set) var value: UInt64

    init(_ start: UInt64) { value = start }

    @inline(__always)
    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x9E37_79B1_85EB_CA87
        value ^= value >> 29
    }

    mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }
    mutating func add(_ sum: Int64) { add(UInt64(bitPattern: sum)) }
    mutating func add(_ bytes: UnsafeRawBufferPointer) { add(checksum(bytes)) }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// The representation in SQLite.
    var signed: Int64 { Int64(bitPattern: value) }
}

/// Computes the checksum of bytes. Consecutive words go into four independent sums, so that four multiplications run in parallel.
func checksum(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    var sums = (Checksum(1), Checksum(2), Checksum(3), Checksum(4))
    var offset = 0
    while offset + 32 <= bytes.count {
        sums.0.add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
        sums.1.add(bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self).littleEndian)
        sums.2.add(bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self).littleEndian)
        sums.3.add(bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self).littleEndian)
        offset += 32
    }
    for byte in bytes[offset...] { sums.0.add(UInt64(byte)) }
    var sum = Checksum(UInt64(bytes.count))
    sum.add(sums.0.value)
    sum.add(sums.1.value)
    sum.add(sums.2.value)
    sum.add(sums.3.value)
    return sum.signed
}
