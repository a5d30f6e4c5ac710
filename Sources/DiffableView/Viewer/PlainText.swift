import Diffable
import DiffableJSON

/// A list as lines of text: its rows without boxes, separators and colours. It also serves screen readers.
package enum PlainText {
    private static let lineMax = 100_000

    package static func lines(of snapshot: Snapshot, _ options: ViewerOptions, columns: Int, at now: Int = 0)
        -> [String]
    {
        var document = Document(snapshot, user: plainLook(options.look), wording: .spoken)
        if options.filter.opensAll { document.closedInMatches = [] }
        // Rows take a line or two; a list that takes more is drawn again with room for all.
        var height = min(max(document.rowCount * 2 + snapshot.numberOfSections * 4 + 8, 16), lineMax)
        while true {
            var viewport = Viewport(columns: columns, rows: height)
            viewport.symbols = options.symbols
            viewport.clock = WallClock(now: now, offset: options.zoneOffset)
            viewport.isFiltered = options.filter.leavesOut
            let scene = Layout.scene(of: document, in: viewport)
            guard scene.showsEnd || height >= lineMax else {
                height = min(height * 4, lineMax)
                continue
            }
            var grid = Grid(columns: columns, rows: height)
            scene.draw(into: &grid)
            var lines = grid.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            while lines.last?.isEmpty == true { lines.removeLast() }
            return lines
        }
    }

    /// Without boxes and lines between rows, even if the list defines them.
    private static func plainLook(_ look: Content?) -> Content? {
        var members: [ContentValue.Member] = []
        if case .object(let known)? = look.map({ ContentValue($0) }) { members = known }
        members = members.filter { !["appearance", "separators"].contains($0.name) }
        members.append(.init("appearance", .text("plain")))
        members.append(.init("separators", .boolean(false)))
        return try? Content(json: ContentValue.object(members).json)
    }
}
