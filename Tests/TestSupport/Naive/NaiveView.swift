/// The part of a list that a view shows, as docs/protocol-views.md describes it, always computed from all items.
package struct NaiveView {
    package private(set) var json: NaiveJSON
    /// Folds strings for the comparison in a `search`.
    package var folding: @Sendable (String) -> String = naiveFolding

    /// A fault: the window holds to items that have moved.
    package var keepsMoved = false

    package init(_ text: String) throws { json = try NaiveJSON(text) }

    package var text: String { json.text }

    /// The item with which the window begins, if it names one.
    package var anchor: String? { json["window"]?["anchor"]?.string }

    package struct Shown {
        package var list: NaiveList
        /// The extent of a window.
        package var extent: Extent?
        /// All rows, inside and outside of the window; nil if the window's next position does not depend on them.
        package var rows: [String]?
        /// The current anchor.
        package var anchor: String?

    }

    package struct Extent: Equatable, Sendable {
        package var offset: Int
        package var total: Int
        /// The replacement of the anchor.
        package var anchor: String?
        package var pins: [String: Int?] = [:]
        package var rows: [String: Int] = [:]

        package init(offset: Int, total: Int) { (self.offset, self.total) = (offset, total) }
    }

    /// The rows that a follower gets.
    ///
    /// - Parameters:
    ///   - sent: the rows that it has.
    ///   - isTurn: whether these are of another view.
    package func shown(of list: NaiveList, after sent: Shown? = nil, isTurn: Bool = false) -> Shown {
        let rows = rows(of: list)
        let all = rows.items.map(\.id)
        guard let window = json["window"] else { return Shown(list: rows, rows: all) }
        let (offset, anchor) = position(of: window, in: all, after: sent, isTurn: isTurn)
        let wanted = Set(all[offset...].prefix(window["limit"]?.int ?? 0))
        let hasAllSections = window["allSections"]?.boolean ?? false
        func cut(_ elements: [NaiveList.Element], isTop: Bool) -> [NaiveList.Element] {
            elements.compactMap { element in
                var element = element
                let isWanted = isTop ? hasAllSections : wanted.contains(element.id)
                element.children = cut(element.children, isTop: false)
                return isWanted || !element.children.isEmpty ? element : nil
            }
        }
        var shown = NaiveList()
        shown.content = list.content
        shown.sections = cut(rows.sections, isTop: true)
        var extent = Extent(offset: offset, total: all.count)
        extent.anchor = anchor == self.anchor ? nil : anchor
        for pin in window["pins"]?.elements.compactMap(\.string) ?? [] {
            extent.pins.updateValue(all.firstIndex(of: pin), forKey: pin)
        }
        if hasAllSections {
            for section in rows.sections { extent.rows[section.id] = section.children.flatMap(\.withDescendants).count }
        }
        return Shown(
            list: shown, extent: extent, rows: self.anchor != nil || isMovedByRequest ? all : nil, anchor: anchor)
    }

    private func position(
        of window: NaiveJSON, in all: [String], after sent: Shown?, isTurn: Bool
    ) -> (offset: Int, anchor: String?) {
        let before = window["before"]?.int ?? 0
        if let anchor {
            if all.isEmpty { return (0, nil) }
            let wanted = isTurn ? anchor : sent?.anchor ?? anchor
            if let index = all.firstIndex(of: wanted) { return (max(index - before, 0), wanted) }
            let index = replacement(of: wanted, in: all, after: sent, isTurn: isTurn)
            return (max(index - before, 0), all[index])
        }
        var offset = window["offset"]?.int ?? 0
        if let sent, sent.rows != nil, let keep = window["keep"]?.elements.compactMap(\.string), !keep.isEmpty {
            if !isTurn { offset = sent.extent?.offset ?? offset }
            let steady = steady(sent, in: all)
            let kept = keep.lazy.compactMap { id in steady.first { $0.id == id } }.first
            if let kept { offset += kept.index - kept.row }
        }
        if offset >= all.count { offset = all.count - (window["limit"]?.int ?? 0) }
        return (max(offset, 0), nil)
    }

    /// The place of a deleted anchor: the place of the next row that has not moved, or the place after the previous one.
    private func replacement(of anchor: String, in all: [String], after sent: Shown?, isTurn: Bool) -> Int {
        guard let sent, let rows = sent.rows,
            let row = rows.firstIndex(of: anchor) ?? (isTurn ? nil : sent.extent?.offset)
        else { return 0 }
        let steady = steady(sent, in: all)
        if let next = steady.first(where: { $0.row > row }) { return next.index }
        return min(steady.last { $0.row < row }.map { $0.index + 1 } ?? row, all.count - 1)
    }

    /// The rows that have not moved: as many of the remaining rows as possible. Ties go to the choice that has shifted least.
    private func steady(_ sent: Shown, in all: [String]) -> [(id: String, row: Int, index: Int)] {
        let left = (sent.rows ?? []).enumerated().compactMap { row, id in
            all.firstIndex(of: id).map { (id: id, row: row, index: $0) }
        }
        if keepsMoved { return left }
        typealias Run = (rows: [Int], cost: Int)
        func isBetter(_ a: Run, _ b: Run) -> Bool {
            (b.rows.count, a.cost, a.rows.last ?? 0) < (a.rows.count, b.cost, b.rows.last ?? 0)
        }
        var runs: [Run] = []
        for (number, row) in left.enumerated() {
            let before = runs.filter { left[$0.rows.last ?? 0].index < row.index }
            let best = before.reduce(nil as Run?) { best, run in
                best.map { isBetter(run, $0) ? run : $0 } ?? run
            }
            runs.append(((best?.rows ?? []) + [number], (best?.cost ?? 0) + abs(row.index - row.row)))
        }
        let longest = runs.reduce(nil as Run?) { best, run in best.map { isBetter(run, $0) ? run : $0 } ?? run }
        return longest?.rows.map { left[$0] } ?? []
    }

    /// The view with which a follower reconnects: with the position of its window.
    package func shown(as shown: Shown?) -> NaiveView {
        guard let window = json["window"], let shown, let extent = shown.extent else { return self }
        var view = self
        if anchor != nil, let replacement = extent.anchor {
            view.json = json.replacing("window", by: window.replacing("anchor", by: .string(replacement)))
        } else if window["keep"]?.elements.isEmpty == false {
            view.json = json.replacing("window", by: window.replacing("offset", by: .number("\(extent.offset)")))
        }
        return view
    }

    /// Whether a request for the same view moves its window.
    package var isMovedByRequest: Bool { json["window"]?["keep"]?.elements.isEmpty == false }

    /// Returns the rows without the window.
    private func rows(of list: NaiveList) -> NaiveList {
        var list = list
        if let sections = json["sections"], !sections.isNull {
            list.sections.removeAll { !sections.elements.contains(.string($0.id)) }
        }
        for index in list.sections.indices {
            list.sections[index].children = folded(sorted(matching(list.sections[index].children)))
        }
        return list
    }

    private func matching(_ items: [NaiveList.Element]) -> [NaiveList.Element] {
        items.compactMap { item in
            var item = item
            item.children = matching(item.children)
            return !item.children.isEmpty || isMatch(item) ? item : nil
        }
    }

    private func isMatch(_ item: NaiveList.Element) -> Bool {
        if let condition = json["where"], !naiveCondition(condition, isMetBy: item) { return false }
        guard let search = json["search"]?.string else { return true }
        let strings = item.content.map(naiveStrings) ?? []
        return search.split(separator: " ").allSatisfy { word in
            strings.contains { folding($0).contains(folding(String(word))) }
        }
    }

    private func sorted(_ items: [NaiveList.Element]) -> [NaiveList.Element] {
        let items = items.map { item in
            var item = item
            item.children = sorted(item.children)
            return item
        }
        guard let parts = json["sort"]?.elements, !parts.isEmpty else { return items }
        // Bubble sort is stable.
        var result = items
        for end in result.indices.reversed() {
            for index in 0..<end where precedes(result[index + 1], result[index], parts) {
                result.swapAt(index, index + 1)
            }
        }
        return result
    }

    private func precedes(_ a: NaiveList.Element, _ b: NaiveList.Element, _ parts: [NaiveJSON]) -> Bool {
        for part in parts {
            let path = part.string ?? part["path"]?.string ?? ""
            let (first, second) = (naiveValue(path, of: a), naiveValue(path, of: b))
            let isDescending = part["descending"]?.boolean ?? false
            if naivePrecedes(first, second) { return !isDescending }
            if naivePrecedes(second, first) { return isDescending }
        }
        return false
    }

    private func leaveOutChildren(of item: inout NaiveList.Element) {
        item.isFolded = json["folded"]?.boolean == true && !item.children.isEmpty
        item.children = []
    }

    private func folded(_ items: [NaiveList.Element]) -> [NaiveList.Element] {
        items.map { item in
            var item = item
            switch json["expansion"]?.string {
            case "shared": if !item.isExpanded { leaveOutChildren(of: &item) }
            case "own":
                if let toggled = json["toggled"]?.elements {
                    if toggled.contains(.string(item.id)) { item.isExpanded.toggle() }
                } else {
                    item.isExpanded = json["expanded"]?.elements.contains(.string(item.id)) ?? false
                }
                if !item.isExpanded { leaveOutChildren(of: &item) }
            default: break
            }
            item.children = folded(item.children)
            return item
        }
    }
}
