/// The checksum of gzip, PNG and `zlib.crc32` (polynomial 0xEDB88320, reflected).
struct CRC32 {
    private var state: UInt32 = 0xFFFF_FFFF

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = state >> 8 ^ CRC32.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] }
    }

    var description: String {
        let digits = String(~state, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
