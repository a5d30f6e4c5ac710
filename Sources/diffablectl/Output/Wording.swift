import Diffable

/// `1 item`, `2 items`, `12,345 items`.
func counted(_ count: Int, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
}

/// With a comma between thousands.
func grouped(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    var position = digits.count - 3
    while position > 0 {
        digits.insert(",", at: position)
        position -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
}

/// An id as it stands in messages. Ids have no control characters, so it is safe on a terminal.
func quoted<Named>(_ id: Identifier<Named>) -> String { "\"\(id)\"" }

/// Makes control characters visible, so that what others wrote cannot steer the terminal.
func harmless(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
        case 0x7F: result.append("\u{2421}")
        case 0x80..<0xA0: result.append("\u{FFFD}")
        default: result.append(scalar)
        }
    }
    return String(result)
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value
}
