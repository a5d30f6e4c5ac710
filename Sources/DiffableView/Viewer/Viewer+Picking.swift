import Diffable

// A viewer that is asked what is picked. It shows the list and searches it, and changes nothing.

extension Viewer {
    /// Whether what the list offers may be done at all; says why not.
    mutating func mayOffer() -> Bool {
        guard options.picking == .none else {
            say("Enter picks; nothing is changed from here")
            return false
        }
        return true
    }

    mutating func pick() {
        // Marks were set one by one, in whichever list, so they do not depend on the row under the cursor.
        let marked = panes.flatMap(\.marksInTheirOrder)
        if options.picking == .multiple, !marked.isEmpty { return append(.quit(picked: marked)) }
        guard mayTouch(), let item = pane.cursor?.item else { return }
        guard isEnabled(item) else { return sayNotEnabled(item) }
        append(.quit(picked: [item]))
    }

    /// Picks what a search has found, as soon as it is found. Of several rows that come only now nobody has seen the first one, so it
    /// takes another Enter.
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
            return say(count == 0 ? "Nothing matches" : "\(count) rows match: Enter picks the one under the cursor")
        }
        guard isEnabled(item) else { return sayNotEnabled(item) }
        append(.quit(picked: [item]))
    }
}
