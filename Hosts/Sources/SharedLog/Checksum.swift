/// CRC-32 with the polynomial of IEEE 802.3, as in zip and PNG.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
    }

    static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { rest, byte in table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] ^ rest >> 8 }
    }

    static func hexadecimal(of text: String) -> String {
        let digits = String(crc32(text.utf8), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
