import Diffable
import DiffableJSON

// A viewer that picks items. It shows the list and searches it, and changes nothing.

extension Viewer {
    /// Whether the list's own actions are allowed at all; otherwise shows a message.
    mutating func ensureActionsAreAllowed() -> Bool {
        guard options.picking == .none else {
            showMessage("Enter picks a row: this view only picks, and changes nothing")
            return false
        }
        return !refuseIfReadOnly()
    }

    /// Whether nothing can be changed, because the rows do not belong to a list. Then it shows a message.
    mutating func refuseIfReadOnly() -> Bool {
        if pane.isHome {
            showMessage("Enter opens a list; nothing can be changed here")
            return true
        }
        guard pane.rows != nil else { return false }
        showMessage(
            "These rows were read from standard input: nothing was changed. diffablectl apply makes a list of them")
        return true
    }

    mutating func pick() {
        // Marks were set one by one, in any list, so they do not depend on the row under the cursor.
        let marked = panes.flatMap(\.marksInTheirOrder)
        if options.picking == .multiple, !marked.isEmpty {
            picked = panes.flatMap { pane in pane.marksInTheirOrder.compactMap { pane.markedItems[$0] } }
            return append(.quit(picked: marked))
        }
        guard ensureCursorHasNotMoved(), let item = pane.cursor?.item else { return }
        pick(item)
    }

    private mutating func pick(_ item: ItemID) {
        guard isEnabled(item) else { return showDisabledMessage(item) }
        picked = [pane.picked(item)].compactMap(\.self)
        append(.quit(picked: [item]))
    }

    /// Picks the result of a search, as soon as it arrives. If several rows arrive only now, the user has not seen the first
    /// one, so another Enter is needed.
    mutating func pickFound() {
        let hasMarks = options.picking == .multiple && panes.contains { !$0.marks.isEmpty }
        guard hasMarks || pane.isLoaded && !isSearching else {
            awaitsFound = true
            return
        }
        pick()
    }

    mutating func pickIfFound() {
        guard awaitsFound, pane.isLoaded, !isSearching else { return }
        awaitsFound = false
        let count = pane.document.rowCount
        guard count == 1, let item = pane.document.snapshot.itemIdentifiers.first else {
            return showMessage(count == 0 ? "Nothing matches" : "\(count) rows match: Enter picks the selected row")
        }
        pick(item)
    }
}

package struct PickedItem: Sendable {
    package var list: ListName
    package var section: SectionID
    package var parent: ItemID?
    /// Without its children.
    package var item: Item

    /// Nil if the list does not have the item.
    init?(_ id: ItemID, in snapshot: Snapshot, of list: ListName) {
        guard let item = snapshot.itemAlone(id), let section = snapshot.sectionIdentifier(containingItem: id) else {
            return nil
        }
        (self.list, self.section, self.parent, self.item) = (list, section, snapshot.parent(of: id), item)
    }
}

extension PickedItem: Equatable {
    package static func == (a: PickedItem, b: PickedItem) -> Bool {
        (a.list, a.section, a.parent, a.item.id, a.item.kind, a.item.content)
            == (b.list, b.section, b.parent, b.item.id, b.item.kind, b.item.content)
    }
}

/// Picking without a screen.
package enum Picking {
    /// The items of a list that match a filter, in the order in which a picker ranks them. `look` is the user's own appearance.
    package static func matches(
        in list: Snapshot, of filter: ViewFilter, look: Content?, list name: ListName
    ) -> [PickedItem] {
        var held = LocallyQueriedList(filter.unsearched.rows(of: list))
        var filter = filter
        let document = Document(held.snapshot, user: look)
        filter.searchedPlaces = Composer(document: document, viewport: Viewport(columns: 80, rows: 24)).searchedPlaces
        return held.matches(of: filter).compactMap { PickedItem($0, in: held.snapshot, of: name) }
    }
}
