import Diffable

extension Viewer {
    package func draw(into grid: inout Grid) {
        // The status line may be newer than the layout, which does not depend on it.
        var viewer = self
        viewer.layOut()
        viewer.scene.draw(into: &grid, decoration: decoration)
    }

    func viewport() -> Viewport {
        var viewport = Viewport(columns: columns, rows: rows)
        viewport.symbols = options.symbols
        viewport.clock = WallClock(now: wallTime, offset: options.zoneOffset)
        viewport.carouselStarts = pane.carouselStarts
        viewport.passedColumns = pane.passedColumns
        viewport.tabs = panes.map(\.tabTitle)
        viewport.selectedTab = selected
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
        case .help(let line): viewport.overlay = .help(Self.help, line: line)
        case .rows, .range, .drag, .typing: break
        }
        return viewport
    }

    private var decoration: Decoration {
        var decoration = Decoration()
        decoration.focused = pane.cursor
        if case .drag(let drag) = mode, let target = drag.target { decoration.focused = target }
        if case .typing = mode { decoration.hasKeyboard = false }
        if !hasFocus { decoration.hasKeyboard = false }
        decoration.marked = pane.marks
        decoration.changed = Set(pane.changes.keys)
        decoration.flashing = flash?.row
        decoration.spinning = spinningRows
        decoration.spinnerStep = spinnerStepNumber
        decoration.isDimmed = showsLoss || pane.absence != nil
        decoration.reducesMotion = options.reducesMotion
        return decoration
    }

    // MARK: - Status line

    private var status: StatusLine {
        if let message { return StatusLine(leading: message.text) }
        if case .typing(let prompt) = mode {
            return StatusLine(
                leading: prompt.label + prompt.text, trailing: counts, cursor: prompt.label.count + prompt.cursor)
        }
        return StatusLine(leading: summary, trailing: counts)
    }

    private var summary: String {
        if !pane.isLoaded { return "Loading \(pane.name)…" }
        switch mode {
        case .range: return "Marking a range: arrows extend it, Enter keeps it, Esc cancels"
        case .drag: return "Drop the row at its new place; Esc cancels"
        case .help: return "↑ ↓ scroll, any other key closes"
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
