import Diffable
import DiffableJSON

// A line of text that is typed: a search, a condition or a sort key in the status line; the text of a new or an old row in its
// place.

extension Viewer {
    struct Prompt: Sendable {
        enum Purpose: Sendable { case search(label: String), condition, sort, item(NewItemPosition), name(RenamedRow) }

        var purpose: Purpose
        /// Whether Enter picks, and Esc ends the viewer.
        var isPicking: Bool
        var text = ""
        var cursor = 0
        var filter: ViewFilter
        var place: Pane.ViewPosition?

        var label: String {
            switch purpose {
            case .search(let label): label
            case .condition: "where "
            case .sort: "sort by "
            case .item: "new: "
            case .name: "rename: "
            }
        }

        /// The field in the rows; nil if the text is typed into the status line.
        var field: RowField? {
            switch purpose {
            case .search, .condition, .sort: nil
            case .item(let place): RowField(.after(place.row, level: place.level), text: text, cursor: cursor)
            case .name(let row): RowField(.text(of: .item(row.item)), text: text, cursor: cursor)
            }
        }

        var fieldKeys: String? {
            switch purpose {
            case .search, .condition, .sort: nil
            case .item: "Enter adds the row, Esc cancels"
            case .name: "Enter renames the row, Esc cancels"
            }
        }
    }

    mutating func beginTyping(_ purpose: Prompt.Purpose) {
        if case .range = mode { endRange(keepingMarks: true) }
        var prompt = Prompt(purpose: purpose, isPicking: false, filter: pane.filter, place: pane.place)
        if case .search = purpose {
            prompt.isPicking = options.picking != .none
            prompt.text = pane.filter.search
            prompt.cursor = prompt.text.count
        }
        if case .name(let row) = purpose { (prompt.text, prompt.cursor) = (row.text, row.text.count) }
        enter(prompt)
    }

    private mutating func enter(_ prompt: Prompt) {
        enter(.typing(prompt))
        if let row = prompt.field?.place.row { layOut(revealing: row) }
    }

    mutating func handle(_ key: KeyPress, _ prompt: Prompt) {
        var prompt = prompt
        let index = prompt.text.index(prompt.text.startIndex, offsetBy: prompt.cursor)
        let isControl = key.modifiers.contains(.control)
        switch key.key {
        case .escape:
            if prompt.isPicking { return append(.quit(picked: nil)) }
            pane.filter = prompt.filter
            // If the filter has not changed, there is nothing to return to.
            let isOther = isSearching || pane.askedQuery.map { $0.filter != pane.filter } ?? false
            pane.returnPosition = isOther ? prompt.place : nil
            return enter(.rows)
        case .enter: return finish(prompt)
        case .left: prompt.cursor = max(prompt.cursor - 1, 0)
        case .right: prompt.cursor = min(prompt.cursor + 1, prompt.text.count)
        case .home: prompt.cursor = 0
        case .end: prompt.cursor = prompt.text.count
        case .character("a") where isControl: prompt.cursor = 0
        case .character("e") where isControl: prompt.cursor = prompt.text.count
        case .character("u") where isControl:
            prompt.text.removeSubrange(..<index)
            prompt.cursor = 0
        case .character("w") where isControl:
            let rest = prompt.text[..<index].reversed().drop { $0 == " " }.drop { $0 != " " }
            prompt.text = String(rest.reversed()) + prompt.text[index...]
            prompt.cursor = rest.count
        case .backspace:
            guard prompt.cursor > 0 else {
                if prompt.text.isEmpty, !prompt.isPicking { return handle(KeyPress(.escape), prompt) }
                return
            }
            prompt.text.remove(at: prompt.text.index(before: index))
            prompt.cursor -= 1
        case .delete: if index < prompt.text.endIndex { prompt.text.remove(at: index) }
        case _ where prompt.field != nil && Self.rowKeys.contains(key.key): return
        // The user can move between rows while typing.
        case .up: return move(.up)
        case .down: return move(.down)
        case .pageUp: return page(.pageUp)
        case .pageDown: return page(.pageDown)
        case .character("n") where isControl && prompt.field == nil: return move(.down)
        case .character("p") where isControl && prompt.field == nil: return move(.up)
        // Leaves the search, so that letters are keys.
        case .character("o") where isControl && prompt.isPicking: return enter(.rows)
        // Space is a letter here.
        case .tab where options.picking == .multiple:
            mark()
            if key.modifiers.contains(.shift) { (0..<2).forEach { _ in move(.up) } }
            return
        case .character(let character) where !isControl && !key.modifiers.contains(.alt):
            return type(String(character), into: prompt)
        default: return
        }
        take(prompt)
    }

    /// Keys that would leave the row of a field.
    private static let rowKeys: Set<Key> = [.up, .down, .pageUp, .pageDown, .tab]

    mutating func paste(_ text: String) {
        guard case .typing(let prompt) = mode else { return }
        type(harmlessText(text), into: prompt)
    }

    private mutating func type(_ text: String, into prompt: Prompt) {
        var prompt = prompt
        let index = prompt.text.index(prompt.text.startIndex, offsetBy: prompt.cursor)
        let before = prompt.text[..<index] + text
        let typed = before + prompt.text[index...]
        guard typed.utf8.count <= Self.typedLengthMax else { return }
        // A mark may join the letter before it.
        prompt.cursor = before.count
        prompt.text = String(typed)
        prompt.cursor = min(prompt.cursor, prompt.text.count)
        take(prompt)
    }

    /// Bytes. A view with a search of more than 1,024 is refused.
    private static let typedLengthMax = 500

    /// A search takes effect while it is typed.
    private mutating func take(_ prompt: Prompt) {
        if case .search = prompt.purpose { search(for: prompt.text.trimmed) }
        enter(prompt)
    }

    private mutating func finish(_ prompt: Prompt) {
        let text = prompt.text.trimmed
        do throws(TypingError) {
            switch prompt.purpose {
            case .search:
                search(for: text)
                if !text.isEmpty { lastSearch = text }
                if prompt.isPicking { return pickFound() }
                enter(.rows)
                return
            case .condition:
                pane.filter.condition = text.isEmpty ? options.filter.condition : try options.condition(text)
                pane.filter.conditionWords = text.isEmpty ? options.filter.conditionWords : text
            case .sort:
                pane.filter.sort = text.isEmpty ? options.filter.sort : [try options.sortKey(text)]
                pane.filter.sortWords = text.isEmpty ? options.filter.sortWords : text
            case .item(let place):
                enter(.rows)
                return add(text, at: place)
            case .name(let row):
                enter(.rows)
                return rename(row, to: text)
            }
            enter(.rows)
        } catch {
            showError(error.message)
        }
    }

    // MARK: - Matches

    private mutating func search(for text: String) {
        // Only the unsearched list shows at which paths all items have their texts.
        if pane.shownQuery.filter.search.isEmpty { pane.filter.searchedPlaces = searchedPlaces(of: pane) }
        pane.filter.search = text
    }

    func searchedPlaces(of pane: Pane) -> RowSearchPaths? {
        let document = pane.localList.map { pane.document.updated(to: $0.snapshot) } ?? pane.document
        return Composer(document: document, viewport: viewport()).searchedPlaces
    }

    mutating func findNext(_ direction: Scene.Direction) {
        let search = pane.filter.search.isEmpty ? lastSearch : pane.filter.search
        guard !search.isEmpty else { return showMessage("There is no search yet: / starts one") }
        var filter = ViewFilter()
        filter.search = search
        filter.searchedPlaces =
            pane.shownQuery.filter.search.isEmpty ? searchedPlaces(of: pane) : pane.shownQuery.filter.searchedPlaces
        let parsed = Array(filter.json.utf8).withUnsafeBytes { try? View(json: $0) }
        guard let view = parsed, var row = pane.cursor else { return }
        for _ in 0..<Pane.wholeRowsMax {
            guard let next = scene.neighbour(of: row, towards: direction), next != row else { break }
            row = next
            if let item = row.item.flatMap(pane.document.snapshot.item), view.isMet(by: item) { return go(to: row) }
        }
        showMessage(direction == .down ? "No further match" : "No earlier match")
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
