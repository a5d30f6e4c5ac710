internal import DiffableView

/// The bytes of a frame, and the cursor and pen of the terminal after them.
struct TerminalOutput: Sendable {
    /// Whether the first row is below lines of other programs, and not the first row of the screen. Then every motion is
    /// relative, because the terminal moves those lines when its size changes.
    let isBelowLines: Bool
    private(set) var bytes: [UInt8] = []
    /// The cursor's position. It is nil when only an absolute motion makes it known: at startup, after the last column, and
    /// after a cluster with a disputed width.
    private(set) var position: Grid.Position? = nil {
        didSet { if let position { row = position.row } }
    }
    /// The cursor's row, which is known when its column is not, because nothing wraps.
    private var row = 0
    /// The pen; nil when it is unknown.
    private(set) var pen: Pen?

    init(isBelowLines: Bool) { self.isBelowLines = isBelowLines }

    mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func appendDecimal(_ number: Int) { bytes.append(decimal: number) }

    /// Appends `ESC [ number final`, without the number if it is 1.
    mutating func appendSequence(_ number: Int = 1, _ final: Unicode.Scalar) {
        append("\u{1B}[")
        if number != 1 { bytes.append(decimal: number) }
        bytes.append(UInt8(ascii: final))
    }

    mutating func forgetPosition() { position = nil }

    /// Limits scrolling to the rows above this one; nil for all rows. This moves the cursor to the first row.
    mutating func setMargin(above row: Int?) {
        append("\u{1B}[")
        if let row {
            append(";")
            appendDecimal(row)
        }
        append("r")
        position = Grid.Position(column: 0, row: 0)
    }

    mutating func set(_ pen: Pen) {
        pen.appendChange(from: self.pen, to: &bytes)
        self.pen = pen
    }

    /// Moves the cursor in the fewest bytes.
    mutating func move(to target: Grid.Position) {
        guard let position else { return moveAbsolutely(to: target) }
        if position == target { return }
        let down = target.row - position.row
        let isOnTheWay = target.column == 0 || target.column == position.column
        // An absolute motion to a row above 9 takes two digits, which are as long as two newlines.
        let linesMax = isOnTheWay ? 3 : target.row >= 9 ? 2 : 1
        if 1...linesMax ~= down {
            // The target is never below the last row, so nothing scrolls.
            for _ in 0..<down { bytes.append(0x0A) }
            moveAcross(from: position.column, to: target.column)
        } else if down == 0 {
            moveAcross(from: position.column, to: target.column)
        } else if target.column == position.column {
            appendSequence(abs(down), down > 0 ? "B" : "A")
        } else {
            return moveAbsolutely(to: target)
        }
        self.position = target
    }

    private mutating func moveAcross(from column: Int, to target: Int) {
        if target == column { return }
        if target == 0 {
            bytes.append(0x0D)
        } else if target > column {
            appendSequence(target - column, "C")
        } else if column - target <= 4 {
            for _ in target..<column { bytes.append(0x08) }
        } else {
            appendSequence(target + 1, "G")
        }
    }

    mutating func moveAbsolutely(to target: Grid.Position) {
        if isBelowLines { return moveFromRow(to: target) }
        append("\u{1B}[")
        if target.row > 0 || target.column > 0 { bytes.append(decimal: target.row + 1) }
        if target.column > 0 {
            bytes.append(UInt8(ascii: ";"))
            bytes.append(decimal: target.column + 1)
        }
        bytes.append(UInt8(ascii: "H"))
        position = target
    }

    private mutating func moveFromRow(to target: Grid.Position) {
        bytes.append(0x0D)
        let down = target.row - row
        if down != 0 { appendSequence(abs(down), down > 0 ? "B" : "A") }
        if target.column > 0 { appendSequence(target.column, "C") }
        position = target
    }

    /// Makes room for a frame of another size, from the first row on.
    mutating func makeRoom(_ size: TerminalSize) {
        set(.standard)
        moveFromRow(to: Grid.Position(column: 0, row: 0))
        bytes += TerminalModes.roomText(size).utf8
        position = nil
    }

    /// Writes a cell at the cursor.
    mutating func write(_ cell: Cell, of grid: Grid) {
        grid.append(cell, to: &bytes)
        advance(cell.width, columns: grid.columns, isKnown: !cell.isDoubtful)
    }

    /// Writes one scalar. The cursor's position after it is unknown.
    mutating func write(_ scalar: Unicode.Scalar) {
        bytes.append(contentsOf: UTF8.encode(scalar)!)
        position = nil
    }

    mutating func writeBlanks(_ count: Int, columns: Int) {
        for _ in 0..<count { bytes.append(0x20) }
        advance(count, columns: columns, isKnown: true)
    }

    private mutating func advance(_ count: Int, columns: Int, isKnown: Bool) {
        guard let position, isKnown, position.column + count < columns else {
            self.position = nil
            return
        }
        self.position = Grid.Position(column: position.column + count, row: position.row)
    }
}
