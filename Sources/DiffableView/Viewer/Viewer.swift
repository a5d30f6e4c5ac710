import Diffable

// A viewer of lists, as a state machine: an event in, effects out, and the screen as a function of the state. It is independent
// of the terminal, the client and the clock.
//
// Invariants:
//
// - Changes by others move no row that the user looks at (`Viewer+Showing`).
// - An action on a row applies to the row that was under the cursor when the screen was last drawn (`Viewer+Acting`).
// - While an overlay of a row is open, the rows stay as they are; changes are shown when it is closed.
// - Nothing is done without a connection, and nothing is queued for later.

/// Several lists, one of which is visible, and the user's interaction with them.
package struct Viewer: Sendable {
    var panes: [Pane]
    var selected = 0
    var options: ViewerOptions
    var columns: Int
    var rows: Int
    var mode = Mode.rows
    /// Whether the user has requested to hold the structure.
    var isHeld = false
    var hasFocus = true
    var message: Message?
    var lostSince: Duration?
    var flash: (row: RowID, end: Duration)?
    /// The time until which letters are ignored, after typing a new item was refused.
    var ignoredKeysEnd: Duration?
    package internal(set) var reportsMouse: Bool
    var lastPress: (row: RowID, time: Duration)?
    var pressed: Grid.Position?
    var lastSearch = ""
    var clipboard: CutRows?
    /// Whether Enter was pressed before the result of the search arrived.
    var awaitsFound = false
    /// The time until which no query is sent, because more keys wait that may change the search.
    var questionPause: Duration?
    private var keysWait = false
    /// The picked items, and the key that picked them unless it was Enter.
    package internal(set) var picked: [PickedItem] = []
    package internal(set) var pickingKey: KeyPress?
    package private(set) var scene: Scene
    private(set) var now = Duration.zero
    /// The time of the viewer's start, in milliseconds since 1970. It changes when the system's clock is set.
    package var startTime = 0
    var drawn = DrawnState()
    /// Whether the last key moved to other rows, so that the columns of tables may become wider.
    var widensTables = false
    private var lastRequest = 0
    private var effects: [ViewerEffect] = []
    package private(set) var needsDrawing = true

    enum Mode: Sendable {
        case rows
        case range(MarkedRange)
        case menu(Menu)
        case question(Question)
        case swipe(SwipedRow)
        case drag(Drag)
        case typing(Prompt)
        case help(Help)
        /// An error that is too long for the status line.
        case notice(String)
    }

    struct Message: Sendable {
        var text: String
        var end: Duration
        var isError = false
    }

    struct DrawnState: Sendable {
        var cursor: RowID?
        /// Whether changes by others have moved rows since then.
        var isOutdated = false
        /// The time until which actions on the row are refused, because another client's change moved it under the cursor.
        var guardEnd = Duration.zero
    }

    /// Without lists, it begins with the home screen, which `ViewerEvent.rows` fills.
    package init(lists: [ListName], columns: Int, rows: Int, options: ViewerOptions) {
        panes = lists.isEmpty ? [.home(options)] : lists.map { Pane($0, options: options) }
        if let rows = options.rows { panes[0].rows = rows }
        self.options = options
        self.columns = columns
        self.rows = rows
        reportsMouse = options.reportsMouse
        scene = Layout.scene(of: panes[0].document, in: Viewport(columns: columns, rows: rows))
        layOut()
        if let notice = options.notice { showMessage(notice, for: .seconds(10)) }
        if options.picking != .none { beginTyping(.search(label: options.prompt)) }
        if options.rows != nil {
            _ = answerLocally(pane.shownQuery, whole: options.picking != .none)
            requestView()
        }
    }

    /// Whether keys act on rows, and not on text or an overlay.
    var takesRowKeys: Bool { if case .rows = mode { true } else { false } }
    var showsHelp: Bool { if case .help = mode { true } else { false } }
    var selectedItem: PickedItem? { pane.cursor?.item.flatMap(pane.picked) }

    package var cursor: RowID? { pane.cursor }
    package var marks: Set<ItemID> { pane.marks }
    package var isLoaded: Bool { pane.isLoaded }

    /// The view with which each list is first followed.
    package var initialView: String { panes[0].shownQuery.json }

    package mutating func handle(_ event: ViewerEvent, at time: Duration) -> [ViewerEffect] {
        now = max(time, now)
        effects = []
        switch event {
        case .key, .mouse, .resized: widensTables = true
        case .update: widensTables = false
        default: break
        }
        switch event {
        case .key, .mouse, .absent, .connection(isUp: false): awaitsFound = false
        default: break
        }
        switch event {
        case .key(let key):
            pane.positionBeforeAbsence = nil
            questionPause = keysWait ? questionPause ?? now + Self.questionPauseMax : nil
            keysWait = false
            handle(key)
        case .keysWait: keysWait = true
        case .mouse(let mouse):
            pane.positionBeforeAbsence = nil
            handle(mouse)
        case .paste(let text): paste(text)
        case .resized(let columns, let rows): resize(columns: columns, rows: rows)
        case .focused(let hasFocus):
            self.hasFocus = hasFocus
            setNeedsDrawing()
        case .update(let state, let list): receive(state, list: list)
        case .absent(let absence, let list): note(absence, list: list)
        case .rows(let rows, let list): show(rows: rows, list: list)
        case .reply(let reply): receive(reply)
        case .edited(let list, let item, let revision): noteEdit(of: item, revision, list: list)
        case .handled(let request, let revision):
            panes[request.list].noteOwnChange(revision, before: request.revision, request.title)
            setNeedsDrawing()
        case .connection(let isUp): setConnection(isUp: isUp)
        case .open(let name): openList(name)
        case .failed(let text): showError(text)
        case .output, .outputEnded: break
        case .drawn: noteDrawn()
        case .timer: if let age = textDeadline, age <= now { layOut() }
        }
        expire()
        showWaitingStates()
        requestView()
        pickIfFound()
        return effects
    }
}

// MARK: - State

extension Viewer {
    var pane: Pane {
        get { panes[selected] }
        set { panes[selected] = newValue }
    }

    mutating func setNeedsDrawing() { needsDrawing = true }

    mutating func append(_ effect: ViewerEffect) { effects.append(effect) }

    mutating func showMessage(_ text: String, for duration: Duration = .seconds(4)) {
        message = Message(text: text, end: now + duration)
        setNeedsDrawing()
    }

    /// Says that something failed: in the status line, or in a box if that has too few lines.
    mutating func showError(_ text: String) {
        if case .rows = mode,
            wrapped(text, columns: max(columns - 4, 1), lines: Self.errorLinesMax + 1).count > Self.errorLinesMax
        {
            message = nil
            return enter(.notice(text))
        }
        showMessage(text, for: .seconds(8))
        message?.isError = true
    }

    private static let errorLinesMax = 3

    /// `title` describes the change for undo. `done` is the message after it; nil for the title.
    mutating func send(
        _ kind: ViewerRequest.Kind, row: RowID?, items: some Sequence<ItemID>, title: String = "", done: String? = nil,
        list: Int? = nil
    ) -> Int {
        let list = list ?? selected
        lastRequest += 1
        panes[list].requests[lastRequest] = Pane.PendingRequest(
            title: title, done: done ?? title, kind: kind, row: row, items: Set(items), begin: now)
        let revision = panes[list].newestRevision
        append(.request(ViewerRequest(number: lastRequest, list: list, revision: revision, kind, title: title)))
        setNeedsDrawing()
        return lastRequest
    }

    mutating func select(pane index: Int) {
        guard panes.indices.contains(index), index != selected else { return }
        mode = .rows
        open(pane: index)
    }

    /// Keys act on that list from now on.
    mutating func open(pane index: Int) {
        selected = index
        drawn.cursor = nil
        layOut()
    }

    private mutating func noteDrawn() {
        needsDrawing = false
        // Without a row before, the user cannot confuse this one with another.
        if drawn.isOutdated, let old = drawn.cursor, old != pane.cursor { drawn.guardEnd = now + Self.guardDuration }
        drawn.cursor = pane.cursor
        drawn.isOutdated = false
        prepareSearchedTexts()
    }

    private static let questionPauseMax = Duration.milliseconds(50)

    /// The time for which a row must have been visible under the cursor before an action, if another client's change moved it
    /// there.
    static let guardDuration = Duration.milliseconds(200)
}

// MARK: - Laying out

extension Viewer {
    /// Lays the screen out from the anchor, or from the top. `revealed` is a row that must be visible.
    mutating func layOut(revealing revealed: RowID? = nil) {
        var viewport = viewport()
        viewport.revealed = revealed
        viewport.widensTables = widensTables
        let top = ScreenRegions(viewport).rows.lowerBound
        viewport.anchor = pane.isFollowingTop ? nil : pane.anchor.map { Anchor(id: $0.id, line: $0.line - top) }
        scene = Layout.scene(of: pane.document, in: viewport)
        pane.carouselStarts.merge(scene.carouselStarts) { $1 }
        if pane.cursor == nil, pane.isLoaded {
            pane.cursor = scene.neighbour(of: .title, towards: .first)
        }
        if pane.isFollowingTop, revealed != nil, !scene.showsTop { pane.isFollowingTop = false }
        pane.anchor = stayingAnchor
        setNeedsDrawing()
    }

    /// Puts a row on a line of the screen, as far as the list allows.
    mutating func layOut(_ row: RowID, onLine line: Int, revealing revealed: RowID? = nil) {
        pane.isFollowingTop = false
        pane.anchor = Anchor(id: row, line: line)
        layOut(revealing: revealed)
    }

    /// The position of a row in lines of the screen; nil if it is invisible.
    func screenAnchor(of row: RowID?) -> Anchor? {
        guard let row, scene.frame(of: row) != nil, let anchor = scene.anchor(of: row) else { return nil }
        return Anchor(id: row, line: anchor.line + scene.rows.lowerBound)
    }

    var firstScreenAnchor: Anchor? {
        scene.firstAnchor.map { Anchor(id: $0.id, line: $0.line + scene.rows.lowerBound) }
    }

    /// The row under the cursor, if it begins on the screen. For a row that begins above the screen, the user sees only the
    /// end, which may vanish if the row becomes shorter.
    private var stayingAnchor: Anchor? {
        guard let own = screenAnchor(of: pane.cursor) else { return firstScreenAnchor }
        let top = scene.rows.lowerBound + scene.pinnedEnd
        return own.line >= top ? own : firstScreenAnchor.flatMap { $0.line >= top ? $0 : nil } ?? own
    }

    private mutating func resize(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        // The marks have places in the old layout.
        for list in panes.indices { panes[list].changes = [:] }
        layOut(revealing: screenAnchor(of: pane.cursor) == nil ? nil : pane.cursor)
    }
}
