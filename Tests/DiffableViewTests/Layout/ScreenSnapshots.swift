import DiffableView
import Foundation
import Testing

/// Compares a screen with its picture in Snapshots. `make snapshots` redraws all of them; check them with `git diff`.
///
/// A missing picture is drawn and the test fails once, so that a person checks the picture.
func expectScreen(
    _ grid: Grid, _ name: String, styles: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try expectText(grid.text + (styles ? "\n" + grid.styleText : ""), name, sourceLocation: sourceLocation)
}

func expectText(_ drawn: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots/\(name).txt")
    guard FileManager.default.fileExists(atPath: file.path()) else {
        try drawn.write(to: file, atomically: true, encoding: .utf8)
        Issue.record(
            "\(name) had no picture; now it has this one: look at it.\n\(drawn)", sourceLocation: sourceLocation)
        return
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    if expected != drawn {
        Issue.record("\(name) is drawn\n\(drawn)\nand was\n\(expected)", sourceLocation: sourceLocation)
    }
}

func drawn(_ document: Document, _ viewport: Viewport, _ decoration: Decoration = Decoration()) -> Grid {
    var grid = Grid(columns: viewport.columns, rows: viewport.rows)
    Layout.scene(of: document, in: viewport).draw(into: &grid, decoration: decoration)
    return grid
}
