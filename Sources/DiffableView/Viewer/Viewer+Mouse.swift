import Diffable

// The mouse: a press chooses, two do what Enter does, the wheel scrolls, the right button opens the menu, and a row that is
// dragged goes where it is dropped.

extension Viewer {
    struct Drag: Sendable {
        var item: ItemID
        /// The row that it is over.
        var target: RowID
    }

    mutating func handle(_ mouse: MouseEvent) {
        let position = Grid.Position(column: mouse.column, row: mouse.row)
        switch mouse.action {
        case .wheel(.up): wheel(by: -3)
        case .wheel(.down): wheel(by: 3)
        case .wheel(.left): passColumns(-1)
        case .wheel(.right): passColumns(1)
        case .move: break
        case .press(.left): press(scene.hit(at: position))
        case .press(.right): pressRight(scene.hit(at: position))
        case .press(.middle): break
        case .drag(.left): drag(over: scene.id(at: position))
        case .drag: break
        case .release: drop()
        }
    }

    private mutating func wheel(by lines: Int) {
        switch mode {
        case .rows, .typing, .range: scroll(by: lines)
        case .help(let line): enter(.help(line: max(line + lines, 0)))
        case .menu, .question, .swipe, .drag: break
        }
    }

    private mutating func press(_ hit: Scene.Hit?) {
        switch (mode, hit) {
        case (.menu(let menu), .choice(let index)?) where menu.actions.indices.contains(index):
            choose(menu.actions[index], in: menu)
        case (.question(let question), .choice(let index)?): answer(question, with: index)
        case (.swipe(let swipe), .part(.swipeAction(let index), _)?): choose(swipe, index)
        case (.menu, .overlay?), (.question, _): break
        case (.menu, _), (.swipe, _), (.help, _): enter(.rows)
        case (.rows, .tab(let index)?): select(pane: index)
        case (.rows, .row(let row)?): press(row)
        case (.rows, .part(let part, let row)?): press(part, of: row)
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

    private mutating func press(_ part: Frame.Part, of row: RowID) {
        switch part {
        case .disclosure:
            guard let item = row.item else { return }
            toggle(item)
        case .checkbox where pane.cursor == row && options.picking == .none: performPrimaryAction()
        case .accessory(let index) where pane.cursor == row: press(accessory: index, of: row)
        case .checkbox, .icon, .accessory, .swipeAction: press(row)
        }
    }

    private mutating func press(accessory index: Int, of row: RowID) {
        guard let item = row.item, let accessory = look(of: item)?.accessories?[index] else { return }
        if let action = actions(of: item).first(where: { $0.id == accessory.action }) {
            if mayOffer() { perform(action) }
            return
        }
        switch accessory.sort {
        case .popUpMenu, .detail: openMenu()
        case .multiselect: mark()
        default: press(row)
        }
    }

    private mutating func pressRight(_ hit: Scene.Hit?) {
        guard case .rows = mode else { return enter(.rows) }
        switch hit {
        case .row(let row)?, .part(_, let row)?:
            guard isFocusable(row) else { return openListMenu() }
            if pane.cursor != row {
                press(row)
                // It is seen where it was pressed.
                drawn.cursor = drawn.isOutdated ? drawn.cursor : row
            }
            openMenu()
        default: openListMenu()
        }
    }

    // MARK: - Dragging

    private mutating func drag(over row: RowID?) {
        guard let row else { return }
        switch mode {
        case .rows:
            guard options.picking == .none, let item = pane.cursor?.item, row != pane.cursor,
                lastPress?.row == pane.cursor, look(of: item)?.canReorder == true
            else { return }
            enter(.drag(Drag(item: item, target: row)))
        case .drag(var drag):
            drag.target = row
            enter(.drag(drag))
        default: break
        }
    }

    private mutating func drop() {
        guard case .drag(let drag) = mode else { return }
        enter(.rows)
        let snapshot = pane.document.snapshot
        guard let target = drag.target.item, target != drag.item, mayAct(),
            let from = snapshot.index(ofItem: drag.item), let to = snapshot.index(ofItem: target)
        else { return }
        let isSibling = snapshot.parent(of: target) == snapshot.parent(of: drag.item)
        proposeMove(drag.item, isSibling && to > from ? "after" : "before", target, list: selected)
    }
}
