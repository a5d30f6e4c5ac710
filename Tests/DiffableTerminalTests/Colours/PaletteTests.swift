import DiffableTerminal
import DiffableView
import TestSupport
import Testing

@Suite struct PaletteTests {
    private static let tints: [Tint] = [
        .accent, .secondary, .red, .orange, .yellow, .green, .blue, .purple, .gray,
        .exact(red: 0, green: 0, blue: 0), .exact(red: 255, green: 255, blue: 255),
        .exact(red: 128, green: 128, blue: 128), .exact(red: 255, green: 255, blue: 0),
        .exact(red: 20, green: 30, blue: 200),
    ]
    private static let inks: [ForegroundRole] = [.text, .secondary, .tertiary, .onTint] + tints.map { .tint($0) }
    private static let grounds: [BackgroundRole] =
        [
            .base, .page, .group, .header, .sidebar, .selected, .selectedUnfocused, .marked, .changed, .flashing, .bar,
            .badge, .overlay, .changedFading, .changedFaint,
        ] + tints.map { .tint($0) } + tints.map { .wash($0) }

    /// Backgrounds of common terminals, and colours that no theme would use.
    private static let backgrounds: [UInt32] = [
        0x000000, 0x161618, 0x1E1E1E, 0x300A24, 0x002B36, 0x282A36, 0x2E3440, 0x3F3F3F, 0xFFFFFF, 0xFDF6E3, 0xEEEEEE,
        0xE0E0D0, 0x7F7F7F, 0x808000,
    ]

    private func colour(_ colour: Pen.Colour, standard: RGB, table: [RGB] = []) -> RGB {
        switch colour {
        case .standard: standard
        case .exact(let colour): colour
        case .indexed(let index) where index < 16: table[Int(index)]
        case .indexed(let index): IndexedColoursTable.colour(Int(index))
        }
    }

    @Test(arguments: [Palette.Depth.indexed, .exact], backgrounds)
    func `each ink can be read on each ground`(depth: Palette.Depth, background: UInt32) {
        let background = RGB(background)
        let palette = Palette(depth: depth, background: background)
        // A terminal's own ink is readable on its own background; the contrast is its user's choice.
        let own = palette.isDark ? RGB.white : .black
        for ink in Self.inks {
            for ground in Self.grounds {
                let pen = palette.pen(Style(ink, on: ground))
                let contrast = colour(pen.ink, standard: own).contrast(with: colour(pen.ground, standard: background))
                #expect(
                    contrast >= (ink == .tertiary ? 3 : 4.5) || (pen.ink == .standard && pen.ground == .standard),
                    "\(ink) on \(ground): \(contrast)")
                #expect(pen.ink != .standard || pen.ground == .standard, "\(ink) on \(ground)")
            }
        }
    }

    /// Of the 256 colours, the nearest grey may be a little outside.
    @Test(arguments: [(Palette.Depth.indexed, 1.2...1.7), (.exact, 1.3...1.5)], backgrounds)
    func `lines are faint on each ground`(depth: (Palette.Depth, ClosedRange<Double>), background: UInt32) {
        let background = RGB(background)
        let palette = Palette(depth: depth.0, background: background)
        for ground in Self.grounds {
            let pen = palette.pen(Style(.line, on: ground))
            let contrast = colour(pen.ink, standard: background)
                .contrast(with: colour(pen.ground, standard: background))
            #expect(depth.1.contains(contrast), "on \(ground): \(contrast)")
        }
    }

    @Test func `a style keeps its colours`() {
        for ink in Self.inks + [.line] {
            for ground in Self.grounds {
                let style = Style(ink, on: ground, .bold)
                #expect(style.ink == ink && style.ground == ground && style.attributes == .bold)
            }
        }
    }

    @Test(arguments: [Palette.Depth.indexed, .exact], [UInt32(0x161618), 0xFFFFFF, 0x002B36, 0xFDF6E3])
    func `text and lines are grey, on whatever ground`(depth: Palette.Depth, background: UInt32) {
        let palette = Palette(depth: depth, background: RGB(background))
        for ink: ForegroundRole in [.text, .secondary, .tertiary] {
            for ground in Self.grounds {
                guard case .indexed(let index) = palette.pen(Style(ink, on: ground)).ink else { continue }
                let colour = IndexedColoursTable.colour(Int(index))
                #expect(colour.red == colour.green && colour.green == colour.blue, "\(ink) on \(ground): \(colour)")
            }
        }
    }

    /// Only the names of the sixteen colours are known; most terminals use these tables.
    @Test(arguments: [true, false], [SixteenColours.xterm, SixteenColours.console])
    func `sixteen colours are taken so that each can be read`(isDark: Bool, table: [RGB]) {
        let background: RGB = isDark ? .black : .white
        let palette = Palette(depth: .sixteen, background: background)
        for ink in Self.inks + [.line] {
            for ground in Self.grounds {
                let pen = palette.pen(Style(ink, on: ground))
                let own: RGB = isDark ? table[7] : .black
                let contrast = colour(pen.ink, standard: own, table: table)
                    .contrast(with: colour(pen.ground, standard: background, table: table))
                #expect(contrast >= 4.5, "\(ink) on \(ground): \(contrast)")
            }
        }
    }

    /// Exact colours of the table: each is its own nearest colour, however distances are measured.
    @Test func `a tint that is in the table of 256 colours is drawn in exactly that colour`() {
        let palette = Palette(depth: .indexed, background: .black)
        for index in 16...255 {
            let colour = IndexedColoursTable.colour(index)
            guard case .indexed(let drawn) = palette.pen(Style(on: .tint(Tint(colour)))).ground else {
                // Black is the terminal's own background here.
                #expect(colour == .black)
                continue
            }
            #expect(IndexedColoursTable.colour(Int(drawn)) == colour, "\(index)")
        }
    }

    @Test(arguments: [
        (0xFF0000, 196), (0x00FF00, 46), (0x0000FF, 21), (0xFFFF00, 226), (0x00FFFF, 51), (0xFF00FF, 201),
        (0xFFFFFF, 231), (0x808080, 244), (0x101010, 233), (0xEFEFEF, 255), (0x0A84FF, 33), (0xFF5A50, 203),
        (0xFF9F0A, 214), (0xFFD60A, 220), (0x32D74B, 77), (0xBF7AF2, 141),
    ])
    func `these colours have these nearest ones of 256`(number: UInt32, index: UInt8) {
        let palette = Palette(depth: .indexed, background: .black)
        #expect(palette.pen(Style(on: .tint(Tint(RGB(number))))).ground == .indexed(index))
    }

    @Test func `the nearest of 256 colours is the one with the least distance, also for random colours`() {
        var random = SplitMix64(seed: 34)
        let palette = Palette(depth: .indexed, background: .black)
        for _ in 0..<2_000 {
            let colour = RGB(UInt32.random(in: 1..<1 << 24, using: &random))
            guard case .indexed(let drawn) = palette.pen(Style(on: .tint(Tint(colour)))).ground else { continue }
            let least = (16...255).map { Self.redmean(colour, IndexedColoursTable.colour($0)) }.min()!
            let distance = Self.redmean(colour, IndexedColoursTable.colour(Int(drawn)))
            #expect(abs(distance - least) < 1e-6, "\(colour) is drawn as \(drawn)")
        }
    }

    /// The published formula in floating point: https://www.compuphase.com/cmetric.htm
    private static func redmean(_ a: RGB, _ b: RGB) -> Double {
        let mean = (Double(a.red) + Double(b.red)) / 2
        let (r, g, b) = (
            Double(a.red) - Double(b.red), Double(a.green) - Double(b.green), Double(a.blue) - Double(b.blue)
        )
        return (2 + mean.rounded(.down) / 256) * r * r + 4 * g * g + (2 + (255 - mean.rounded(.down)) / 256) * b * b
    }

    @Test func `without colours attributes tell apart what is focused`() {
        let palette = Palette(depth: .none, background: .black)
        for ink in Self.inks {
            for ground in Self.grounds {
                let pen = palette.pen(Style(ink, on: ground))
                #expect(pen.ink == .standard && pen.ground == .standard)
            }
        }
        #expect(palette.pen(Style(on: .selected)).attributes == .reverse)
        #expect(palette.pen(Style(on: .selectedUnfocused)).attributes == .underline)
        #expect(palette.pen(Style(.secondary)).attributes == .dim)
        #expect(palette.pen(Style(.text, on: .selected, [.bold, .reverse])).attributes == .bold)
    }

    @Test func `attributes that a terminal has not are left out`() {
        let palette = Palette(depth: .exact, background: .black, attributes: [.bold])
        #expect(palette.pen(Style(.text, on: .base, [.bold, .italic])).attributes == .bold)
    }

    @Test func `plain text is the terminal's own`() {
        for depth in [Palette.Depth.none, .sixteen, .indexed, .exact] {
            #expect(Palette(depth: depth, background: .white).pen(Style()) == .standard)
        }
    }
}

extension Tint {
    fileprivate init(_ colour: RGB) { self = .exact(red: colour.red, green: colour.green, blue: colour.blue) }
}

enum SixteenColours {
    static let xterm: [RGB] = [
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00,
        0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ].map { RGB($0) }
    static let console: [RGB] = [
        0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA, 0x555555, 0xFF5555, 0x55FF55,
        0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF,
    ].map { RGB($0) }
}

/// Computed independently of the production code: xterm's table, `6×6×6` and greys.
enum IndexedColoursTable {
    static func colour(_ index: Int) -> RGB {
        if index >= 232 {
            let grey = UInt32(8 + 10 * (index - 232))
            return RGB(grey * 0x10101)
        }
        let steps: [UInt32] = [0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF]
        let place = index - 16
        return RGB(steps[place / 36] << 16 | steps[place / 6 % 6] << 8 | steps[place % 6])
    }
}
