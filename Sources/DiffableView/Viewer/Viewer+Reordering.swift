import Diffable
import DiffableJSON

// Moving rows. The viewer decides which rows can be moved. Each move is a proposal, which the handler of the list can
// refuse (`ListHandler`).

extension Viewer {
    /// Whether rows may move; otherwise shows a message. `target` is the row that they would be next to.
    mutating func ensureMayMove(_ items: [ItemID], beside target: ItemID? = nil) -> Bool {
        if let target, items.contains(target) || pane.document.snapshot.hasAncestor(of: target, in: Set(items)) {
            showMessage("A row cannot be moved next to itself or below itself: select another row")
            return false
        }
        guard pane.shownQuery.filter.sort.isEmpty else {
            let remedy = options.filter.sort.isEmpty ? "s, then Enter, ends the sorting" : "start without --sort"
            showMessage("Rows cannot be moved while they are sorted: \(remedy)")
            return false
        }
        guard items.allSatisfy(mayReorder) else {
            let rows = items.count == 1 ? "This row" : "Some of these rows"
            showMessage("\(rows) cannot be moved: set canReorder in the list's content or --look")
            return false
        }
        return true
    }

    private func mayReorder(_ item: ItemID) -> Bool {
        guard let path = pane.document.snapshot.indexPath(ofItem: item) else { return true }
        return scene.composer.resolved(item, scene.composer.plan(path[0]))?.look.canReorder ?? true
    }

    /// Requests to move the row up or down among its siblings. It moves when the list changes.
    mutating func reorder(by steps: Int) {
        guard ensureActionsAreAllowed(), ensureCursorIsVisible(), let item = pane.cursor?.item, ensureMayMove([item])
        else {
            return
        }
        if var reordering = pane.reordering, reordering.item == item {
            reordering.steps += steps
            pane.reordering = reordering
            return
        }
        guard ensureMayAct() else { return }
        propose(item, by: steps, list: selected)
    }

    private mutating func propose(_ item: ItemID, by steps: Int, list: Int) {
        guard let path = panes[list].document.snapshot.indexPath(ofItem: item), let index = path.last else { return }
        let siblings = Array(path.dropLast())
        let snapshot = panes[list].document.snapshot
        var target = max(index + steps, 0)
        while target > index, snapshot.itemIdentifier(at: siblings + [target]) == nil { target -= 1 }
        guard target != index, let neighbour = snapshot.itemIdentifier(at: siblings + [target]) else {
            panes[list].reordering = nil
            if path.count == 2, proposeSection(item, from: path[0], by: steps < 0 ? -1 : 1, list: list) { return }
            return showMessage(steps < 0 ? "This row is already the first" : "This row is already the last")
        }
        proposeMove(item, target < index ? "before" : "after", neighbour, list: list)
    }

    mutating func proposeMove(_ item: ItemID, _ side: String, _ neighbour: ItemID, list: Int) {
        proposeMove(item, to: [.init(side, .text(neighbour.description))], list: list)
    }

    /// Proposes the first place of the next section, or the last one of the section before. Returns whether there is one where
    /// rows can be moved.
    private mutating func proposeSection(_ item: ItemID, from index: Int, by step: Int, list: Int) -> Bool {
        let pane = panes[list]
        let composer = Composer(document: pane.document, viewport: viewport())
        guard step > 0 ? !composer.isCutAtEnd(index) : !composer.isCut(index), !pane.shownQuery.filter.leavesOut,
            index + step >= 0, index + step < composer.sectionCount
        else { return false }
        let plan = composer.plan(index + step)
        guard composer.resolved(item, plan)?.look.canReorder == true else { return false }
        var place = [ContentValue.Member("section", .text(plan.id.description))]
        if step > 0 { place.append(.init("after", .null)) }
        proposeMove(item, to: place, list: list)
        return true
    }

    private mutating func proposeMove(_ item: ItemID, to place: [ContentValue.Member], list: Int) {
        let operation = ContentValue.object(
            [.init("op", .text("moveItem")), .init("item", .text(item.description))] + place)
        let request = send(
            .propose(operations: ContentValue.array([operation]).json), row: .item(item), items: [],
            title: "Move \(subject([item]))", list: list)
        panes[list].reordering = Pane.Reordering(item: item, steps: 0, request: request)
    }

    mutating func continueReordering(_ request: Int, list: Int) {
        guard let reordering = panes[list].reordering, reordering.request == request else { return }
        panes[list].reordering = nil
        if reordering.steps != 0 { propose(reordering.item, by: reordering.steps, list: list) }
        if list == selected { layOut(revealing: pane.cursor) }
    }
}
