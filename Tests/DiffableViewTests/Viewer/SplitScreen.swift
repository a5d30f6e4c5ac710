import Diffable
@testable import DiffableView

/// A screen with lists side by side or a text beside them, that is drawn after each event.
struct SplitScreen {
    private(set) var viewer: SplitViewer
    private(set) var effects: [ViewerEffect] = []
    private(set) var grid: Grid
    private var time = Duration.zero
    private var revision = 0

    init(
        columns: Int = 80, rows: Int = 10, lists: [ListName] = ["a", "b"],
        _ arrangement: SplitViewer.Arrangement = .sideBySide, _ change: (inout ViewerOptions) -> Void = { _ in }
    ) {
        var options = ViewerOptions(
            condition: { text throws(TypingError) in throw TypingError(text) }, sortKey: { text in "\"/\(text)\"" })
        change(&options)
        viewer = SplitViewer(lists: lists, arrangement: arrangement, columns: columns, rows: rows, options: options)
        grid = Grid(columns: columns, rows: rows)
        draw()
    }

    private mutating func draw() {
        var next = Grid(columns: grid.columns, rows: grid.rows, after: grid)
        viewer.draw(into: &next)
        grid = next
        effects += viewer.handle(.drawn, at: time)
    }

    mutating func handle(_ event: ViewerEvent) {
        time += .milliseconds(250)
        effects = viewer.handle(event, at: time)
        if case .resized(let columns, let rows) = event { grid = Grid(columns: columns, rows: rows) }
        draw()
    }

    mutating func press(_ text: String) {
        for scalar in text.unicodeScalars { press(.character(scalar)) }
    }

    mutating func press(_ key: Key, _ modifiers: KeyModifiers = []) { handle(.key(KeyPress(key, modifiers))) }

    mutating func click(_ text: String, _ action: MouseEvent.Action = .press(.left)) throws {
        let row = lines.firstIndex { $0.contains(text) } ?? 0
        let line = lines[row]
        let column = line.indices.first { line[$0...].hasPrefix(text) }.map {
            line.distance(from: line.startIndex, to: $0)
        }
        handle(.mouse(MouseEvent(action, column: column ?? 0, row: row)))
        if case .press = action { handle(.mouse(MouseEvent(.release(.left), column: column ?? 0, row: row))) }
    }

    /// Shows a state of the list with this number.
    mutating func show(_ snapshot: Snapshot, list: Int) {
        revision += 1
        handle(.update(ViewedState(snapshot, revision: revision), list: list))
    }

    var lines: [String] { grid.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
    var status: String { lines[grid.rows - 1] }

    var requests: [ViewerRequest] {
        effects.compactMap { if case .request(let request) = $0 { request } else { nil } }
    }
}
