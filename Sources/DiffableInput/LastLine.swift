/// The last line of a text that comes in parts, as far as it is a sentence for somebody.
package struct LastLine {
    private var finished = Line()
    private var current = Line()

    /// What is kept of a line, in bytes; the daemon takes 262,144.
    package static let lengthMax = 4_096

    private struct Line {
        var bytes: [UInt8] = []
        /// Of all of it, in bytes.
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

        /// Says when it is not the whole line.
        var text: String {
            if length == bytes.count { return String(decoding: bytes, as: UTF8.self) }
            // A character that the cut goes through is left out.
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

    /// Nil when there is none.
    package var text: String? {
        let line = current.isBlank ? finished : current
        return line.isBlank ? nil : line.text
    }
}
