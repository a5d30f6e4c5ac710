// Makes text of others safe for a terminal: it can neither control the terminal nor look like something else.
//
// A terminal obeys control characters, and follows Unicode's bidirectional ones: after U+202E "txt.exe" reads "exe.txt".
// Characters that show nothing let two different names look alike. All of them are made visible: control characters of
// ASCII as their pictures (␛), the others as `<U+202E>`. What scripts and emoji need stays.

/// Text for people.
///
/// - Parameter sequences: our own escape sequences, which are kept.
func harmless(_ text: String, keeping sequences: [String] = []) -> String {
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
    var result = String.UnicodeScalarView()
    var reader = ScalarReader()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
        if scalar == "\u{1B}", let own = sequences.first(where: { rest.starts(with: $0.unicodeScalars) }) {
            result += own.unicodeScalars
            rest = rest.dropFirst(own.unicodeScalars.count)
            continue
        }
        rest.removeFirst()
        let isHarmless = reader.isHarmless(scalar)
        switch scalar.value {
        case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
        case 0x7F: result.append("\u{2421}")
        case _ where isHarmless: result.append(scalar)
        default: result += "<U+\(hexadecimal(scalar.value, digits: 4).uppercased())>".unicodeScalars
        }
    }
    return String(result)
}

/// Equivalent JSON with escapes for the characters that `harmless` makes visible in text.
func harmlessJSON(_ json: some Collection<UInt8>) -> [UInt8] {
    if json.allSatisfy({ $0 < 0x7F }) { return Array(json) }
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    var reader = ScalarReader()
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
        // Raw control characters are in JSON only between values.
        if scalar.value < 0x20 || reader.isHarmless(scalar) {
            result += "\(scalar)".utf8
        } else {
            for unit in "\(scalar)".utf16 { result += "\\u\(hexadecimal(UInt32(unit), digits: 4))".utf8 }
        }
    }
    return result
}

private func hexadecimal(_ number: UInt32, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// Decides for each scalar of a text whether it is harmless. For some that depends on the scalars before them.
private struct ScalarReader {
    private var last: Unicode.Scalar?
    /// Whether the tags may follow that make a black flag that of Scotland.
    private var isInFlag = false

    mutating func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if 0x20..<0x7F ~= scalar.value {
            (last, isInFlag) = (scalar, false)
            return true
        }
        let isTag = 0xE0020...0xE007F ~= scalar.value
        isInFlag = scalar == "\u{1F3F4}" || (isInFlag && isTag)
        defer { last = scalar }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        case .format:
            switch scalar.value {
            // They join and part letters of Persian and Hindi, and the first joins emoji. Behind ASCII they do nothing.
            case 0x200C, 0x200D: return last.map { $0.value >= 0x80 && !(0x200C...0x200D ~= $0.value) } ?? false
            // Signs that enclose the digits behind them; they can be seen.
            case 0x600...0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD: return true
            default: return isTag && isInFlag
            }
        default:
            // A variation selector chooses how a character looks, and a grapheme joiner how it is sorted.
            return !properties.isDefaultIgnorableCodePoint || properties.isVariationSelector || scalar.value == 0x34F
        }
    }
}
