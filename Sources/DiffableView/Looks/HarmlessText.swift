// Content is another user's word. What could steer a terminal, or make text look like other text, is taken out of what is
// drawn: control characters, and Unicode's bidirectional ones (U+202E makes "txt.exe" of "exe.txt"). White space of any
// sort is a space: a row is one line, and where it breaks is for the layout to say.

func harmlessText(_ text: String) -> String {
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
