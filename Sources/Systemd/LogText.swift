/// Escapes untrusted text in a log line. Clients choose some logged names, and must not be able to forge a line or a field, to
/// control a terminal, or to disguise text.
enum LogText {
    /// Returns the text with escapes for control characters, line and paragraph separators, and characters that reverse text.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if isHarmful(scalar) {
                escaped += scalar.escaped(asASCII: true)
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns the escaped value of a field, in quotation marks if it could be taken for several fields.
    static func value(_ text: String) -> String {
        guard text.contains(where: { $0.isWhitespace || "=\"".contains($0) }) else { return escaped(text) }
        return "\"\(escaped(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")))\""
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }
}
