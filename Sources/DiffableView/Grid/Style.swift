/// The style of a cell in 64 bits: its ink, its ground and its attributes.
package struct Style: Hashable, Sendable, BitwiseCopyable {
    /// From the lowest bit: 26 bits of ink, 26 bits of ground, 8 bits of attributes. A style of zero is plain text.
    private var bits: UInt64 = 0

    package struct Attributes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let bold = Attributes(rawValue: 1)
        package static let dim = Attributes(rawValue: 2)
        package static let italic = Attributes(rawValue: 4)
        package static let underline = Attributes(rawValue: 8)
        package static let reverse = Attributes(rawValue: 16)
        package static let strikethrough = Attributes(rawValue: 32)
    }

    package init(_ ink: ForegroundRole = .text, on ground: BackgroundRole = .base, _ attributes: Attributes = []) {
        self.ink = ink
        self.ground = ground
        self.attributes = attributes
    }

    package var ink: ForegroundRole {
        get { ForegroundRole(code: ColourCode(truncatingIfNeeded: bits & Self.colourMask)) }
        set { bits = bits & ~Self.colourMask | UInt64(newValue.code) }
    }

    package var ground: BackgroundRole {
        get { BackgroundRole(code: ColourCode(truncatingIfNeeded: bits >> 26 & Self.colourMask)) }
        set { bits = bits & ~(Self.colourMask << 26) | UInt64(newValue.code) << 26 }
    }

    package var attributes: Attributes {
        get { Attributes(rawValue: UInt8(truncatingIfNeeded: bits >> 52)) }
        set { bits = bits & ~(0xFF << 52) | UInt64(newValue.rawValue) << 52 }
    }

    package func on(_ ground: BackgroundRole) -> Style {
        var style = self
        style.ground = ground
        return style
    }

    package func adding(_ attributes: Attributes) -> Style {
        var style = self
        style.attributes.formUnion(attributes)
        return style
    }

    private static let colourMask: UInt64 = 1 << 26 - 1
}

typealias ColourCode = UInt32

private let tintSort: ColourCode = 1 << 24
private let exactSort: ColourCode = 2 << 24
/// A wash of an exact colour. The wash of a named tint has `namedWash` instead.
private let exactWashSort: ColourCode = 3 << 24
private let namedWash: ColourCode = 1 << 23
private let payloadMask: ColourCode = 1 << 24 - 1

extension Tint {
    fileprivate static let named: [Tint] = [.accent, .secondary, .red, .orange, .yellow, .green, .blue, .purple, .gray]

    fileprivate var code: ColourCode {
        switch self {
        case .accent: tintSort
        case .secondary: tintSort + 1
        case .red: tintSort + 2
        case .orange: tintSort + 3
        case .yellow: tintSort + 4
        case .green: tintSort + 5
        case .blue: tintSort + 6
        case .purple: tintSort + 7
        case .gray: tintSort + 8
        case .exact(let red, let green, let blue):
            exactSort | ColourCode(red) << 16 | ColourCode(green) << 8 | ColourCode(blue)
        }
    }

    fileprivate var washCode: ColourCode {
        if case .exact = self { code ^ exactSort | exactWashSort } else { code | namedWash }
    }

    /// Nil for a colour that is not a wash.
    fileprivate init?(washCode: ColourCode) {
        switch washCode & ~payloadMask {
        case exactWashSort: self.init(code: washCode ^ exactWashSort | exactSort)
        case tintSort where washCode & namedWash != 0: self.init(code: washCode ^ namedWash)
        default: return nil
        }
    }

    /// Nil for a colour that is not a tint.
    fileprivate init?(code: ColourCode) {
        switch code & ~payloadMask {
        case tintSort: self = Tint.named[Int(code & payloadMask)]
        case exactSort:
            self = .exact(
                red: UInt8(truncatingIfNeeded: code >> 16), green: UInt8(truncatingIfNeeded: code >> 8),
                blue: UInt8(truncatingIfNeeded: code))
        default: return nil
        }
    }
}

extension ForegroundRole {
    fileprivate static let named: [ForegroundRole] = [.text, .secondary, .tertiary, .onTint, .line]

    fileprivate var code: ColourCode {
        switch self {
        case .text: 0
        case .secondary: 1
        case .tertiary: 2
        case .onTint: 3
        case .line: 4
        case .tint(let tint): tint.code
        }
    }

    fileprivate init(code: ColourCode) {
        self = Tint(code: code).map { .tint($0) } ?? ForegroundRole.named[Int(code)]
    }
}

extension BackgroundRole {
    fileprivate static let named: [BackgroundRole] = [
        .base, .page, .group, .header, .sidebar, .selected, .selectedUnfocused, .marked, .changed, .flashing, .bar,
        .badge, .overlay, .changedFading, .changedFaint,
    ]

    fileprivate var code: ColourCode {
        switch self {
        case .base: 0
        case .page: 1
        case .group: 2
        case .header: 3
        case .sidebar: 4
        case .selected: 5
        case .selectedUnfocused: 6
        case .marked: 7
        case .changed: 8
        case .flashing: 9
        case .bar: 10
        case .badge: 11
        case .overlay: 12
        case .changedFading: 13
        case .changedFaint: 14
        case .tint(let tint): tint.code
        case .wash(let tint): tint.washCode
        }
    }

    fileprivate init(code: ColourCode) {
        if let tint = Tint(washCode: code) {
            self = .wash(tint)
        } else {
            self = Tint(code: code).map { .tint($0) } ?? BackgroundRole.named[Int(code)]
        }
    }
}
