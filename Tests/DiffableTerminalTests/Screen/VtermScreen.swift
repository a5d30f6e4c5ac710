import CVterm
import DiffableTerminal
import DiffableView

/// An independent terminal emulator: libvterm, which Vim and Neovim use.
final class VtermScreen {
    private let terminal: OpaquePointer
    private let screen: OpaquePointer
    private(set) var rows: Int
    private(set) var columns: Int

    init(columns: Int, rows: Int, hasAlternateScreen: Bool = true) {
        (self.columns, self.rows) = (columns, rows)
        terminal = vterm_new(Int32(rows), Int32(columns))
        vterm_set_utf8(terminal, 1)
        screen = vterm_obtain_screen(terminal)
        vterm_screen_enable_altscreen(screen, hasAlternateScreen ? 1 : 0)
        vterm_screen_reset(screen, 1)
        write(Array("\u{1B}[?1049h\u{1B}[?7l".utf8))
    }

    deinit { vterm_free(terminal) }

    func resize(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        vterm_set_size(terminal, Int32(rows), Int32(columns))
    }

    func write(_ bytes: some Collection<UInt8>) {
        let bytes = bytes.map { CChar(bitPattern: $0) }
        _ = vterm_input_write(terminal, bytes, bytes.count)
        vterm_screen_flush_damage(screen)
    }

    var cursor: Grid.Position {
        var position = VTermPos()
        vterm_state_get_cursorpos(vterm_obtain_state(terminal), &position)
        return Grid.Position(column: Int(position.col), row: Int(position.row))
    }

    struct Seen: Equatable {
        var text: String
        var width: Int
        var pen: Pen
    }

    /// Returns the content of a cell; the second half of a wide cluster has no text and no width.
    func cell(_ row: Int, _ column: Int) -> Seen {
        var cell = VTermScreenCell()
        vterm_screen_get_cell(screen, VTermPos(row: Int32(row), col: Int32(column)), &cell)
        if cell.chars.0 == UInt32.max { return Seen(text: "", width: 0, pen: Pen()) }
        var text = String.UnicodeScalarView()
        withUnsafeBytes(of: cell.chars) { bytes in
            for code in bytes.bindMemory(to: UInt32.self) {
                guard code != 0, let scalar = Unicode.Scalar(code) else { break }
                text.append(scalar)
            }
        }
        var pen = Pen()
        pen.ink = colour(cell.fg, isGround: false)
        pen.ground = colour(cell.bg, isGround: true)
        if cell.attrs.bold != 0 { pen.attributes.insert(.bold) }
        if cell.attrs.italic != 0 { pen.attributes.insert(.italic) }
        if cell.attrs.underline != 0 { pen.attributes.insert(.underline) }
        if cell.attrs.reverse != 0 { pen.attributes.insert(.reverse) }
        if cell.attrs.strike != 0 { pen.attributes.insert(.strikethrough) }
        return Seen(text: text.isEmpty ? " " : String(text), width: Int(cell.width), pen: pen)
    }

    private func colour(_ colour: VTermColor, isGround: Bool) -> Pen.Colour {
        let type = UInt32(colour.type)
        let standard = isGround ? VTERM_COLOR_DEFAULT_BG.rawValue : VTERM_COLOR_DEFAULT_FG.rawValue
        if type & standard != 0 { return .standard }
        if type & VTERM_COLOR_TYPE_MASK.rawValue == VTERM_COLOR_INDEXED.rawValue {
            return .indexed(colour.indexed.idx)
        }
        return .exact(RGB(colour.rgb.red, colour.rgb.green, colour.rgb.blue))
    }
}

extension VtermScreen {
    /// Describes the first difference between the screen and the grid, or returns nil. Skips clusters with disputed rendering,
    /// but not their neighbours.
    func difference(from grid: Grid, palette: Palette) -> String? {
        var pens: [Style: Pen] = [:]
        for row in 0..<grid.rows {
            var isDoubtful = false
            for column in 0..<grid.columns {
                let cell = grid[row, column]
                if cell.isContinuation {
                    if !isDoubtful, self.cell(row, column).width != 0 {
                        return "row \(row) column \(column): no second half, but \(self.cell(row, column))"
                    }
                    continue
                }
                isDoubtful = cell.isDoubtful
                if isDoubtful { continue }
                var pen = pens[cell.style] ?? palette.pen(cell.style)
                pens[cell.style] = pen
                // libvterm does not support dim text.
                pen.attributes.remove(.dim)
                let seen = self.cell(row, column)
                var text = grid.text(of: cell)
                // At the right edge, marks are left out.
                if column + cell.width == grid.columns { text = text.unicodeScalars.first.map { String($0) } ?? "" }
                let isSame = cell.isBlank ? blank(seen, pen) : seen == Seen(text: text, width: cell.width, pen: pen)
                if !isSame {
                    return "row \(row) column \(column): \(grid.text(of: cell)) \(pen), but it shows \(seen)"
                }
            }
        }
        return nil
    }

    private func blank(_ seen: Seen, _ pen: Pen) -> Bool {
        guard seen.text == " ", seen.width == 1 else { return false }
        let visible: Style.Attributes = [.underline, .strikethrough, .reverse]
        let shows = !pen.attributes.isDisjoint(with: visible) || !seen.pen.attributes.isDisjoint(with: visible)
        return shows ? seen.pen == pen : seen.pen.ground == pen.ground
    }
}
