/// A colour by its meaning, or by its components. The viewer chooses the actual colour, in light and in dark mode.
package enum Tint: Equatable, Sendable {
    case accent, secondary, red, orange, yellow, green, blue, purple, gray
    case exact(red: UInt8, green: UInt8, blue: UInt8)

    /// A name, or `#rrggbb`; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "accent": self = .accent
        case "secondary": self = .secondary
        case "red": self = .red
        case "orange": self = .orange
        case "yellow": self = .yellow
        case "green": self = .green
        case "blue": self = .blue
        case "purple": self = .purple
        case "gray": self = .gray
        default:
            let digits = text.utf8.dropFirst()
            guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
                digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let number = UInt32(text.dropFirst(), radix: 16)
            else { return nil }
            self = .exact(
                red: UInt8(number >> 16), green: UInt8(truncatingIfNeeded: number >> 8),
                blue: UInt8(truncatingIfNeeded: number))
        }
    }
}
