import Diffable

// What lies over the rows: menus, questions, laid-open actions, help. Each carries the ids that it is about.

extension Viewer {
    struct Menu: Sendable {
        var title: String?
        var actions: [Action]
        var selected = 0
        /// Nil: of the list.
        var row: RowID?
        var section: SectionID?
    }

    struct Question: Sendable {
        var text: String
        var action: Action
        var items: [ItemID]
        var section: SectionID?
        var row: RowID?
        /// The first answer does nothing.
        var selected = 0
    }

    struct SwipedRow: Sendable {
        var item: ItemID
        var edge: Swipe.Edge
        var actions: [Action]
        var selected = 0
    }

    // MARK: - Menus

    mutating func openMenu() {
        guard mayOffer(), showsCursor(), let cursor = pane.cursor else { return }
        if case .range = mode { endRange(keepingMarks: true) }
        var menu = Menu(actions: [], row: cursor)
        switch cursor {
        case .item(let item):
            menu.actions = actions(of: item)
            if !pane.marks.isEmpty { menu.actions = menu.actions.filter(\.takesSeveral) }
            if pane.marks.count > 1 { menu.title = "\(pane.marks.count) items" }
        case .header(let section):
            menu.actions = scene.frame(of: cursor)?.look?.actions ?? []
            menu.section = section
        case .empty: menu.actions = scene.frame(of: cursor)?.look?.actions ?? []
        case .title, .more, .footer, .placeholder: break
        }
        guard !menu.actions.isEmpty else { return openListMenu() }
        guard mayTouch() else { return }
        enter(.menu(menu))
    }

    mutating func openListMenu() {
        guard mayOffer() else { return }
        let actions = pane.document.listLook.actions
        guard !actions.isEmpty else { return say("There is nothing to choose from here; ? shows the keys") }
        enter(.menu(Menu(title: pane.title, actions: actions)))
    }

    mutating func handle(_ key: KeyPress, _ menu: Menu) {
        var menu = menu
        let count = menu.actions.count
        switch key.key {
        case .up, .character("k"): menu.selected = (menu.selected + count - 1) % count
        case .down, .character("j"), .tab: menu.selected = (menu.selected + 1) % count
        case .home, .character("g"): menu.selected = 0
        case .end, .character("G"): menu.selected = count - 1
        case .enter, .character(" "): return choose(menu.actions[menu.selected], in: menu)
        case .escape, .left, .character("q"), .character("."): return enter(.rows)
        case .character(let character):
            if let action = menu.actions.first(where: { $0.key == Character(character) }) {
                return choose(action, in: menu)
            }
        default: return
        }
        enter(.menu(menu))
    }

    mutating func choose(_ action: Action, in menu: Menu) {
        enter(.rows)
        guard mayChange() else { return }
        // The structure waited, so the row is still the one that the menu was opened for.
        let items = menu.row?.item == nil ? [] : targets(of: action)
        begin(action, items: items, section: menu.section, row: menu.row)
    }

    // MARK: - Questions

    mutating func handle(_ key: KeyPress, _ question: Question) {
        var question = question
        switch key.key {
        case .left, .right, .tab, .up, .down, .character("h"), .character("l"):
            question.selected = 1 - question.selected
        case .enter: return answer(question, with: question.selected)
        case .character("y"): return answer(question, with: 1)
        case .escape, .character("n"), .character("q"): return answer(question, with: 0)
        default: return
        }
        enter(.question(question))
    }

    mutating func answer(_ question: Question, with choice: Int) {
        enter(.rows)
        guard choice == 1, mayChange() else { return }
        let newest = pane.waitingState?.snapshot ?? pane.document.snapshot
        let isWhole = pane.document.rowCount == pane.document.snapshot.numberOfItems
        if isWhole, question.items.contains(where: { !newest.contains($0) }) {
            return say("Somebody else has deleted it meanwhile: nothing was done")
        }
        carryOut(question.action, items: question.items, section: question.section, row: question.row)
    }

    // MARK: - Actions at a row's ends

    mutating func openSwipe(_ edge: Swipe.Edge) {
        guard mayOffer(), showsCursor(), let item = pane.cursor?.item, let look = look(of: item) else { return }
        let actions = edge == .leading ? look.leadingActions : look.trailingActions
        guard !actions.isEmpty else { return say("This row has nothing on that side") }
        guard mayTouch() else { return }
        enter(.swipe(SwipedRow(item: item, edge: edge, actions: actions)))
        if scene.shownSwipeAction(0) == nil { openMenu() }
    }

    mutating func handle(_ key: KeyPress, _ swipe: SwipedRow) {
        var swipe = swipe
        let count = swipe.actions.count
        switch key.key {
        case .left, .character("h"): swipe.selected = max(swipe.selected - 1, 0)
        case .right, .character("l"), .tab: swipe.selected = min(swipe.selected + 1, count - 1)
        case .enter, .character(" "): return choose(swipe, swipe.selected)
        case .character(">") where swipe.edge == .leading, .character("<") where swipe.edge == .trailing:
            return choose(swipe, swipe.selected)
        case .character(let character):
            guard let index = swipe.actions.firstIndex(where: { $0.key == Character(character) }) else {
                return enter(.rows)
            }
            if scene.shownSwipeAction(index) != nil { return choose(swipe, index) }
            // It was out of sight: it is shown first.
            swipe.selected = index
        default: return enter(.rows)
        }
        enter(.swipe(swipe))
    }

    mutating func choose(_ swipe: SwipedRow, _ index: Int) {
        let shown = scene.shownSwipeAction(index)
        enter(.rows)
        guard swipe.actions.indices.contains(index) else { return }
        let action = swipe.actions[index]
        guard shown == action else {
            return say(
                shown == nil
                    ? "The screen has no room for this action: nothing was done. Press . for the menu"
                    : "The actions of this row have just changed: nothing was done")
        }
        guard mayChange() else { return }
        // The structure waited, so the cursor is still on the row that they were laid open for.
        begin(action, items: targets(of: action), section: nil, row: .item(swipe.item))
    }

    // MARK: - Help

    mutating func handleHelpKey(_ key: KeyPress, _ line: Int) {
        switch key.key {
        case .up, .character("k"): enter(.help(line: max(line - 1, 0)))
        case .down, .character("j"): enter(.help(line: min(line + 1, Self.helpLineMax)))
        case .pageUp: enter(.help(line: max(line - rows / 2, 0)))
        case .pageDown, .character(" "): enter(.help(line: min(line + rows / 2, Self.helpLineMax)))
        default: enter(.rows)
        }
    }

    private static var helpLineMax: Int { help.reduce(0) { $0 + $1.lines.count + 2 } }

    static let help: [Overlay.HelpSection] = [
        .init(
            "Moving",
            [
                .init("↑ ↓  k j", "a row up or down"),
                .init("← →  h l", "collapse and expand; the row beside; a table's columns"),
                .init("S-← S-→", "further columns of a table"),
                .init("g G  Home End", "the first row, the last one"),
                .init("^U ^D", "half a screen"),
                .init("PgUp PgDn", "a screen"),
                .init("Tab S-Tab", "the next section, the one before"),
                .init("1…9  [ ]", "another list"),
            ]),
        .init(
            "Finding",
            [
                .init("/", "search; Esc ends it; Tab marks for a picker of several"),
                .init("n N", "the next match, the one before"),
                .init("w", "only what meets a condition, such as cpu>10"),
                .init("s", "sort by a path, such as .due or -.due"),
            ]),
        .init(
            "Doing",
            [
                .init("Enter", "the main action; in an outline, expand or collapse"),
                .init(".  :", "all actions of the row, of the list"),
                .init("> <", "the actions at the row's front, at its end"),
                .init("Space", "mark the row, and of several go to the next"),
                .init("v  S-↑ S-↓", "mark a range"),
                .init("M-↑ M-↓", "move the row up or down"),
                .init("^X ^V", "take rows, and put them behind another"),
                .init("+", "a new row behind this one"),
                .init("e", "edit the row's content in $EDITOR"),
                .init("E", "show what rows have for editing, or not"),
                .init("u U", "undo what was done here last, redo it"),
                .init("y", "copy the text"),
            ]),
        .init(
            "The screen",
            [
                .init("p", "hold still; what changes is counted"),
                .init("m", "the mouse selects text, or rows again"),
                .init("^L", "draw all anew"),
                .init("^Z", "suspend"),
                .init("q", "quit"),
            ]),
    ]
}
