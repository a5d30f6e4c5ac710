/// The last line of a text that arrives in parts, shortened for a message.
package struct LastLine {
    private var finished = Line()
    private var current = Line()

    /// The bytes that are kept of a line. The daemon accepts 262,144.
    package static let lengthMax = 4_096

    private struct Line {
        var bytes: [UInt8] = []
        /// The length of the whole line in bytes.
        var length = 0

        var isBlank: Bool { bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

        mutating func append(_ byte: UInt8) {
            length += 1
            if bytes.count < LastLine.lengthMax { bytes.append(byte) }
        }

        mutating func removeAll() {
            bytes.removeAll(keepingCapacity: true)
            length = 0
        }

        var text: String {
            if length == bytes.count { return String(decoding: bytes, as: UTF8.self) }
            // Without a character that the cut would split.
            var whole = bytes
            if let first = whole.lastIndex(where: { $0 & 0xC0 != 0x80 }), whole[first] >= 0xC0 {
                whole.removeSubrange(first...)
            }
            return "\(String(decoding: whole, as: UTF8.self))… (cut: \(grouped(length)) bytes in all)"
        }
    }

    package mutating func append(_ part: some Sequence<UInt8>) {
        for byte in part {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if !current.isBlank { finished = current }
                current.removeAll()
            } else {
                current.append(byte)
            }
        }
    }

    package var text: String? {
        let line = current.isBlank ? finished : current
        return line.isBlank ? nil : line.text
    }
}
