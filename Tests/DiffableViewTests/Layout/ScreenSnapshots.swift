import DiffableView
import Foundation
import Testing

/// Compares a screen with the picture of it that lies in Snapshots. `make snapshots` draws them all anew: look at what
/// `git diff` shows then.
///
/// A picture that is missing is drawn, and the test fails that once: somebody has to look at it.
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
