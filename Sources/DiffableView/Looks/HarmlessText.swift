// Other users can write content. Characters that could control a terminal, or make text look like other text, are removed:
// control characters, and Unicode's bidirectional ones (U+202E turns "exe.txt" into "txt.exe"). Any white space becomes a
// space: a row is one line, and the layout decides where it wraps.

/// Bytes. The tallest row on the widest screen has no room for more, and each frame scans the texts that it draws.
private let harmlessTextLengthMax = 1 << 16

func harmlessText(_ text: String) -> String {
    guard text.utf8.count <= harmlessTextLengthMax else {
        return harmlessText(String(decoding: text.utf8.prefix(harmlessTextLengthMax - 3), as: UTF8.self)) + "…"
    }
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate:
            if scalar.properties.isWhitespace { result.append(" ") }
        case _ where scalar.properties.isBidiControl: break
        default: result.append(scalar)
        }
    }
    return String(result)
}

/// Nil unless the text is one visible grapheme cluster.
func singleCharacter(_ text: String) -> Character? {
    let text = harmlessText(text)
    guard let first = text.first, text.index(after: text.startIndex) == text.endIndex, !first.isWhitespace else {
        return nil
    }
    return first
}
