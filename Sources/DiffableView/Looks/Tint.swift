import DiffableJSON

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

/// The sign next to a tint that depends on a value. Without it, only the colour would tell values apart.
package enum TintSign: String, CaseIterable, Sendable {
    case full = "●"
    case empty = "○"
    case half = "◐"
    case cross = "✕"
}

extension Tint {
    var sign: TintSign {
        switch self {
        case .red: .cross
        case .orange, .yellow: .half
        case .secondary, .gray: .empty
        case .accent, .green, .blue, .purple, .exact: .full
        }
    }
}

/// A tint that is named, or that depends on a value: `{"value":…,"map":{"failed":"red"}}`, or
/// `{"value":…,"thresholds":[[0.8,"orange"],[0.95,"red"]]}`.
struct TintChoice: Equatable {
    var tint: Tint?
    /// Nil for a named tint, and for a number below all thresholds.
    var sign: TintSign?

    init?(_ value: ContentValue) {
        if let tint = Tint(value) {
            self.tint = tint
            return
        }
        guard let decisive = value["value"] else { return nil }
        if let map = value["map"], map.isObject, let name = decisive.mapName {
            tint = map[name].flatMap(Tint.init)
            sign = tint?.sign ?? .empty
        } else if let thresholds = value["thresholds"]?.elements, let number = Format.number(decisive) {
            let reached = thresholds.last { $0.elements?.first?.number.map { $0 <= number } ?? false }
            tint = reached?.elements?.dropFirst().first.flatMap(Tint.init)
            sign = tint?.sign
        } else {
            return nil
        }
    }
}

extension ContentValue {
    /// The member of a map that a value selects.
    fileprivate var mapName: String? {
        switch self {
        case .text(let text), .number(let text): text
        case .boolean(let boolean): "\(boolean)"
        case .null, .array, .object: nil
        }
    }

    /// The tint of a table's cell.
    func cellTint(_ content: ContentValue?, standardPath: String) -> TintChoice? {
        guard case .object(let members) = self else { return TintChoice(self) }
        guard let value = content?.value(at: self["path"]?.text.map(TableColumn.canonical) ?? standardPath) else {
            return nil
        }
        return TintChoice(.object(members.filter { $0.name != "value" } + [Member("value", value)]))
    }
}
