import Diffable

// Whether the user may do something now. A refusal is shown in the status line.

extension Viewer {
    /// Whether an action on the row under the cursor is allowed; otherwise shows a message.
    mutating func ensureMayAct() -> Bool {
        guard ensureMayChange() else { return false }
        return ensureCursorHasNotMoved()
    }

    /// Whether any action on the list is allowed; otherwise shows a message.
    mutating func ensureMayChange() -> Bool {
        if refuseIfReadOnly() { return false }
        guard lostSince == nil else {
            showError("There is no connection to the daemon: nothing was done")
            return false
        }
        switch pane.absence {
        case nil: return true
        case .deleted?: showError("The list was deleted or renamed: nothing was done")
        case .notReadable?: showError("You may no longer read this list: nothing was done")
        }
        return false
    }

    /// Whether the row under the cursor is the one that the user has seen there.
    mutating func ensureCursorHasNotMoved() -> Bool {
        guard ensureCursorIsVisible(), let cursor = pane.cursor else { return false }
        guard drawn.cursor == cursor, now >= drawn.guardEnd else {
            flash = (cursor, now + Self.flashDuration)
            showMessage("Another row has just moved here: nothing was done; press again to use it")
            return false
        }
        return true
    }

    /// Whether the row under the cursor is visible. If it is not, it is shown, and nothing else happens.
    mutating func ensureCursorIsVisible() -> Bool {
        guard !isSearching else {
            showMessage("The list is still being searched: nothing was done")
            return false
        }
        guard let cursor = pane.cursor else { return false }
        if screenAnchor(of: cursor) != nil { return true }
        layOut(revealing: cursor)
        return false
    }

    /// Whether the visible rows belong to another search, condition or order than the requested one.
    var isSearching: Bool { pane.isLoaded && pane.filter != pane.shownQuery.filter }

    static let flashDuration = Duration.milliseconds(300)
}
