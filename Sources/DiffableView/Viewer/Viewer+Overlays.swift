import Diffable
import DiffableJSON

// Overlays: menus, questions, revealed actions, help. Each stores the ids that it concerns.

extension Viewer {
    struct Menu: Sendable {
        var title: String?
        var actions: [Action]
        var selected = 0
        /// Nil for the list's own menu.
        var row: RowID?
        var section: SectionID?
        /// The columns to sort by, if the menu is of these.
        var columns: [TableColumn] = []
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
        guard ensureActionsAreAllowed(), ensureCursorIsVisible(), let cursor = pane.cursor else { return }
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
        guard ensureCursorHasNotMoved() else { return }
        enter(.menu(menu))
    }

    mutating func openListMenu() {
        guard ensureActionsAreAllowed() else { return }
        let actions = pane.document.listLook.actions
        guard !actions.isEmpty else { return showMessage("There are no actions here; ? shows the keys") }
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
        if let index = Int(action.id), menu.columns.indices.contains(index) { return sort(by: menu.columns[index]) }
        guard ensureMayChange() else { return }
        // The structure was held, so the row is still the one that the menu was opened for.
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
        guard choice == 1, ensureMayChange() else { return }
        let newest = pane.waitingState?.snapshot ?? pane.document.snapshot
        let isWhole = pane.document.rowCount == pane.document.snapshot.numberOfItems
        if isWhole, question.items.contains(where: { !newest.contains($0) }) {
            let rows = question.items.count == 1 ? "the row" : "some of the rows"
            return showMessage("Someone else has deleted \(rows) in the meantime: nothing was done")
        }
        carryOut(question.action, items: question.items, section: question.section, row: question.row)
    }

    // MARK: - Actions at a row's ends

    mutating func openSwipe(_ edge: Swipe.Edge) {
        guard ensureActionsAreAllowed(), ensureCursorIsVisible(), let item = pane.cursor?.item,
            let look = look(of: item)
        else {
            return
        }
        let actions = edge == .leading ? look.leadingActions : look.trailingActions
        guard !actions.isEmpty else { return showMessage("This row has no actions on that side") }
        guard ensureCursorHasNotMoved() else { return }
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
            // It was hidden, so it is shown first.
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
            return showMessage(
                shown == nil
                    ? "There is no room for this action: nothing was done. Press . for the menu"
                    : "The actions of this row have just changed: nothing was done")
        }
        guard ensureMayChange() else { return }
        // The structure was held, so the cursor is still on the row of the actions.
        begin(action, items: targets(of: action), section: nil, row: .item(swipe.item))
    }

    // MARK: - Help

    struct Help: Sendable {
        var sections: [Overlay.HelpSection]
        var line = 0
        /// The text that is typed; nil while nothing is.
        var search: String?
        var words = ""

        /// The lines with the words, under their titles.
        var found: [Overlay.HelpSection] {
            let words = FuzzyWord.words(of: search ?? self.words)
            return sections.compactMap { section in
                let lines = section.lines.filter { line in
                    let letters = String(decoding: View.folded("\(line.keys) \(line.text)"), as: UTF8.self)
                        .unicodeScalars
                    let text = letters.map(\.value)
                    return words.allSatisfy {
                        $0.rank(in: text).map { $0.grade <= FuzzyWord.Grade.part.rawValue } ?? false
                    }
                }
                return lines.isEmpty ? nil : Overlay.HelpSection(section.title, lines)
            }
        }

        mutating func scroll(by lines: Int) {
            let count = found.reduce(0) { $0 + $1.lines.count + 2 }
            line = min(max(line + lines, 0), count)
        }
    }

    /// The help begins with the keys of the row under the cursor and of the list.
    mutating func openHelp() {
        var sections: [Overlay.HelpSection] = []
        let commands = options.commands.compactMap { command in
            command.key.map { Overlay.HelpSection.Line($0.sign, command.title) }
        }
        sections.append(.init("Your commands", commands))
        if options.picking == .none, let look = pane.cursor.flatMap(scene.frame(of:))?.look {
            sections.append(.init("“\(fitted(look.text, columns: 40))”", helpLines(look.allActions, menu: ".")))
        }
        if options.picking == .none {
            sections.append(.init(pane.title, helpLines(pane.document.listLook.actions, menu: ":")))
        }
        enter(.help(Help(sections: sections.filter { !$0.lines.isEmpty } + Self.help)))
    }

    private func helpLines(_ actions: [Action], menu: String) -> [Overlay.HelpSection.Line] {
        actions.filter(\.isEnabled).map { action in
            let key = action.withoutTakenKey.key.map(String.init)
            let keys = action.style == .primary ? ["Enter"] + [key].compactMap(\.self) : [key ?? menu]
            return .init(keys.joined(separator: " "), action.title)
        }
    }

    mutating func handle(_ key: KeyPress, _ help: Help) {
        var help = help
        let isControl = !key.modifiers.isDisjoint(with: [.control, .alt])
        switch key.key {
        case .up: help.scroll(by: -1)
        case .down: help.scroll(by: 1)
        case .pageUp: help.scroll(by: -rows / 2)
        case .pageDown: help.scroll(by: rows / 2)
        case .enter where help.search != nil: (help.words, help.search) = (help.search ?? "", nil)
        case .escape where help.search != nil: (help.words, help.search, help.line) = ("", nil, 0)
        case .backspace where help.search != nil:
            help.search = help.search?.isEmpty == true ? nil : help.search.map { String($0.dropLast()) }
        case .character(let character) where help.search != nil && !isControl:
            help.search?.unicodeScalars.append(character)
            help.line = 0
        case _ where help.search != nil: return
        case .character("/"): help.search = ""
        case .character("k"): help.scroll(by: -1)
        case .character("j"): help.scroll(by: 1)
        case .character(" "): help.scroll(by: rows / 2)
        default: return enter(.rows)
        }
        enter(.help(help))
    }

    static let help: [Overlay.HelpSection] = [
        .init(
            "Moving",
            [
                .init("↑ ↓  k j", "go up or down a row"),
                .init("← →  h l", "collapse, expand; next cell of a grid; columns of a table"),
                .init("S-← S-→", "show further columns of a table"),
                .init("g G  Home End", "go to the first row, to the last row"),
                .init("^U ^D", "scroll half a screen"),
                .init("PgUp PgDn", "scroll a screen"),
                .init("Tab S-Tab", "go to the next section or part, to the previous one"),
                .init("^↓ ^↑", "go to the next section, to the previous one"),
                .init("1…9  [ ]", "show another list"),
                .init("0", "show all lists; Enter opens one"),
            ]),
        .init(
            "Finding",
            [
                .init("/", "search; Esc ends the search"),
                .init("n N", "go to the next match, to the previous one"),
                .init("w", "show only items that meet a condition, such as cpu>10"),
                .init("s", "sort by a path, such as .due or -.due"),
                .init("S", "sort by a column of a table; again: downwards, then not at all"),
            ]),
        .init(
            "Doing",
            [
                .init("Enter", "perform the main action; in an outline, expand or collapse"),
                .init(".  :", "show all actions of the row, of the list"),
                .init("> <", "show the actions at the front of the row, at its end"),
                .init("Space", "mark the row; go to the next one if several can be marked"),
                .init("v  S-↑ S-↓", "mark a range"),
                .init("M-↑ M-↓", "move the row up or down, also into another section"),
                .init("^X ^V", "take rows, and put them after the selected row"),
                .init("+", "insert a new row after this one"),
                .init("R  F2", "rename the row: edit its text in its place"),
                .init("e", "edit the row's content in $EDITOR"),
                .init("E", "show or hide the accessories for editing"),
                .init("u U", "undo your last change here, redo it"),
                .init("y", "copy the text"),
            ]),
        .init(
            "The screen",
            [
                .init("I", "show or hide all members of the item"),
                .init("p", "pause: changes are counted but not shown"),
                .init("m", "let the mouse select text, or rows again"),
                .init("^L", "redraw the screen"),
                .init("^Z", "suspend"),
                .init("q", "quit"),
            ]),
    ]
}
