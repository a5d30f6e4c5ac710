import Diffable

// Decides which part of a list to request. A list of up to `Pane.wholeRowsMax` rows is loaded as a whole, and folded here. For a
// longer one, three screens are loaded: rows beyond are drawn as placeholders until they are loaded, and no key waits for them.

extension Viewer {
    /// Sends at most one query at a time; the newest one is sent when the reply arrives. The first letter of a pasted search is
    /// not sent: in a long list it matches most rows, and the real query would have to wait for that.
    mutating func requestView() {
        if case .typing = mode, questionPause != nil { return }
        guard lostSince == nil, pane.askedQuery == nil, pane.isLoaded, pane.absence == nil, let query = wantedQuery
        else {
            return
        }
        let mustLoadWhole = mustLoadWhole(query)
        guard query != pane.shownQuery || mustLoadWhole else { return }
        pane.askedQuery = query
        if answerLocally(query, whole: mustLoadWhole) { return }
        pane.queryNumber += 1
        let json = mustLoadWhole ? query.filter.unsearched.json : query.json
        append(.setView(list: selected, json: json, queryNumber: pane.queryNumber))
    }

    private var wantedQuery: ViewQuery? {
        let document = pane.document
        var query = pane.shownQuery
        if pane.filter != query.filter {
            return ViewQuery(filter: pane.filter, window: Window(start: firstRow, limit: Pane.wholeRowsMax))
        }
        guard document.rowCount > Pane.wholeRowsMax || query.window.limit < Pane.wholeRowsMax else {
            // It was longer, and is loaded as a whole from now on.
            query.window.start = .offset(0)
            return query
        }
        query.folding = wantedFolding
        let first = document.placeholdersBefore
        let held = first..<first + document.snapshot.numberOfItems
        let visible = visibleRows
        let margin = rows / 2
        let wanted = max(visible.lowerBound - margin, 0)..<min(visible.upperBound + margin, document.rowCount)
        let isHeld = wanted.isEmpty || held.lowerBound <= wanted.lowerBound && wanted.upperBound <= held.upperBound
        if !isHeld || query.folding != pane.shownQuery.folding { query.window = window(around: visible) }
        return query
    }

    /// In a long list, the first rows may not include the place that the cursor returns to.
    private var firstRow: Window.Start {
        guard pane.rowCountMax > Pane.wholeRowsMax, let place = pane.returnPosition, place.filter == pane.filter,
            !place.isAtTop, let item = place.row.item
        else { return .offset(0) }
        return .anchor(item)
    }

    private var visibleRows: Range<Int> {
        if let visible = scene.visibleRows { return visible }
        let index = pane.document.placeholdersBefore
        return index..<index
    }

    private func window(around visible: Range<Int>) -> Window {
        let document = pane.document
        let limit = 3 * max(rows, 20)
        let start = max(min(visible.lowerBound - limit / 3, document.rowCount - limit), 0)
        if start == 0 || pane.isFollowingTop { return Window(start: .offset(0), limit: limit) }
        // Changes before it do not move a window that begins with a row.
        if let item = document.snapshot.itemIdentifier(atRow: start - document.placeholdersBefore) {
            return Window(start: .anchor(item), limit: limit)
        }
        return Window(start: .offset(start), limit: limit)
    }

    /// If there are any collapsed items, the daemon leaves out their children: they would fill the window without being visible.
    private var wantedFolding: ViewQuery.Folding {
        let document = pane.document
        if document.closedInMatches != nil { return .here }
        switch pane.shownQuery.folding {
        case .there: return .there(toggled: pane.toggled.sorted())
        case .here:
            let isOutline = document.snapshot.sectionIdentifiers.contains { section in
                document.snapshot.numberOfItems(inSection: section)
                    != document.snapshot.numberOfRootItems(inSection: section)
            }
            return isOutline ? .there(toggled: pane.toggled.sorted()) : .here
        }
    }
}
