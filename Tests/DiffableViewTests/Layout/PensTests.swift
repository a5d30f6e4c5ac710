import Diffable
import DiffableTerminal
import DiffableView
import Testing

/// The pictures' styles on terminals: dark and light, with all colours, 256, 16 and none.
@Suite struct PensTests {
    private static let terminals: [(name: String, palette: Palette)] = [
        ("dark", RGB(0x161618)), ("light", .white),
    ].flatMap { name, background in
        [Palette.Depth.exact, .indexed, .sixteen, .none].map { depth in
            ("\(name), \(depth)", Palette(depth: depth, background: background))
        }
    }

    @Test func `each style of the pictures has the pens of its picture`() throws {
        var styles: Set<Style> = []
        for (appearance, layout) in AppearanceTests.looks {
            let document = try Gallery.everything(appearance, layout)
            for hasKeyboard in [true, false] {
                var decoration = Decoration()
                decoration.focused = .item("bread")
                decoration.changed = ["apple": ChangeMark(places: [Rectangle(column: 4, row: 0, width: 12, height: 1)])]
                decoration.marked = ["soap"]
                decoration.flashing = .item("milk")
                decoration.hasKeyboard = hasKeyboard
                decoration.isDimmed = !hasKeyboard
                styles.formUnion(drawn(document, Viewport(columns: 80, rows: 28), decoration).cells.map(\.style))
            }
        }
        let lines = styles.map { style in
            let pens = Self.terminals.map { "    \($0.name): \(words($0.palette.pen(style)))" }
            return (["\(style)"] + pens).joined(separator: "\n")
        }
        try expectText(lines.sorted().joined(separator: "\n"), "pens")
    }

    private func words(_ pen: Pen) -> String {
        let attributes = "\(Style(.text, on: .base, pen.attributes))".dropFirst("text".count)
        return "\(words(pen.ink)) on \(words(pen.ground))\(attributes)"
    }

    private func words(_ colour: Pen.Colour) -> String {
        switch colour {
        case .standard: return "its own"
        case .indexed(let index): return "\(index)"
        case .exact(let colour):
            let number = UInt32(colour.red) << 16 | UInt32(colour.green) << 8 | UInt32(colour.blue)
            let digits = String(number, radix: 16)
            return "#" + String(repeating: "0", count: 6 - digits.count) + digits
        }
    }
}
