/// The terminal's clipboard (OSC 52). Over ssh, it is the clipboard of the user's own machine.
enum Clipboard {
    /// The limit in bytes, because terminals accept at most some 75,000. A longer text is cut between characters.
    private static let textLengthMax = 50_000

    static func bytes(copying text: String) -> [UInt8] {
        var text = text
        while text.utf8.count > textLengthMax { text.removeLast(max((text.utf8.count - textLengthMax) / 4, 1)) }
        return Array("\u{1B}]52;c;\(base64(Array(text.utf8)))\u{1B}\\".utf8)
    }

    /// RFC 4648.
    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
