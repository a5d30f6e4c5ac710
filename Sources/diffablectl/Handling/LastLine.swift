/// The last line of a text that comes in parts, as far as it is a sentence for somebody.
struct LastLine {
    private var finished: [UInt8] = []
    private var current: [UInt8] = []

    /// In bytes; the daemon takes 262,144.
    static let lengthMax = 4_096

    mutating func append(_ part: some Sequence<UInt8>) {
        for byte in part {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if !LastLine.isBlank(current) { finished = current }
                current.removeAll(keepingCapacity: true)
            } else if current.count < LastLine.lengthMax {
                current.append(byte)
            }
        }
    }

    /// Nil when there is none.
    var text: String? {
        let line = LastLine.isBlank(current) ? finished : current
        return LastLine.isBlank(line) ? nil : String(decoding: line, as: UTF8.self)
    }

    private static func isBlank(_ line: [UInt8]) -> Bool {
        line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}
