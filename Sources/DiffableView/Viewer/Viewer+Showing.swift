import Diffable

extension Viewer {
    mutating func receive(_ state: ViewedState, list: Int) {
        guard panes.indices.contains(list) else { return }
        panes[list].absence = nil
        panes[list].notice = state.notice
        let isAnswer = panes[list].askedQuery != nil && state.queryNumber >= panes[list].queryNumber
        let state = answeringLocally(state, isAnswer: isAnswer, list: list)
        guard panes[list].isLoaded, list == selected, holdsStructure, !(isAnswer && isInRows) else {
            return show(state, list: list)
        }
        panes[list].waitingState = state
        panes[list].document = panes[list].document.updated(
            to: panes[list].document.snapshot.withContents(from: state.snapshot), extent: panes[list].document.extent)
        layOutKeepingPosition()
    }

    private mutating func layOutKeepingPosition() {
        let anchor = pane.anchor
        layOut()
        guard let anchor else { return }
        if pane.isFollowingTop {
            // An overlay of a row stays with it, even when the part above it grows.
            guard holdsStructure, screenAnchor(of: anchor.id)?.line != anchor.line else { return }
            layOut(anchor.id, onLine: anchor.line)
        } else if anchor.id == pane.cursor, screenAnchor(of: anchor.id) == nil {
            // A row that filled the screen may now be shorter than the part above it. It is still the row that the user looks at.
            layOut(revealing: anchor.id)
        }
    }

    /// Dims the last state, which can no longer be used.
    mutating func note(_ absence: ListAbsence, list: Int) {
        guard panes.indices.contains(list) else { return }
        panes[list].absence = absence
        panes[list].positionBeforeAbsence = panes[list].place
        // The tab shows the reason.
        if list == selected { layOut() } else { setNeedsDrawing() }
    }

    /// Whether the structure is held, because an overlay concerns certain rows.
    var holdsStructure: Bool {
        switch mode {
        case .menu, .question, .swipe, .drag, .range: true
        case .typing(let prompt): prompt.field != nil || isHeld
        case .rows, .help, .notice: isHeld
        }
    }

    private var isInRows: Bool {
        switch mode {
        case .rows, .typing, .help, .notice: true
        default: false
        }
    }

    mutating func showWaitingStates() {
        for list in panes.indices where list != selected || !holdsStructure {
            guard let state = panes[list].waitingState else { continue }
            show(state, list: list)
        }
    }

    mutating func show(_ state: ViewedState, list: Int) {
        var pane = panes[list]
        let before = pane.document
        let isOtherFilter = acceptAnsweredQuery(state, &pane)
        // A picking user makes no changes, so after a new filter the cursor follows nothing, and no diff is needed.
        let isCompared = pane.isLoaded && !(isOtherFilter && options.picking != .none)
        let difference = isCompared ? state.snapshot.difference(from: before.snapshot) : []
        let wasOtherWindow = pane.shownQuery != panes[list].shownQuery
        // The user moved to these rows before they were loaded.
        if wasOtherWindow, list == selected { widensTables = true }
        pane.document = before.updated(to: state.snapshot, extent: state.extent)
        if case .there = pane.shownQuery.folding {
            pane.document.expansion = [:]
            pane.document.noteParents(in: before.snapshot)
            pane.document.noteParents(in: state.snapshot, after: before.snapshot)
        }
        if isOtherFilter || !pane.isLoaded {
            pane.document.closedInMatches = pane.shownQuery.filter.opensAll ? [] : nil
            pane.keepExpansion()
        }
        // These changes were made in another list.
        if pane.epoch != state.epoch {
            pane.forgetOwnChanges()
            pane.rowCountMax = 0
        }
        pane.rowCountMax = max(pane.rowCountMax, pane.document.rowCount)
        (pane.revision, pane.epoch) = (state.revision, state.epoch)
        pane.waitingState = nil

        let mapping = RowCorrespondence(
            from: before, to: pane.document, in: viewport(),
            ownMoves: pane.ownItems.intersection(difference.movedItems),
            isOtherWindow: wasOtherWindow)
        let isOwn = pane.cursor.map(mapping.isOwnMove) ?? false
        if isOtherFilter, let place = pane.returnPosition, place.filter == pane.shownQuery.filter {
            pane.returnPosition = nil
            pane.isFollowingTop = place.isAtTop
            pane.cursor = mapping.row(returningTo: place.row, index: place.index)
            pane.anchor = pane.cursor.flatMap { row in place.anchor.map { Anchor(id: row, line: $0.line) } }
        } else if isOtherFilter {
            // The user changed the filter again, so the return place is obsolete.
            if pane.filter == pane.shownQuery.filter { pane.returnPosition = nil }
            pane.cursor = pane.cursor?.item.flatMap {
                pane.document.snapshot.contains($0) ? mapping.row(for: .item($0)) : nil
            }
            if let best = state.best { pane.cursor = .item(best) }
            (pane.isFollowingTop, pane.anchor) = (true, nil)
        } else if pane.isLoaded {
            pane.anchor = pane.anchor.flatMap { anchor in
                mapping.row(for: anchor.id).map { Anchor(id: $0, line: anchor.line) }
            }
            pane.cursor = pane.cursor.flatMap(mapping.row(for:))
            returnToPositionBeforeAbsence(&pane, mapping)
        }
        let isSame = !wasOtherWindow && !isOtherFilter && pane.isLoaded
        let revisions = min(panes[list].revision + 1, state.revision)...state.revision
        let changed = isSame && !pane.isOwn(revisions: revisions) ? difference.changedItems : []
        removeMarksOfDeletedItems(&pane, before: before, wasOtherWindow: wasOtherWindow || isOtherFilter)
        if !pane.isLoaded { showMissingSections(of: pane) }
        if !pane.isLoaded, !pane.filter.search.isEmpty, pane.localList == nil {
            // The search at startup looked at all strings. Now the list's appearance is known, so it looks at fewer.
            pane.filter.searchedPlaces = searchedPlaces(of: pane)
        }
        pane.isLoaded = true
        panes[list] = pane
        // Its title is on its tab.
        setNeedsDrawing()
        guard list == selected else { return }
        let old = scene
        layOutReceivedState(isOwn: isOwn, isOtherFilter: isOtherFilter)
        mark(changed, since: old, revisions)
    }

    /// Reports missing sections of the initial filter. If only a window is loaded, not all sections are known.
    private mutating func showMissingSections(of pane: Pane) {
        let snapshot = pane.document.snapshot
        guard pane.document.rowCount == snapshot.numberOfItems else { return }
        let missing = pane.filter.sections.filter { snapshot.index(ofSection: $0) == nil }
        guard !missing.isEmpty else { return }
        let names = missing.map { harmlessText($0.description) }.joined(separator: ", ")
        showMessage("\(pane.name) has no items in these sections: \(names)", for: .seconds(8))
    }

    /// A list that is created again may be empty at first.
    private func returnToPositionBeforeAbsence(_ pane: inout Pane, _ mapping: RowCorrespondence) {
        guard let place = pane.positionBeforeAbsence, let item = place.row.item,
            pane.document.snapshot.contains(item)
        else { return }
        pane.positionBeforeAbsence = nil
        pane.isFollowingTop = place.isAtTop
        pane.cursor = mapping.row(for: place.row)
        pane.anchor = pane.cursor.flatMap { row in place.anchor.map { Anchor(id: row, line: $0.line) } }
    }

    private mutating func layOutReceivedState(isOwn: Bool, isOtherFilter: Bool) {
        let old = scene.frames.map(\.id)
        if isOtherFilter { layOut(revealing: pane.cursor) } else { layOutKeepingPosition() }
        // New rows at the top have pushed the cursor's row off the screen.
        if pane.isFollowingTop, pane.cursor != nil, screenAnchor(of: pane.cursor) == nil {
            pane.cursor = scene.neighbour(of: .title, towards: .first)
            layOut()
        }
        // A picking user has requested the search's result, which is only reported.
        let isAskedFor = isOtherFilter && options.picking != .none
        if !isOwn, !isAskedFor, old != scene.frames.map(\.id) { drawn.isOutdated = true }
    }

    private func acceptAnsweredQuery(_ state: ViewedState, _ pane: inout Pane) -> Bool {
        guard let asked = pane.askedQuery, state.queryNumber >= pane.queryNumber else { return false }
        defer { (pane.shownQuery, pane.askedQuery) = (asked, nil) }
        return asked.filter != pane.shownQuery.filter
    }

    /// Marks the visible texts that others changed, unless more than a third of the screen would flash.
    private mutating func mark(_ items: Set<ItemID>, since old: Scene, _ revisions: ClosedRange<Int>) {
        let items = items.subtracting(pane.ownItems)
        guard !items.isEmpty else { return }
        for (item, places) in scene.changedPlaces(of: items, since: old) {
            pane.changes[item] = Pane.Change(mark: ChangeMark(places: places), begin: now, revisions: revisions)
        }
        let marked = scene.frames.filter { $0.id.item.map { pane.changes[$0] != nil } ?? false }
        let lines = Set(marked.flatMap { $0.rectangle.rows.clamped(to: scene.rows) })
        if lines.count * 3 > scene.rows.count { pane.changes = [:] }
    }

    /// Removes the marks of deleted items. Items that are not loaded may still exist.
    private func removeMarksOfDeletedItems(_ pane: inout Pane, before: Document, wasOtherWindow: Bool) {
        guard !pane.marks.isEmpty else { return }
        let after = pane.document
        let isWhole = after.rowCount == after.snapshot.numberOfItems && !pane.shownQuery.filter.leavesOut
        if wasOtherWindow || !isWhole && after.rowCount > before.rowCount { return }
        pane.marks = pane.marks.filter { after.snapshot.contains($0) || !isWhole && !before.snapshot.contains($0) }
    }
}

// MARK: - Differences

extension Snapshot {
    /// This structure with the newest contents of the common items.
    func withContents(from newest: Snapshot) -> Snapshot {
        let contents = newest.difference(from: self).filter { operation in
            switch operation {
            case .reconfigureItems, .reloadItems: true
            default: false
            }
        }
        // The contents are part of a diff from this state, so they always apply.
        return (try? applying(contents)) ?? self
    }
}

extension [ListOperation] {
    /// The items that are new or have other contents.
    var changedItems: Set<ItemID> {
        var items: Set<ItemID> = []
        func insert(_ inserted: [Item]) {
            for item in inserted {
                items.insert(item.id)
                insert(item.children)
            }
        }
        for operation in self {
            switch operation {
            case .appendItems(let inserted, _), .insertItems(let inserted, _), .replaceChildren(_, let inserted):
                insert(inserted)
            case .reconfigureItems(let changed): items.formUnion(changed.map(\.id))
            case .reloadItems(let changed): items.formUnion(changed.map(\.id))
            case .patchItems(let changed): items.formUnion(changed.map(\.id))
            case .appendSections(let sections), .insertSections(let sections, _):
                for section in sections { insert(section.items) }
            default: break
            }
        }
        return items
    }

    var movedItems: Set<ItemID> {
        reduce(into: []) { items, operation in
            switch operation {
            case .moveItem(let item, _): items.insert(item)
            case .deleteItems(let deleted, _): items.formUnion(deleted)
            default: break
            }
        }
    }

    /// The number of sections and items that are inserted, deleted or moved, each counted once with its descendants.
    var structuralCount: Int {
        reduce(0) { count, operation in
            switch operation {
            case .appendItems(let items, _), .insertItems(let items, _): count + items.count
            case .deleteItems(let items, _): count + items.count
            case .appendSections(let sections), .insertSections(let sections, _): count + sections.count
            case .deleteSections(let sections, _): count + sections.count
            case .moveItem, .moveSection: count + 1
            default: count
            }
        }
    }
}
