/// The escapes in a field between tabs: `\t`, `\n` and `\r`, and `\\` for a backslash, as `jq`'s `@tsv`, PostgreSQL and MySQL
/// write them.
package enum TSVEscapes {
    private static let escapes: KeyValuePairs = [
        UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "\t"): UInt8(ascii: "t"),
        UInt8(ascii: "\n"): UInt8(ascii: "n"), UInt8(ascii: "\r"): UInt8(ascii: "r"),
    ]

    package static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isEscaped) else { return text }
        var result: [UInt8] = []
        for byte in text.utf8 {
            if let letter = escapes.first(where: { $0.key == byte })?.value {
                result += [UInt8(ascii: "\\"), letter]
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool { escapes.contains { $0.key == byte } }

    /// Any other backslash is literal.
    static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        guard field.contains(UInt8(ascii: "\\")) else { return Array(field) }
        var result: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let letter = rest.first,
                let meant = escapes.first(where: { $0.value == letter })?.key
            {
                result.append(meant)
                rest.removeFirst()
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
