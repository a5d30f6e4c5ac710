import Diffable

// The mouse: a click selects, a double click acts like Enter, the wheel scrolls, the right button opens the menu. Dragging a
// row sideways reveals its actions. Dragging it up or down moves it to the drop position; dragging it over another list's tab
// opens that list, and dropping it there copies it.

extension Viewer {
    struct Drag: Sendable {
        var rows: CutRows
        var target: RowID?
    }

    mutating func handle(_ mouse: MouseEvent) {
        let position = Grid.Position(column: mouse.column, row: mouse.row)
        switch mouse.action {
        case .wheel(.up): wheel(by: -3, at: position)
        case .wheel(.down): wheel(by: 3, at: position)
        case .wheel(.left): scrollColumns(-1)
        case .wheel(.right): scrollColumns(1)
        case .move: break
        case .press(.left):
            pressed = position
            press(scene.hit(at: position))
        case .press(.right): pressRight(scene.hit(at: position))
        case .press(.middle): break
        case .drag(.left): drag(to: position)
        case .drag: break
        case .release: drop()
        }
    }

    private mutating func wheel(by lines: Int, at position: Grid.Position) {
        switch mode {
        case .rows, .typing, .range: scroll(by: lines)
        case .drag:
            scroll(by: lines)
            drag(to: position)
        case .help(var help):
            help.line = max(help.line + lines, 0)
            enter(.help(help))
        case .menu, .question, .swipe, .notice: break
        }
    }

    private mutating func press(_ hit: Scene.Hit?) {
        switch (mode, hit) {
        case (.menu(let menu), .choice(let index)?) where menu.actions.indices.contains(index):
            choose(menu.actions[index], in: menu)
        case (.question(let question), .choice(let index)?): answer(question, with: index)
        case (.swipe(let swipe), .part(.swipeAction(let index), _)?): choose(swipe, index)
        case (.menu, .overlay?), (.question, _): break
        case (.menu, _), (.swipe, _), (.help, _), (.notice, _): enter(.rows)
        case (.rows, .tab(let index)?): if options.place != .besideSidebar { select(pane: index) }
        case (.rows, .row(let row)?): press(row)
        case (.rows, .part(let part, let row)?): press(part, of: row)
        case (.typing(let prompt), .row(let row)?) where prompt.isPicking: press(row)
        case (.range, .row(let row)?): if isFocusable(row) { go(to: row) }
        default: break
        }
    }

    private func isFocusable(_ row: RowID) -> Bool { scene.frame(of: row)?.isFocusable ?? false }

    private mutating func press(_ row: RowID) {
        guard isFocusable(row) else { return }
        let isSecond = lastPress.map { $0.row == row && now - $0.time < Self.doublePressDuration } ?? false
        lastPress = isSecond ? nil : (row, now)
        if pane.cursor == row, isSecond { return performPrimaryAction() }
        pane.cursor = row
        pane.isFollowingTop = pane.isFollowingTop && scene.neighbour(of: .title, towards: .first) == row
        layOut(revealing: row)
    }

    private static let doublePressDuration = Duration.milliseconds(400)

    private mutating func press(_ part: Frame.ClickablePart, of row: RowID) {
        switch part {
        case .disclosure:
            guard let item = row.item else { return }
            toggle(item)
        case .checkbox where row.item.flatMap({ toggle(of: $0) }) != nil:
            select(row)
            if let item = row.item { check(item) }
        case .checkbox where pane.cursor == row && options.picking == .none: performPrimaryAction()
        case .title(let index): if case .header(let section) = row { sort(byColumn: index, of: section) }
        case .accessory(let index) where pane.cursor == row: press(accessory: index, of: row)
        case .checkbox, .icon, .accessory, .swipeAction: press(row)
        }
    }

    private mutating func press(accessory index: Int, of row: RowID) {
        guard let item = row.item, let accessory = look(of: item)?.accessories?[index] else { return }
        if let action = actions(of: item).first(where: { $0.id == accessory.action }) {
            if ensureActionsAreAllowed() { perform(action) }
            return
        }
        switch accessory.kind {
        case .popUpMenu, .detail: openMenu()
        case .multiselect: mark()
        // The list's delete action is among these, and asks first.
        case .delete: openSwipe(.trailing)
        case .insert: beginAdding()
        default: press(row)
        }
    }

    private mutating func pressRight(_ hit: Scene.Hit?) {
        guard case .rows = mode else { return enter(.rows) }
        switch hit {
        case .row(let row)?, .part(_, let row)?:
            guard isFocusable(row) else { return openListMenu() }
            select(row)
            openMenu()
        default: openListMenu()
        }
    }

    /// Selects a row for an action by the same click.
    private mutating func select(_ row: RowID) {
        guard pane.cursor != row else { return }
        press(row)
        // The user has seen the row where it was clicked.
        drawn.cursor = drawn.isOutdated ? drawn.cursor : row
    }

    // MARK: - Dragging

    private mutating func drag(to position: Grid.Position) {
        switch mode {
        case .rows: beginDragging(to: position)
        case .drag(var drag):
            switch scene.hit(at: position) {
            case .tab(let index)? where index != selected && options.place != .besideSidebar:
                drag.target = nil
                mode = .drag(drag)
                open(pane: index)
            case .row(let row)?, .part(_, let row)?:
                drag.target = row
                enter(.drag(drag))
            default: break
            }
        default: break
        }
    }

    private mutating func beginDragging(to position: Grid.Position) {
        guard options.picking == .none, let pressed, let row = pane.cursor, let item = row.item,
            lastPress?.row == row, let look = look(of: item)
        else { return }
        let hit = scene.hit(at: position)
        if scene.id(at: position) == row {
            let distance = position.column - pressed.column
            guard abs(distance) >= Self.swipeColumns else { return }
            let edge: Swipe.Edge = distance > 0 ? .leading : .trailing
            let actions = edge == .leading ? look.leadingActions : look.trailingActions
            guard !actions.isEmpty else { return }
            // The next click does not count as a double click.
            lastPress = nil
            return openSwipe(edge)
        }
        let isOverTab = if case .tab? = hit { true } else { false }
        guard look.canReorder || panes.count > 1, hit != nil,
            let copy = pane.document.snapshot.subtree(of: item)?.first
        else { return }
        lastPress = nil
        guard ensureMayAct() else { return }
        enter(.drag(Drag(rows: CutRows([copy], of: pane))))
        if isOverTab || scene.id(at: position) != nil { drag(to: position) }
    }

    /// A shorter distance may be an unsteady hand.
    private static let swipeColumns = 4

    private mutating func drop() {
        pressed = nil
        guard case .drag(let drag) = mode else { return }
        enter(.rows)
        guard let target = drag.target?.item, let item = drag.rows.items.first else { return }
        guard drag.rows.list == pane.name else {
            // The structure was held, so the user has seen the target.
            if ensureMayChange() { copyCutRows(drag.rows, after: target) }
            return
        }
        // The row was visible when the drag began, and may be far away now.
        guard target != item, ensureMayChange(), pane.document.snapshot.contains(item),
            ensureMayMove([item], beside: target),
            let side = side(of: target, for: item)
        else { return }
        proposeMove(item, side.rawValue, target, list: selected)
    }

    /// The side of the target on which a dragged item is dropped: after a later sibling, otherwise before it.
    private func side(of target: ItemID, for item: ItemID) -> Decoration.Insertion.Side? {
        let snapshot = pane.document.snapshot
        guard let from = snapshot.index(ofItem: item), let to = snapshot.index(ofItem: target) else { return nil }
        return snapshot.parent(of: target) == snapshot.parent(of: item) && to > from ? .after : .before
    }

    /// Where the row would be dropped; nil where it cannot be.
    func insertion(of drag: Drag) -> Decoration.Insertion? {
        guard let target = drag.target?.item, let item = drag.rows.items.first else { return nil }
        guard drag.rows.list == pane.name else { return Decoration.Insertion(.after, .item(target)) }
        let isInside = target == item || pane.document.snapshot.hasAncestor(of: target, in: [item])
        return isInside ? nil : side(of: target, for: item).map { Decoration.Insertion($0, .item(target)) }
    }
}
