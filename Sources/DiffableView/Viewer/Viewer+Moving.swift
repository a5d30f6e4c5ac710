import Diffable

extension Viewer {
    mutating func move(_ direction: Scene.Direction) {
        guard let cursor = pane.cursor ?? scene.neighbour(of: .title, towards: .first) else { return }
        if direction == .first { return goToTop() }
        guard let target = scene.neighbour(of: cursor, towards: direction) else {
            if direction == .up || direction == .previousSection { showTop() }
            return
        }
        let isSection = direction == .nextSection || direction == .previousSection
        // On the last line, none of its section's other rows are visible.
        let wasSeen = screenAnchor(of: target).map { $0.line < scene.rows.upperBound - 1 } ?? false
        go(to: target)
        if isSection, !wasSeen { showSection(from: target) }
    }

    /// Shows the section's rows from its header on, and the title above the first section.
    private mutating func showSection(from row: RowID) {
        guard let item = row.item, let section = pane.document.snapshot.sectionIdentifier(containingItem: item) else {
            return
        }
        let document = pane.document
        let isFirst = document.placeholdersBefore == 0 && document.snapshot.sectionIdentifier(at: 0) == section
        let top: RowID = isFirst ? .title : .header(section)
        layOut(top, onLine: scene.rows.lowerBound, revealing: row)
    }

    mutating func go(to row: RowID) {
        pane.cursor = row
        pane.isFollowingTop = false
        layOut(revealing: row)
        extendRange()
    }

    private mutating func goToTop() {
        pane.isFollowingTop = true
        pane.cursor = scene.neighbour(of: .title, towards: .first)
        layOut(revealing: pane.cursor)
        extendRange()
    }

    /// The title is above the first row.
    private mutating func showTop() {
        if scene.showsTop { return }
        layOut(.title, onLine: scene.rows.lowerBound, revealing: pane.cursor)
    }

    /// Moves to the neighbour among items side by side; in a list, into or out of an outline.
    mutating func moveAcross(_ direction: Scene.Direction) {
        if let cursor = pane.cursor, let target = scene.neighbour(of: cursor, towards: direction) {
            return go(to: target)
        }
        if direction == .right { expandOrEnter() } else { collapseOrLeave() }
    }

    /// Scrolls a table that is wider than the screen. Returns whether there is anything more on that side.
    @discardableResult mutating func scrollColumns(_ count: Int) -> Bool {
        guard let item = pane.cursor?.item, let path = pane.document.snapshot.indexPath(ofItem: item) else {
            return false
        }
        let plan = scene.composer.plan(path[0])
        guard plan.kind == .table else { return false }
        let table = scene.composer.tableColumns(plan)
        guard count > 0 ? table.isCut : table.passed > 0 else { return false }
        pane.passedColumns[plan.id] = table.passed + count
        layOut()
        return true
    }

    /// Scrolls by a screen. The cursor stays on its line, and the rows move under it.
    mutating func page(_ direction: Scene.Direction) {
        guard let cursor = pane.cursor, let target = scene.neighbour(of: cursor, towards: direction) else { return }
        moveRows(cursorTo: target)
    }

    mutating func moveHalfScreen(_ direction: Scene.Direction) {
        guard var target = pane.cursor else { return }
        for _ in 0..<max(scene.rows.count / 2, 1) {
            guard let next = scene.neighbour(of: target, towards: direction) else { break }
            target = next
        }
        if target == pane.cursor, direction == .up { return showTop() }
        moveRows(cursorTo: target)
    }

    private mutating func moveRows(cursorTo target: RowID) {
        guard let line = screenAnchor(of: pane.cursor)?.line else { return go(to: target) }
        pane.cursor = target
        layOut(target, onLine: line, revealing: target)
        extendRange()
    }

    /// Scrolls. The cursor stays on its row, even if that leaves the screen.
    mutating func scroll(by lines: Int) {
        guard let anchor = firstScreenAnchor else { return }
        layOut(anchor.id, onLine: anchor.line - lines)
    }

    // MARK: - Ranges

    struct MarkedRange: Sendable {
        var start: RowID
        var marks: Set<ItemID>
    }

    mutating func toggleRange() {
        if case .range = mode { endRange(keepingMarks: true) } else { beginRange() }
    }

    mutating func beginRange() {
        if case .range = mode { return }
        guard let cursor = pane.cursor, let item = cursor.item, ensureMayMark(item, among: 2), ensureCursorHasNotMoved()
        else {
            return
        }
        let marks = pane.marks
        pane.marks.insert(item)
        enter(.range(MarkedRange(start: cursor, marks: marks)))
    }

    mutating func endRange(keepingMarks: Bool) {
        if case .range(let range) = mode {
            if keepingMarks { pane.noteRange(markedBefore: range.marks) } else { pane.marks = range.marks }
        }
        enter(.rows)
    }

    mutating func extendRange() {
        guard case .range(let range) = mode, let cursor = pane.cursor else { return }
        var rows = rows(from: range.start, to: cursor)
        if rows.isEmpty { rows = self.rows(from: cursor, to: range.start) }
        pane.marks = range.marks.union(rows.compactMap(\.item).filter(mayPick))
        setNeedsDrawing()
    }

    /// The rows between two rows, both included, downwards; empty if the first is below the second.
    private func rows(from first: RowID, to last: RowID) -> [RowID] {
        var rows = [first]
        while let row = rows.last, row != last {
            guard rows.count < Pane.wholeRowsMax, let next = scene.composer.row(after: row) else { return [] }
            rows.append(next)
        }
        return rows
    }

    // MARK: - Marks

    mutating func mark() {
        if case .range = mode { return endRange(keepingMarks: true) }
        guard let item = pane.cursor?.item else { return }
        if toggle(of: item) != nil { return check(item) }
        guard ensureCursorHasNotMoved() else { return }
        if pane.marks.contains(item) {
            pane.marks.remove(item)
        } else {
            guard ensureMayMark(item, among: 1) else { return }
            if !allowsSeveralMarks(item) { pane.marks = [] }
            pane.marks.insert(item)
        }
        setNeedsDrawing()
        // Moves to the next row, if several can be marked.
        if allowsSeveralMarks(item) { move(.down) }
    }

    private mutating func ensureMayMark(_ item: ItemID, among count: Int) -> Bool {
        guard mayPick(item) else {
            showDisabledMessage(item)
            return false
        }
        if selectionMode(of: item) == .none {
            showMessage("No rows can be marked here: the list sets \"selection\":\"none\"")
            return false
        }
        if count > 1, !allowsSeveralMarks(item) {
            showMessage("Only one row at a time can be marked here")
            return false
        }
        return true
    }

    /// In a picker, marked rows are picked, so a disabled row cannot be marked.
    private func mayPick(_ item: ItemID) -> Bool { options.picking == .none || isEnabled(item) }

    private func selectionMode(of item: ItemID) -> SelectionMode {
        guard let path = pane.document.snapshot.indexPath(ofItem: item) else { return .none }
        return scene.composer.plan(path[0]).look.selection
    }

    /// If the list allows it, if it has an action for several items, or if several are to be picked.
    private func allowsSeveralMarks(_ item: ItemID) -> Bool {
        switch options.picking {
        case .multiple: return true
        case .single: return false
        case .none: break
        }
        return selectionMode(of: item) == .multiple || actions(of: item).contains { $0.takesSeveral }
    }
}

extension Composer {
    func row(after row: RowID) -> RowID? {
        guard var element = element(row) else { return nil }
        var frames = block(element).frames.filter(\.isFocusable)
        if let index = frames.firstIndex(where: { $0.id == row }), index + 1 < frames.count {
            return frames[index + 1].id
        }
        while let next = self.element(after: element) {
            element = next
            frames = block(element).frames.filter(\.isFocusable)
            if let first = frames.first { return first.id }
        }
        return nil
    }
}
