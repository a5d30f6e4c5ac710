import Diffable
import DiffableJSON
import DiffableView

/// The list of a viewer, and the keys pressed then.
private struct ScreenInput {
    let columns: Int
    let rows: Int
    let isASCII: Bool
    let keys: UnsafeRawBufferPointer.SubSequence
    let list: UnsafeRawBufferPointer

    /// The first three bytes are the size of the screen, whether it is ASCII, and how many of the following bytes are keys.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 3 else { return nil }
        columns = 1 + Int(bytes[0]) % 160
        rows = 1 + Int(bytes[1]) % 50
        isASCII = bytes[2] & 1 == 1
        let keyCount = min(Int(bytes[2] >> 1) % 32, bytes.count - 3)
        keys = bytes[3..<3 + keyCount]
        list = UnsafeRawBufferPointer(rebasing: bytes[(3 + keyCount)...])
    }

    var snapshot: Snapshot? {
        guard let whole = try? WholeList(json: list, limits: .server) else { return nil }
        return try? Snapshot(whole)
    }
}

private let namedKeys: [Key] = [
    .up, .down, .left, .right, .enter, .escape, .home, .end, .pageUp, .pageDown, .tab, .backspace, .delete,
]

/// A byte below 32 is a named key, one from 128 on a mouse press, the others are typed.
private func event(_ byte: UInt8, columns: Int, rows: Int) -> ViewerEvent {
    let place = Int(byte) &* 37
    switch byte {
    case 0..<32: return .key(KeyPress(namedKeys[Int(byte) % namedKeys.count]))
    case 32..<128: return .key(KeyPress(.character(Unicode.Scalar(byte))))
    default:
        let action: MouseEvent.Action = [.press(.left), .drag(.left), .release(.left), .wheel(.down)][Int(byte) % 4]
        return .mouse(MouseEvent(action, column: place % columns, row: Int(byte) % rows))
    }
}

private func viewer(_ input: ScreenInput) -> Viewer {
    var options = ViewerOptions(
        condition: { text throws(TypingError) in throw TypingError("\(text) is no condition") },
        sortKey: { text throws(TypingError) in throw TypingError("\(text) is no path") })
    options.symbols = input.isASCII ? .ascii : .unicode
    return Viewer(lists: ["list", "other"], columns: input.columns, rows: input.rows, options: options)
}

/// Draws one frame.
func decodeScreen(_ bytes: UnsafeRawBufferPointer) {
    guard let input = ScreenInput(bytes), let snapshot = input.snapshot else { return }
    var grid = Grid(columns: input.columns, rows: input.rows)
    Layout.scene(of: Document(snapshot), in: Viewport(columns: input.columns, rows: input.rows)).draw(into: &grid)
}

func checkScreen(_ bytes: UnsafeRawBufferPointer) throws {
    guard let input = ScreenInput(bytes), let snapshot = input.snapshot else { return }
    var viewer = viewer(input)
    var grid = Grid(columns: input.columns, rows: input.rows)
    _ = viewer.handle(.update(ViewedState(snapshot, revision: 1), list: 0), at: .zero)
    _ = viewer.handle(.update(ViewedState(snapshot, revision: 1), list: 1), at: .zero)
    try checkFrame(&viewer, &grid, input)
    var request = 0
    for (index, byte) in input.keys.enumerated() {
        let now = Duration.milliseconds(100 * (index + 1))
        let effects = viewer.handle(event(byte, columns: input.columns, rows: input.rows), at: now)
        for case .request in effects {
            request += 1
            _ = viewer.handle(.reply(ViewerReply(request: request, .refused("no"))), at: now)
        }
        try checkFrame(&viewer, &grid, input)
    }
}

/// Checks that each cell is part of a cluster that fits the screen and contains no control characters.
private func checkFrame(_ viewer: inout Viewer, _ grid: inout Grid, _ input: ScreenInput) throws {
    grid = Grid(columns: input.columns, rows: input.rows, after: grid)
    viewer.draw(into: &grid)
    _ = viewer.handle(.drawn, at: .zero)
    for row in 0..<grid.rows {
        var column = 0
        while column < grid.columns {
            let cell = grid[row, column]
            try hold(1...2 ~= cell.width, "a cell is \(cell.width) columns wide")
            try hold(
                cell.width == 1 || column + 1 < grid.columns && grid[row, column + 1].isContinuation,
                "a wide cluster is cut")
            column += cell.width
            if cell.isBlank { continue }
            let text = grid.text(of: cell)
            try hold(!text.isEmpty && text.utf8.count <= 256, "a cell has \(text.utf8.count) bytes")
            for scalar in text.unicodeScalars {
                let properties = scalar.properties
                try hold(
                    properties.generalCategory != .control && !properties.isBidiControl,
                    "U+\(String(scalar.value, radix: 16)) is drawn")
                try hold(!input.isASCII || scalar.isASCII, "\(text) is drawn where only ASCII can be")
            }
        }
    }
    if let cursor = grid.cursor {
        try hold(
            0..<grid.columns ~= cursor.column && 0..<grid.rows ~= cursor.row, "the cursor is not on the screen")
    }
}
