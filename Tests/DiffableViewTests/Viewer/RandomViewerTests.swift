import Diffable
import DiffableJSON
import DiffableView
import Foundation
import TestSupport
import Testing

/// Keys and other clients' changes in any order, against the promises of docs/viewer.md: nothing acts on a row that was not
/// under the cursor, and other clients do not move the visible rows.
@Suite struct RandomViewerTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["DIFFABLED_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    private static let count =
        environment["DIFFABLED_STEPS"].flatMap { Int($0) } ?? (environment["DIFFABLED_SOAK"] == nil ? 1_500 : 1_000_000)
    private static let stepsOfOneViewer = 100

    @Test func `keys and changes in any order act on no other row and move no row`() throws {
        print("keys and changes: DIFFABLED_SEED=\(Self.seed)")
        // The first run uses the seed itself, so that the seed of any run repeats it.
        for number in 0..<UInt64(Self.count / Self.stepsOfOneViewer) {
            var run = try RandomRun(seed: Self.seed &+ number)
            for _ in 0..<Self.stepsOfOneViewer { try run.step() }
        }
    }
}

private struct RandomRun {
    private let seed: UInt64
    fileprivate var random: SplitMix64
    fileprivate var screen: ViewerScreen
    /// The latest state of the list, shown or not.
    private var list: Snapshot
    private var lastID = 0
    private var request = 0
    /// Whether the left button is down.
    fileprivate var isPressed = false

    private static let look = """
        {"header":"Things","selection":"multiple","canReorder":true,"trailingActions":[{"id":"a","title":"A","key":"a","multiple":true}],
         "kinds":{"":{"actions":[{"id":"p","title":"P","style":"primary"},
           {"id":"d","title":"D","key":"d","style":"destructive","operations":[{"op":"deleteItems","items":["$item"]}]}]}}}
        """

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(seed: seed)
        screen = ViewerScreen(
            columns: 30 + Int(random.next() % 40), rows: 6 + Int(random.next() % 10), isDrawn: false)
        list = try Snapshot([Section(id: "s"), Section(id: "t")], content: try Content(json: Self.look))
        for _ in 0..<Int.random(in: 0...30, using: &random) { try change() }
        screen.show(list)
    }

    mutating func step() throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try showChange()
        case 4: screen.wait(.milliseconds(Int.random(in: 0...300, using: &random)))
        default: try press()
        }
    }

    // MARK: - Others

    private mutating func showChange() throws {
        let before = Looked(screen)
        for _ in 0...Int.random(in: 0...2, using: &random) { try change() }
        screen.showJustNow(list)
        try before.expectStays(in: screen, seed: seed)
    }

    private mutating func change() throws {
        let ids = list.itemIdentifiers
        let some = ids.randomElement(using: &random)
        var operations: [ListOperation] = []
        switch (Int.random(in: 0..<8, using: &random), some) {
        case (0...1, let some?):
            operations = [.insertItems([try newItem()], at: Bool.random(using: &random) ? .before(some) : .after(some))]
        case (2, let some?): operations = [.deleteItems([some])]
        case (3, let some?):
            let other = ids.randomElement(using: &random)!
            operations = [.moveItem(some, to: .before(other))]
        case (4, let some?):
            let text = String(repeating: "word ", count: Int.random(in: 1...60, using: &random))
            operations = [
                .reconfigureItems([
                    ItemReconfiguration(id: some, content: try Content(json: "{\"text\":\"\(text)\",\"lines\":0}"))
                ])
            ]
        case (5, let some?): operations = [.expandItems([some]), .appendItems([try newItem()], to: .parent(some))]
        case (6, let some?): operations = [Bool.random(using: &random) ? .expandItems([some]) : .collapseItems([some])]
        default: operations = [.appendItems([try newItem()], to: .section(Bool.random(using: &random) ? "s" : "t"))]
        }
        // An item cannot move under itself, or next to itself.
        list = (try? list.applying(operations)) ?? list
    }

    private mutating func newItem() throws -> Item {
        lastID += 1
        return Item(id: try ItemID("n\(lastID)"), content: try Content(json: "{\"text\":\"New \(lastID)\"}"))
    }

    // MARK: - The user

    private mutating func press() throws {
        let looked = Looked(screen)
        let keys: [KeyPress] = "jjjjkkkklhgG v.p:<>ady\r\u{1B}n".unicodeScalars.map { scalar in
            switch scalar {
            case "\r": KeyPress(.enter)
            case "\u{1B}": KeyPress(.escape)
            default: KeyPress(.character(scalar))
            }
        }
        let others = [
            KeyPress(.down, .alt), KeyPress(.up, .alt), KeyPress(.pageDown), KeyPress(.pageUp), KeyPress(.tab),
            KeyPress(.down, .shift), KeyPress(.character("d"), .control), KeyPress(.right), KeyPress(.enter),
        ]
        switch Int.random(in: 0..<12, using: &random) {
        case 0 where Bool.random(using: &random): useMouse()
        // A dragged row may be far away when it is dropped.
        case 0 where !isPressed:
            let wheel: MouseEvent.Wheel = Bool.random(using: &random) ? .up : .down
            screen.handle(.mouse(MouseEvent(.wheel(wheel), column: 3, row: 3)))
        case 1: screen.press(others.randomElement(using: &random)!.key, others.randomElement(using: &random)!.modifiers)
        case 2...3:
            let key = others.randomElement(using: &random)!
            screen.press(key.key, key.modifiers)
        default:
            let key = keys.randomElement(using: &random)!
            screen.press(key.key, key.modifiers)
        }
        for kind in screen.requests {
            try looked.expectSeen(kind, seed: seed)
            request += 1
            let isDone = Bool.random(using: &random)
            if isDone, case .transact = kind {
                // The change is visible before the answer.
                if let item = looked.cursor, list.contains(item) { list = try list.applying([.deleteItems([item])]) }
                screen.showJustNow(list)
            }
            screen.handle(
                .reply(ViewerReply(request: request, isDone ? .done(revision: nil) : .refused("Not now"))))
        }
    }
}

extension RandomRun {
    /// Presses anywhere, and drags from there.
    fileprivate mutating func useMouse() {
        let column = Int.random(in: 0..<screen.grid.columns, using: &random)
        let row = Int.random(in: 0..<screen.grid.rows, using: &random)
        let action: MouseEvent.Action =
            isPressed
            ? (Bool.random(using: &random) ? .drag(.left) : .release(.left))
            : (Bool.random(using: &random) ? .press(.left) : .press(.right))
        isPressed = action == .press(.left) || action == .drag(.left)
        screen.handle(.mouse(MouseEvent(action, column: column, row: row)))
    }
}

/// The screen at the moment of an event.
private struct Looked {
    let cursor: ItemID?
    let marks: Set<ItemID>
    /// The rows and their lines on the screen.
    private let lines: [(row: RowID, line: Int)]
    private let focused: RowID?
    private let screen: ViewerScreen
    private let isLimited: Bool
    /// The first line in which rows are not covered.
    private let top: Int

    init(_ screen: ViewerScreen) {
        cursor = screen.viewer.cursor?.item
        marks = screen.viewer.marks
        let scene = screen.viewer.scene
        lines = scene.frames.map { ($0.id, $0.rectangle.row) }
        focused = screen.viewer.cursor
        self.screen = screen
        isLimited = scene.showsTop || scene.showsEnd
        // A pinned header has no place of its own, so it may return to it.
        let held = scene.frames.filter { frame in
            scene.anchor(of: frame.id)?.line != frame.rectangle.row - scene.rows.lowerBound
        }
        top = held.map(\.rectangle.rows.upperBound).max() ?? scene.rows.lowerBound
    }

    /// Checks that an action applies to the row under the cursor, or to marked rows.
    func expectSeen(_ kind: ViewerRequest.Kind, seed: UInt64) throws {
        let items: [ItemID]
        switch kind {
        case .perform(_, let performed, _, _): items = performed
        case .transact(let json), .propose(let json):
            let value = ContentValue(try Content(json: json))
            items = try (value.elements ?? []).flatMap { operation in
                try (operation["items"]?.elements ?? [operation["item"]].compactMap(\.self)).compactMap { item in
                    try (item.text ?? item["id"]?.text).map { try ItemID($0) }
                }
            }
        case .expand(let item): items = [item]
        case .undo, .redo: items = []
        }
        let wereSeen = items.allSatisfy { $0 == cursor || marks.contains($0) }
        #expect(
            wereSeen,
            "seed \(seed): \(items) were done something with, \(String(describing: cursor)) was under the cursor")
        if items == cursor.map({ [$0] }) {
            #expect(
                lines.contains { $0.row == .item(items[0]) },
                "seed \(seed): \(items[0]) was not on the screen for \(kind):\n\(screen.drawnText)")
        }
    }

    /// Checks that the row under the cursor stays in place if its beginning is visible, or else the first remaining row.
    func expectStays(in screen: ViewerScreen, seed: UInt64) throws {
        let scene = screen.viewer.scene
        // At its ends a list cannot scroll further.
        if isLimited || scene.showsTop || scene.showsEnd { return }
        let seen = lines.filter { $0.line >= top }
        let candidates = seen.filter { $0.row == focused } + seen.filter { $0.row != focused }
        guard let (row, line) = candidates.first else { return }
        if let item = row.item {
            // It may be below a row that is collapsed, in the list or only in this viewer.
            guard scene.drawnRow(of: item) == row else { return }
            if row != focused, scene.frame(of: row) == nil { return }
        }
        let newLine = scene.frame(of: row)?.rectangle.row
        #expect(
            newLine == line,
            """
            seed \(seed): \(row) went from line \(line) to \(String(describing: newLine)):
            \(self.screen.drawnText)
            \(screen.drawnText)
            """)
    }
}
