import Diffable

/// Finds the criteria that an item may match without testing each of them, like a publish/subscribe matcher. A criterion with
/// ranges of values at a path (`Criterion.anchors`) is found by the item's value there, which is read once for all of them. Of the
/// others, a `search` is compared with the item's text, which is folded once for all, and the rest are tested.
package final class CriterionIndex {
    /// By path: few, however many criteria.
    private var spans: [ContentPath: SpanTree] = [:]
    private var searches: [Int: SearchText] = [:]
    private var others: [Int: Criterion] = [:]

    package init() {}

    /// The approximate work for one item, in units of 64 bytes of it.
    package var workOfLook: Int { 1 + spans.count + searches.count / 16 + others.count / 4 }

    package func numberOfSpans(at path: ComparedPath) -> Int { spans[path.path]?.count ?? 0 }

    package func insert(_ number: Int, _ criterion: Criterion) {
        if let anchors = criterion.anchors {
            for anchor in anchors {
                let tree = spans[anchor.path] ?? SpanTree()
                spans[anchor.path] = tree
                tree.insert(anchor.span, number)
            }
        } else if criterion.condition == nil, let search = criterion.search, search.places == nil {
            searches[number] = search
        } else {
            others[number] = criterion
        }
    }

    package func remove(_ number: Int, _ criterion: Criterion) {
        for anchor in criterion.anchors ?? [] {
            spans[anchor.path]?.remove(anchor.span, number)
            if spans[anchor.path]?.isEmpty == true { spans[anchor.path] = nil }
        }
        searches[number] = nil
        others[number] = nil
    }

    /// Adds the numbers of all criteria that the item matches, and possibly of some more.
    package func collect(matching item: Item, into numbers: inout Set<Int>) {
        for (path, spans) in spans {
            guard let key = path.withValue(in: item, { $0?.key }) else { continue }
            spans.forEach(holding: key) { numbers.insert($0) }
        }
        if !searches.isEmpty {
            let text = SearchText.folded(item)
            for (number, search) in searches where search.isFound(inFolded: text) { numbers.insert(number) }
        }
        for (number, criterion) in others where !numbers.contains(number) && criterion.isMet(by: item) {
            numbers.insert(number)
        }
    }
}
