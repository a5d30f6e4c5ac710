package import DiffableView

/// The colours and attributes with which a terminal draws the next characters.
package struct Pen: Hashable, Sendable {
    package enum Colour: Hashable, Sendable {
        /// The terminal's own colour.
        case standard
        case indexed(UInt8)
        case exact(RGB)
    }

    package var ink = Colour.standard
    package var ground = Colour.standard
    package var attributes: Style.Attributes = []

    package init() {}

    package static let standard = Pen()

    /// Whether the ink or the attributes are visible on a blank.
    var showsOnBlanks: Bool { !attributes.isDisjoint(with: [.underline, .strikethrough, .reverse]) }

    /// Whether blanks drawn with either pen look the same.
    func looksLike(_ other: Pen) -> Bool {
        self == other || (ground == other.ground && !showsOnBlanks && !other.showsOnBlanks)
    }
}

extension Pen {
    /// Appends the shortest sequence that changes the old pen (nil: unknown) to this one.
    func appendChange(from old: Pen?, to bytes: inout [UInt8]) {
        if self == old { return }
        var fresh: [UInt8] = []
        appendDifference(from: .standard, to: &fresh)
        guard let old, self != .standard else { return appendSequence([0x30] + fresh, to: &bytes) }
        var difference: [UInt8] = []
        appendDifference(from: old, to: &difference)
        difference.removeFirst()
        appendSequence(difference.count <= fresh.count + 1 ? difference : [0x30] + fresh, to: &bytes)
    }

    private func appendSequence(_ parameters: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(0x1B)
        bytes.append(UInt8(ascii: "["))
        // An empty sequence means zero.
        if parameters != [0x30] { bytes += parameters }
        bytes.append(UInt8(ascii: "m"))
    }

    /// Appends the changed numbers, each after a semicolon.
    private func appendDifference(from old: Pen, to bytes: inout [UInt8]) {
        func append(_ number: Int) {
            bytes.append(UInt8(ascii: ";"))
            bytes.append(decimal: number)
        }
        var old = old
        // One code ends both bold and dim.
        let weights: Style.Attributes = [.bold, .dim]
        if !old.attributes.intersection(weights).isSubset(of: attributes) {
            append(22)
            old.attributes.subtract(weights)
        }
        for (attribute, on, off) in Self.codes {
            switch (old.attributes.contains(attribute), attributes.contains(attribute)) {
            case (false, true): append(on)
            case (true, false): append(off)
            default: break
            }
        }
        if ink != old.ink { ink.parameters(isGround: false).forEach(append) }
        if ground != old.ground { ground.parameters(isGround: true).forEach(append) }
    }

    private static let codes: [(Style.Attributes, on: Int, off: Int)] = [
        (.bold, 1, 22), (.dim, 2, 22), (.italic, 3, 23), (.underline, 4, 24), (.reverse, 7, 27),
        (.strikethrough, 9, 29),
    ]
}

extension Pen.Colour {
    fileprivate func parameters(isGround: Bool) -> [Int] {
        let base = isGround ? 40 : 30
        switch self {
        case .standard: return [base + 9]
        case .indexed(let index) where index < 8: return [base + Int(index)]
        case .indexed(let index) where index < 16: return [base + 52 + Int(index)]
        case .indexed(let index): return [base + 8, 5, Int(index)]
        case .exact(let colour): return [base + 8, 2, Int(colour.red), Int(colour.green), Int(colour.blue)]
        }
    }
}

extension [UInt8] {
    /// Appends a number of zero or more in decimal digits.
    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(0x30 + number % 10))
    }
}
