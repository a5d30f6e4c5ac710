import Diffable

// Undoing and redoing the user's changes.

extension Viewer {
    /// Undoes the user's own changes one after the other, unless another client's change is in between.
    mutating func undo() {
        guard ensureMayChange() else { return }
        guard let own = pane.ownChanges.last else {
            return showMessage("You have made no change here that can be undone")
        }
        guard !refuseWhileRestoring() else { return }
        let newest = pane.newestRevision
        guard own.revision == pane.originalRevision(of: newest) else {
            return showMessage("Someone else has changed the list since: nothing was undone")
        }
        _ = send(.undo(to: own.before, ifRevision: newest), row: nil, items: [], title: own.title)
    }

    /// Redoes the change that was undone last here, unless the list has changed since.
    mutating func redo() {
        guard ensureMayChange() else { return }
        guard let undone = pane.undoneChanges.last else {
            return showMessage("You have undone nothing here that can be redone")
        }
        guard !refuseWhileRestoring() else { return }
        let newest = pane.newestRevision
        guard pane.originalRevision(of: undone.before) == pane.originalRevision(of: newest) else {
            return showMessage("Someone else has changed the list since: nothing was redone")
        }
        _ = send(.redo(to: undone.revision, ifRevision: newest), row: nil, items: [], title: undone.title)
    }

    private mutating func refuseWhileRestoring() -> Bool {
        for request in pane.requests.values {
            switch request.kind {
            case .undo: showMessage("The last change is still being undone")
            case .redo: showMessage("The last change is still being redone")
            default: continue
            }
            return true
        }
        return false
    }
}
