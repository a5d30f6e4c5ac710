// Makes text from others safe for a terminal: it can neither control the terminal nor look like something else.
//
// A terminal obeys control characters, and follows Unicode's bidirectional ones: after U+202E "txt.exe" reads "exe.txt".
// Invisible characters let two different names look alike. All of them are made visible: control characters of ASCII as their
// pictures (␛), the others as `<U+202E>`. Joiners and variation selectors stay where scripts and emoji need them.

/// Makes text safe to show. `sequences` are the program's own escape sequences, which are kept.
package func harmless(_ text: String, keeping sequences: [String] = []) -> String {
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
        let isHarmless = reader.isHarmless(scalar, before: rest.first)
        switch scalar.value {
        case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
        case 0x7F: result.append("\u{2421}")
        case _ where isHarmless: result.append(scalar)
        default: result += "<U+\(hexadecimal(scalar.value, digits: 4).uppercased())>".unicodeScalars
        }
    }
    return String(result)
}

/// Equivalent JSON, with escapes for the characters that `harmless` makes visible in text.
package func harmlessJSON(_ json: some Collection<UInt8>) -> [UInt8] {
    if json.allSatisfy({ $0 < 0x7F }) { return Array(json) }
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    var reader = ScalarReader()
    var rest = String(decoding: json, as: UTF8.self).unicodeScalars[...]
    while let scalar = rest.popFirst() {
        // In JSON, raw control characters occur only between values.
        if scalar.value < 0x20 || reader.isHarmless(scalar, before: rest.first) {
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

/// Decides for each scalar of a text whether it is harmless. For some, that depends on the scalars next to them.
private struct ScalarReader {
    private var last: Unicode.Scalar?
    /// Whether tag characters may follow, which turn a black flag into Scotland's.
    private var isInFlag = false

    mutating func isHarmless(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        if 0x20..<0x7F ~= scalar.value {
            (last, isInFlag) = (scalar, false)
            return true
        }
        let isTag = 0xE0020...0xE007F ~= scalar.value
        isInFlag = scalar == "\u{1F3F4}" || (isInFlag && isTag)
        let isHarmless = self.isHarmless(scalar, isTag: isTag, before: next)
        last = isHarmless ? scalar : nil
        return isHarmless
    }

    private func isHarmless(_ scalar: Unicode.Scalar, isTag: Bool, before next: Unicode.Scalar?) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        case .format:
            switch scalar.value {
            // They join and part letters of Persian and Hindi, and the first joins emoji. After ASCII they do nothing.
            case 0x200C, 0x200D: return last.map { $0.value >= 0x80 && !(0x200C...0x200D ~= $0.value) } ?? false
            // Visible signs that enclose the digits after them.
            case 0x600...0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD: return true
            default: return isTag && isInFlag
            }
        default:
            if properties.isVariationSelector { return last.map { selects(scalar, after: $0, before: next) } ?? false }
            // A braille pattern without dots, and a note without a head.
            let isBlank = scalar.value == 0x2800 || scalar.value == 0x1D159
            return !isBlank && !properties.isDefaultIgnorableCodePoint && !properties.isNoncharacterCodePoint
        }
    }

    /// Whether a variation selector changes the appearance of the character before it.
    private func selects(_ selector: Unicode.Scalar, after base: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        switch selector.value {
        // An emoji, or a digit in a keycap.
        case 0xFE0E, 0xFE0F: base.properties.isEmoji && (base.value >= 0x80 || next == "\u{20E3}")
        // A Mongolian letter.
        case 0x180B...0x180D, 0x180F: 0x1820...0x18AA ~= base.value
        default: base.properties.isIdeographic
        }
    }
}
