import Diffable

// Each viewer has its own expansion, which other users do not see.

extension Viewer {
    func isExpandable(_ item: ItemID) -> Bool {
        pane.document.isParent(item) || look(of: item)?.hasChildren == true
    }

    func look(of item: ItemID) -> ItemLook? {
        scene.frame(of: .item(item))?.look
    }

    mutating func toggle(_ item: ItemID) {
        setExpanded(item, !pane.document.isExpanded(item))
    }

    mutating func setExpanded(_ item: ItemID, _ isExpanded: Bool) {
        if isExpanded, !pane.document.isParent(item), look(of: item)?.hasChildren == true {
            return requestChildren(of: item)
        }
        if pane.document.closedInMatches != nil, pane.document.childCount(item) > 0 {
            if isExpanded {
                pane.document.closedInMatches?.remove(item)
            } else {
                pane.document.closedInMatches?.insert(item)
            }
            return layOutAfterFolding()
        }
        let isDifferent = isExpanded != (pane.document.snapshot.isExpanded(item) ?? false)
        if case .there = pane.shownQuery.folding {
            if isDifferent { pane.toggled.formSymmetricDifference([item]) }
            return
        }
        pane.document.expansion[item] = isDifferent ? isExpanded : nil
        if isDifferent { pane.toggled.insert(item) } else { pane.toggled.remove(item) }
        layOutAfterFolding()
    }

    private mutating func layOutAfterFolding() {
        // The cursor may have been on a row below it.
        let mapping = RowCorrespondence(
            from: pane.document, to: pane.document, in: viewport(), ownMoves: [], isOtherWindow: false)
        pane.cursor = pane.cursor.flatMap(mapping.row(for:))
        pane.anchor = pane.anchor.flatMap { anchor in
            mapping.row(for: anchor.id).map { Anchor(id: $0, line: anchor.line) }
        }
        layOut()
    }

    /// The list's handler inserts children on request.
    private mutating func requestChildren(of item: ItemID) {
        guard ensureMayAct() else { return }
        let isAsked = pane.requests.values.contains { $0.kind == .expand(item) }
        if isAsked { return }
        _ = send(.expand(item), row: .item(item), items: [], title: "Children of \(subject([item]))")
    }

    /// Moves right: expands the item, then enters it.
    mutating func expandOrEnter() {
        guard let item = pane.cursor?.item else { return }
        let document = pane.document
        if document.isOpen(item) {
            move(.down)
        } else if isExpandable(item) {
            setExpanded(item, true)
        } else if scrollColumns(1) {
            return
        } else if case .there = pane.shownQuery.folding {
            // Only the daemon knows whether it has children.
            setExpanded(item, true)
        }
    }

    /// Moves left: collapses the item, then leaves it.
    mutating func collapseOrLeave() {
        guard let item = pane.cursor?.item else { return }
        if pane.document.isOpen(item) {
            setExpanded(item, false)
        } else if scrollColumns(-1) {
            return
        } else if let parent = pane.document.snapshot.parent(of: item) {
            go(to: .item(parent))
        }
    }
}
