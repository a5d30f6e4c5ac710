import Diffable
import DiffableJSON

// The replies to requests, and the messages about them.

extension Viewer {
    mutating func receive(_ reply: ViewerReply) {
        guard let list = panes.firstIndex(where: { $0.requests[reply.request] != nil }),
            let request = panes[list].requests.removeValue(forKey: reply.request)
        else { return }
        setNeedsDrawing()
        switch reply.result {
        case .done(let revision, let answer):
            if let answer, request.showsOutput {
                append(.show(answer, title: request.done))
            } else if let answer {
                showMessage(harmlessText(answer))
            }
            switch request.kind {
            case .undo(let restored, let known):
                panes[list].noteUndo(to: restored, revision ?? known)
                showDoneMessage("Undone: \(request.title)", undoing: "U redoes")
            case .redo(let restored, let known):
                panes[list].noteRedo(to: restored, revision ?? known)
                showDoneMessage("Redone: \(request.title)", undoing: "u undoes")
            default:
                if let revision { panes[list].noteOwnChange(revision, request.title) }
                if answer == nil, revision != nil || request.isPerformed {
                    showDoneMessage(request.done, undoing: revision == nil ? nil : "u undoes")
                }
            }
            if case .expand(let item) = request.kind { showChildren(of: item, list: list) }
            continueReordering(reply.request, list: list)
            showAdded(reply.request, list: list)
        case .refused(let reason):
            showError(reason)
            if panes[list].reordering?.request == reply.request { panes[list].reordering = nil }
            if panes[list].pendingAddition?.request == reply.request { panes[list].pendingAddition = nil }
        }
    }

    private mutating func showDoneMessage(_ text: String, undoing key: String?) {
        showMessage(
            ([text] + [key].compactMap(\.self)).joined(separator: " \(options.symbols.bullet) "), for: .seconds(3))
    }

    private mutating func showChildren(of item: ItemID, list: Int) {
        guard list == selected else { return }
        if pane.document.childCount(item) > 0 {
            if !pane.document.isExpanded(item) { setExpanded(item, true) }
        } else if case .here = pane.shownQuery.folding, !pane.shownQuery.filter.leavesOut {
            showMessage("\(subject([item])) has no children, and no handler has added any")
        }
    }
}
