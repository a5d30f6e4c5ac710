package import DiffableView

/// Maps styles to the colours and attributes of one terminal.
///
/// Colours are mixed from the terminal's own background. Each ink is moved towards black or white until it is readable, so
/// contrast does not depend on the chosen colours: text has at least 4.5:1, chevrons at least 3:1, and lines 1.3 to 1.5:1.
package struct Palette: Equatable, Sendable {
    package enum Depth: Int, Comparable, Sendable {
        /// No colours, only attributes.
        case none
        /// The user's sixteen colours. Only their names are known.
        case sixteen
        case indexed
        case exact

        package static func < (a: Depth, b: Depth) -> Bool { a.rawValue < b.rawValue }
    }

    package static let textContrast = 4.5
    package static let drawingContrast = 3.0
    package static let lineContrast = 1.3...1.5
    private static let wantedLineContrast = 1.4

    package let depth: Depth
    package let background: RGB
    /// The attributes that the terminal supports. Others are left out of a style.
    package let attributes: Style.Attributes

    package var isDark: Bool { background.opposite == .white }

    /// - Parameter background: the terminal's answer, or the guess of `TerminalAbilities`.
    package init(depth: Depth, background: RGB, attributes: Style.Attributes = .all) {
        self.depth = depth
        self.background = background
        self.attributes = attributes
    }

    package func pen(_ style: Style) -> Pen {
        let style = depth >= .indexed ? undimmed(style) : style
        var pen: Pen
        switch depth {
        case .none: pen = plainPen(style)
        case .sixteen: pen = namedPen(style)
        case .indexed: pen = indexedPen(style)
        case .exact: pen = exactPen(style)
        }
        // Reversed text on a reversed background has to stay visible.
        pen.attributes.formSymmetricDifference(style.attributes)
        pen.attributes.formUnion(style.attributes.subtracting(.reverse))
        pen.attributes.formIntersection(attributes)
        return pen
    }
}

extension Style.Attributes {
    package static let all: Self = [.bold, .dim, .italic, .underline, .reverse, .strikethrough]
}

// MARK: - Mixed colours

extension Palette {
    /// Replaces dim text by a quieter ink, because some terminals dim text until it is unreadable.
    private func undimmed(_ style: Style) -> Style {
        guard style.attributes.contains(.dim) else { return style }
        var style = style
        style.attributes.remove(.dim)
        switch style.ink {
        case .text, .tint: style.ink = .secondary
        case .secondary, .tertiary, .onTint, .line: break
        }
        return style
    }

    private func exactPen(_ style: Style) -> Pen {
        var pen = Pen()
        let ground = mixed(style.ground)
        if ground != background { pen.ground = .exact(ground) }
        guard let ink = mixed(style.ink, on: ground) else { return pen }
        switch style.ink {
        // For greys the nearest of the 256 is good enough, and each takes 8 bytes less.
        case .text, .secondary, .tertiary: pen.ink = .indexed(nearest(to: ink, for: style.ink, on: ground))
        case .onTint, .tint: pen.ink = .exact(ink)
        case .line: pen.ink = lineColour(on: ground) ?? .exact(ink)
        }
        return pen
    }

    private func indexedPen(_ style: Style) -> Pen {
        var pen = Pen()
        var ground = mixed(style.ground)
        if ground != background {
            let index = IndexedColours.nearest(to: ground)
            ground = IndexedColours.colour(index)
            if ground != background { pen.ground = .indexed(index) }
        }
        if style.ink == .line {
            pen.ink = .indexed(IndexedColours.line(on: ground, contrast: Self.wantedLineContrast))
        } else if let ink = mixed(style.ink, on: ground) {
            pen.ink = .indexed(nearest(to: ink, for: style.ink, on: ground))
        }
        return pen
    }

    /// A grey of the 256, which takes 8 bytes less than an exact colour; nil if none has the contrast.
    private func lineColour(on ground: RGB) -> Pen.Colour? {
        let index = IndexedColours.line(on: ground, contrast: Self.wantedLineContrast)
        return Self.lineContrast.contains(IndexedColours.colour(index).contrast(with: ground)) ? .indexed(index) : nil
    }

    private func nearest(to colour: RGB, for ink: ForegroundRole, on ground: RGB) -> UInt8 {
        let isGrey =
            switch ink {
            case .text, .secondary, .tertiary, .onTint, .line, .tint(.secondary), .tint(.gray): true
            case .tint: false
            }
        return IndexedColours.nearest(
            to: colour, readableOn: ground, contrast: Self.contrast(of: ink), isGrey: isGrey)
    }

    static func contrast(of ink: ForegroundRole) -> Double { ink == .tertiary ? drawingContrast : textContrast }

    /// Returns nil for the terminal's own ink on its own background.
    private func mixed(_ ink: ForegroundRole, on ground: RGB) -> RGB? {
        let wish: RGB
        switch ink {
        case .text:
            if ground == background { return nil }
            wish = background.opposite
        // On a tint, only black and white are certain to be readable.
        case .onTint: return ground.opposite
        case .secondary: wish = background.mixed(with: background.opposite, 0.6)
        case .tertiary: wish = background.mixed(with: background.opposite, 0.35)
        case .line: return ground.line(contrast: Self.wantedLineContrast)
        case .tint(let tint): wish = colour(tint)
        }
        return wish.readable(on: ground, contrast: Self.contrast(of: ink))
    }

    func mixed(_ ground: BackgroundRole) -> RGB {
        func shade(_ dark: Double, _ light: Double) -> RGB {
            background.mixed(with: background.opposite, isDark ? dark : light)
        }
        func wash(_ tint: Tint, _ dark: Double, _ light: Double) -> RGB {
            background.mixed(with: colour(tint), isDark ? dark : light)
        }
        switch ground {
        case .base: return background
        // Groups are brighter than the page below them.
        case .page: return shade(0, 0.05)
        case .group: return shade(0.07, 0)
        case .header: return shade(0.10, 0.06)
        case .sidebar: return shade(0.05, 0.03)
        case .selected: return wash(.accent, 0.45, 0.24)
        case .selectedUnfocused: return shade(0.20, 0.14)
        case .marked: return wash(.accent, 0.20, 0.12)
        case .changed: return wash(.yellow, 0.30, 0.26)
        case .changedFading: return wash(.yellow, 0.20, 0.17)
        case .changedFaint: return wash(.yellow, 0.10, 0.08)
        case .flashing: return wash(.red, 0.55, 0.35)
        case .bar: return shade(0.13, 0.08)
        case .badge: return shade(0.22, 0.12)
        case .overlay: return shade(0.11, 0.04)
        case .tint(let tint): return colour(tint)
        case .wash(let tint): return wash(tint, 0.25, 0.14)
        }
    }

    /// The system colours of Apple's platforms, for dark and light backgrounds.
    private func colour(_ tint: Tint) -> RGB {
        switch tint {
        case .accent, .blue: isDark ? RGB(0x0A84FF) : RGB(0x0066DB)
        case .secondary, .gray: background.mixed(with: background.opposite, 0.6)
        case .red: isDark ? RGB(0xFF5A50) : RGB(0xD70015)
        case .orange: isDark ? RGB(0xFF9F0A) : RGB(0xC93400)
        case .yellow: isDark ? RGB(0xFFD60A) : RGB(0xE0A800)
        case .green: isDark ? RGB(0x32D74B) : RGB(0x248A3D)
        case .purple: isDark ? RGB(0xBF7AF2) : RGB(0x8944AB)
        case .exact(let red, let green, let blue): RGB(red, green, blue)
        }
    }
}
