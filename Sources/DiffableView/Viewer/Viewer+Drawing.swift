import Diffable
import DiffableJSON

extension Viewer {
    package func draw(into grid: inout Grid) {
        let picture = picture
        picture.scene.draw(into: &grid, decoration: picture.decoration)
    }

    typealias Picture = (scene: Scene, decoration: Decoration)

    /// The status line may be newer than the layout, which does not depend on it.
    var picture: Picture {
        var viewer = self
        viewer.layOut()
        return (viewer.scene, decoration)
    }

    func viewport() -> Viewport {
        var viewport = Viewport(columns: columns, rows: rows)
        viewport.symbols = options.symbols
        viewport.clock = WallClock(now: wallTime, offset: options.zoneOffset)
        viewport.carouselStarts = pane.carouselStarts
        viewport.passedColumns = pane.passedColumns
        // The sidebar takes the place of the tabs.
        viewport.tabs = options.place == .besideSidebar ? [pane.tabTitle] : panes.map(\.tabTitle)
        viewport.selectedTab = options.place == .besideSidebar ? 0 : selected
        viewport.showsTitle = options.place != .whole
        viewport.banner = banner
        viewport.status = status
        viewport.isFiltered = pane.shownQuery.filter.leavesOut
        viewport.isLoading = !pane.isLoaded
        switch mode {
        case .menu(let menu):
            viewport.overlay = .menu(
                title: menu.title, actions: menu.actions.map(\.withoutTakenKey), selected: menu.selected, of: menu.row)
        case .question(let question):
            viewport.overlay = .question(
                question.text,
                answers: [
                    Overlay.Answer("Cancel"),
                    Overlay.Answer(question.action.title, isDestructive: question.action.style == .destructive),
                ], selected: question.selected)
        case .swipe(let swipe):
            viewport.swipe = Swipe(id: .item(swipe.item), edge: swipe.edge, selected: swipe.selected)
        case .help(let help): viewport.overlay = .help(help.found, line: help.line)
        case .notice(let text): viewport.overlay = .question(text, answers: [Overlay.Answer("OK")], selected: 0)
        case .typing(let prompt): viewport.field = prompt.field
        case .rows, .range, .drag: break
        }
        viewport.sorting = pane.filter.sorting
        return viewport
    }

    private var decoration: Decoration {
        var decoration = Decoration()
        decoration.focused = pane.cursor
        if case .drag(let drag) = mode {
            decoration.focused = nil
            decoration.insertion = insertion(of: drag)
            if drag.rows.list == pane.name { decoration.dragged = drag.rows.items.first.map { .item($0) } }
        }
        if case .typing(let prompt) = mode {
            decoration.hasKeyboard = prompt.isPicking
            if case .after? = prompt.field?.place { decoration.focused = nil }
        }
        if !hasFocus { decoration.hasKeyboard = false }
        decoration.hasFocus = hasFocus || options.place == .whole
        decoration.marked = pane.marks
        decoration.changed = pane.changes.mapValues(\.mark)
        decoration.flashing = flash?.row
        decoration.spinning = spinningRows
        decoration.spinnerStep = spinnerStepNumber
        decoration.isDimmed = showsLoss || pane.absence != nil
        decoration.reducesMotion = options.reducesMotion
        decoration.showsCursor = options.showsCursor
        decoration.sought = FuzzyWord.words(of: pane.shownQuery.filter.search)
        decoration.seeksLetters = pane.localList != nil
        return decoration
    }

    // MARK: - Status line

    var status: StatusLine {
        if let message { return StatusLine(leading: message.text, isError: message.isError) }
        if case .help(let help) = mode, let search = help.search {
            return StatusLine(
                leading: "/" + search, trailing: "Enter keeps the lines, Esc shows all", cursor: 1 + search.count)
        }
        if case .typing(let prompt) = mode {
            if let keys = prompt.fieldKeys, scene.fieldPlace != nil {
                return StatusLine(leading: keys, trailing: counts)
            }
            let picking =
                prompt.isPicking ? "  " + (options.picking == .multiple ? "Tab marks  " : "") + "Enter picks" : ""
            return StatusLine(
                leading: prompt.label + prompt.text, trailing: counts + picking,
                cursor: prompt.label.count + prompt.cursor)
        }
        return StatusLine(leading: summary, trailing: counts, hints: hints)
    }

    /// The keys that do something here, the most useful ones first.
    private var hints: [StatusLine.Hint] {
        guard case .rows = mode, pane.isLoaded, lostSince == nil, pane.absence == nil else { return [] }
        guard options.picking == .none else {
            return [.init("Enter", "picks"), .init("/", "search"), .init("Esc", "ends")]
        }
        if pane.isHome { return [.init("Enter", "open"), .init("/", "search")] }
        var hints: [StatusLine.Hint] = []
        let look = pane.cursor.flatMap(scene.frame(of:))?.look
        for command in options.commands where command.output != .preview {
            if let key = command.key { hints.append(.init(key.sign, command.title)) }
        }
        let actions = look?.allActions.filter(\.isEnabled) ?? []
        if let primary = actions.first(where: { $0.style == .primary }) { hints.append(.init("Enter", primary.title)) }
        for action in actions.lazy.map(\.withoutTakenKey).filter({ $0.style != .primary }).prefix(Self.hintedActionsMax)
        {
            if let key = action.key { hints.append(.init(String(key), action.title)) }
        }
        if let look, !look.trailingActions.isEmpty {
            hints.append(.init("<", "more"))
        } else if actions.contains(where: { $0.style != .primary && $0.withoutTakenKey.key == nil }) {
            hints.append(.init(".", "more"))
        }
        if pane.filter.search.isEmpty { hints.append(.init("/", "search")) } else { hints.append(.init("Esc", "all")) }
        return hints
    }

    private static let hintedActionsMax = 4

    private var summary: String {
        if !pane.isLoaded { return "Loading \(pane.name)…" }
        switch mode {
        case .range: return "Marking a range: arrows extend it, Enter keeps it, Esc cancels"
        case .drag: return "Drop the row at its new place; Esc cancels"
        case .help: return "↑ ↓ scroll, / searches, any other key closes"
        case .notice: return "Any key closes"
        case .menu, .swipe: return "Enter chooses, Esc closes"
        case .question: return "Enter chooses, y confirms, Esc or n cancels"
        case .rows, .typing: break
        }
        let look = pane.cursor.flatMap(scene.frame(of:))?.look
        let said = [look?.accessibilityLabel, look?.tooltip].compactMap(\.self)
        return ([pane.name.description] + pane.filter.words + said).joined(separator: "  ")
    }

    private var counts: String {
        var parts: [String] = []
        if let state = pane.waitingState {
            let count = state.snapshot.difference(from: pane.document.snapshot).structuralCount
            if count > 0 { parts.append(count == 1 ? "1 change" : "\(count) changes") }
        }
        if isHeld { parts.append("paused") }
        if pane.document.isEditing { parts.append("editing") }
        if !pane.marks.isEmpty { parts.append("\(pane.marks.count) marked") }
        if isSearching {
            parts.append(options.symbols.isASCII ? "searching..." : "searching…")
        } else if pane.isLoaded {
            let folded = pane.document.foldedRows
            let count = pane.document.rowCount - folded.count
            let index: Int? =
                switch pane.cursor {
                case .item(let item)?:
                    pane.document.snapshot.index(ofItem: item).map { index in
                        index + pane.document.placeholdersBefore - folded.prefix { $0 < index }.count
                    }
                case .placeholder(let index)?: index
                default: nil
                }
            parts.append(index.map { "\($0 + 1)/\(count)" } ?? (count == 1 ? "1 item" : "\(count) items"))
        }
        if case .rows = mode { parts.append("? help") }
        return parts.joined(separator: "  ")
    }
}
