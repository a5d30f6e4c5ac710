import Diffable
import DiffableJSON
import DiffableView

/// A viewer with a screen that is drawn after each event, and a manual clock.
struct ViewerScreen {
    private(set) var viewer: Viewer
    private(set) var time = Duration.zero
    /// The effects of the last event.
    private(set) var effects: [ViewerEffect] = []
    private(set) var grid: Grid
    /// Whether to draw the grid, which takes most of the time.
    private let isDrawn: Bool
    private var revision = 0
    private(set) var snapshot = Snapshot()
    /// The last requested view.
    private var question: (json: String, number: Int)?

    init(
        columns: Int = 80, rows: Int = 12, lists: [ListName] = ["list"], isDrawn: Bool = true,
        _ change: (inout ViewerOptions) -> Void = { _ in }
    ) {
        var options = ViewerOptions(
            condition: { text throws(TypingError) in
                guard text.contains("=") else { throw TypingError("no condition: \(text)") }
                return "{\"path\":\"/n\",\"equals\":1}"
            }, sortKey: { text in "\"/\(text)\"" })
        change(&options)
        viewer = Viewer(lists: lists, columns: columns, rows: rows, options: options)
        grid = Grid(columns: columns, rows: rows)
        self.isDrawn = isDrawn
        draw()
    }

    mutating func start(at milliseconds: Int) { viewer.startTime = milliseconds }

    mutating func draw() {
        if isDrawn { drawGrid() }
        _ = viewer.handle(.drawn, at: time)
    }

    private mutating func drawGrid() {
        var next = Grid(columns: grid.columns, rows: grid.rows, after: grid)
        viewer.draw(into: &next)
        grid = next
    }

    var drawnText: String {
        var copy = self
        copy.drawGrid()
        return copy.grid.text
    }

    /// Handles an event, and draws the screen.
    mutating func handle(_ event: ViewerEvent) {
        effects = viewer.handle(event, at: time)
        for case .setView(_, let json, let number) in effects { question = (json, number) }
        if case .resized(let columns, let rows) = event { grid = Grid(columns: columns, rows: rows) }
        draw()
    }

    /// Returns the last requested view if it has not been answered.
    mutating func takeQuestion() -> (json: String, number: Int)? {
        defer { question = nil }
        return question
    }

    mutating func wait(_ duration: Duration) {
        time += duration
        handle(.timer)
    }

    /// Types text key by key.
    mutating func press(_ text: String) {
        for scalar in text.unicodeScalars { press(.character(scalar)) }
    }

    mutating func press(_ key: Key, _ modifiers: KeyModifiers = []) { handle(.key(KeyPress(key, modifiers))) }

    // MARK: - Other clients

    /// Shows another state of the list, long before the next key.
    mutating func show(
        _ snapshot: Snapshot, extent: Window.Extent? = nil, epoch: String = "", queryNumber: Int = 0
    ) {
        showJustNow(snapshot, extent: extent, epoch: epoch, queryNumber: queryNumber)
        wait(.milliseconds(250))
    }

    mutating func showJustNow(
        _ snapshot: Snapshot, extent: Window.Extent? = nil, epoch: String = "", queryNumber: Int = 0, list: Int = 0
    ) {
        self.snapshot = snapshot
        revision += 1
        handle(
            .update(
                ViewedState(snapshot, extent: extent, revision: revision, epoch: epoch, queryNumber: queryNumber),
                list: list))
    }

    mutating func change(_ operations: ListOperation...) throws { show(try snapshot.applying(operations)) }

    // MARK: - The screen

    var cursor: String? {
        switch viewer.cursor {
        case .item(let id)?: id.description
        case .header(let id)?: "header \(id)"
        case .more(let id)?: "more \(id)"
        case .placeholder(let index)?: "placeholder \(index)"
        case let other?: "\(other)"
        case nil: nil
        }
    }

    /// Returns the line of a row; nil if it is not on the screen.
    func line(_ id: ItemID) -> Int? { viewer.scene.frame(of: .item(id))?.rectangle.row }

    var requests: [ViewerRequest.Kind] {
        effects.compactMap { effect in
            if case .request(let request) = effect { request.kind } else { nil }
        }
    }

    var lines: [String] { grid.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    var status: String { lines[grid.rows - 1] }
}

extension String {
    /// Whether this view searches for the words from the first row on.
    func isSearch(for words: String) -> Bool {
        hasPrefix(#"{"search":{"words":"\#(words)","in":["#) && hasSuffix(#"]},"window":{"limit":2000,"offset":0}}"#)
    }
}

extension Snapshot {
    /// Returns a list with these ids in one section, with the actions of the tests.
    static func rows(_ ids: some Sequence<String>, list: String = "{}") throws -> Snapshot {
        try Snapshot(
            [
                Section(
                    id: "main",
                    items: try ids.map {
                        Item(id: try ItemID($0), content: try Content(json: "{\"text\":\"Row \($0)\"}"))
                    })
            ], content: try Content(json: list))
    }

    static func numbered(_ range: Range<Int>, list: String = "{}") throws -> Snapshot {
        try rows(range.map { "i\($0)" }, list: list)
    }
}
