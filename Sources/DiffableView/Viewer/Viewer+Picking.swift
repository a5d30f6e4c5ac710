import Diffable

// A viewer that picks items. It shows the list and searches it, and changes nothing.

extension Viewer {
    /// Whether the list's own actions are allowed at all; otherwise shows a message.
    mutating func mayOffer() -> Bool {
        guard options.picking == .none else {
            say("Enter picks a row: this view only picks, and changes nothing")
            return false
        }
        return true
    }

    mutating func pick() {
        // Marks were set one by one, in any list, so they do not depend on the row under the cursor.
        let marked = panes.flatMap(\.marksInTheirOrder)
        if options.picking == .multiple, !marked.isEmpty { return append(.quit(picked: marked)) }
        guard mayTouch(), let item = pane.cursor?.item else { return }
        guard isEnabled(item) else { return sayNotEnabled(item) }
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
            return say(count == 0 ? "Nothing matches" : "\(count) rows match: Enter picks the selected row")
        }
        guard isEnabled(item) else { return sayNotEnabled(item) }
        append(.quit(picked: [item]))
    }
}
