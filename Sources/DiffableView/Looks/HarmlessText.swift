// Content is another user's word. What could steer a terminal, or make text look like other text, is taken out of what is
// drawn: control characters, and Unicode's bidirectional ones (U+202E makes "txt.exe" of "exe.txt"). White space of any
// sort is a space: a row is one line, and where it breaks is for the layout to say.

/// In bytes. The tallest row on the widest screen has no room for more, and each frame goes through what it draws.
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

/// Nil for what is not one grapheme cluster that can be seen.
func singleCharacter(_ text: String) -> Character? {
    let text = harmlessText(text)
    guard let first = text.first, text.index(after: text.startIndex) == text.endIndex, !first.isWhitespace else {
        return nil
    }
    return first
}
