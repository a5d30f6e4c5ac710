/// The part of a list that a view shows, as docs/protocol-views.md describes it, always computed from all items.
package struct NaiveView {
    package let json: NaiveJSON
    /// Folds strings for the comparison in a `search`.
    package var folding: @Sendable (String) -> String = naiveFolding

    package init(_ text: String) throws { json = try NaiveJSON(text) }

    package var text: String { json.text }

    /// The item with which the window begins, if it names one.
    package var anchor: String? { json["window"]?["anchor"]?.string }

    package struct Shown: Equatable {
        package var list: NaiveList
        /// The extent of a window.
        package var extent: Extent?
    }

    package struct Extent: Equatable, Sendable {
        package var offset: Int
        package var total: Int
    }

    /// - Parameter anchorOffset: the window's offset if its anchor is missing.
    package func shown(of list: NaiveList, anchorOffset: Int = 0) -> Shown {
        let rows = rows(of: list)
        guard let window = json["window"] else { return Shown(list: rows) }
        let all = rows.items.map(\.id)
        var offset = window["offset"]?.int ?? anchorOffset
        if let anchor { offset = all.firstIndex(of: anchor) ?? anchorOffset }
        offset = min(offset, all.count)
        let wanted = Set(all[offset...].prefix(window["limit"]?.int ?? 0))
        func cut(_ elements: [NaiveList.Element], isTop: Bool) -> [NaiveList.Element] {
            elements.compactMap { element in
                var element = element
                let isWanted = !isTop && wanted.contains(element.id)
                element.children = cut(element.children, isTop: false)
                return isWanted || !element.children.isEmpty ? element : nil
            }
        }
        var shown = NaiveList()
        shown.content = list.content
        shown.sections = cut(rows.sections, isTop: true)
        return Shown(list: shown, extent: Extent(offset: offset, total: all.count))
    }

    /// Returns the anchor's offset among the rows; nil if it is missing.
    package func anchorOffset(in list: NaiveList) -> Int? {
        anchor.flatMap { anchor in rows(of: list).items.firstIndex { $0.id == anchor } }
    }

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

    private func folded(_ items: [NaiveList.Element]) -> [NaiveList.Element] {
        items.map { item in
            var item = item
            switch json["expansion"]?.string {
            case "shared": if !item.isExpanded { item.children = [] }
            case "own":
                if let toggled = json["toggled"]?.elements {
                    if toggled.contains(.string(item.id)) { item.isExpanded.toggle() }
                } else {
                    item.isExpanded = json["expanded"]?.elements.contains(.string(item.id)) ?? false
                }
                if !item.isExpanded { item.children = [] }
            default: break
            }
            item.children = folded(item.children)
            return item
        }
    }
}
