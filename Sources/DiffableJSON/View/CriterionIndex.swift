import Diffable

/// Finds which of many criteria an item may meet, without looking at each of them: what a publish/subscribe matcher does.
///
/// A criterion that can only be met by items with certain values at a path (`Criterion.anchors`) is found by the value that
/// the item has there, which is read once for all. Of those that cannot be found so, a `search` is held against the item's
/// text, which is folded once for all, and the others are asked.
package final class CriterionIndex {
    /// By path: few, however many criteria.
    private var spans: [ContentPath: SpanTree] = [:]
    private var searches: [Int: SearchText] = [:]
    private var others: [Int: Criterion] = [:]

    package init() {}

    /// About how much work it is to find out about one item, in looks at 64 bytes of it.
    package var workOfLook: Int { 1 + spans.count + searches.count / 16 + others.count / 4 }

    /// How many spans there are at a path.
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

    /// One that was put in before.
    package func remove(_ number: Int, _ criterion: Criterion) {
        for anchor in criterion.anchors ?? [] {
            spans[anchor.path]?.remove(anchor.span, number)
            if spans[anchor.path]?.isEmpty == true { spans[anchor.path] = nil }
        }
        searches[number] = nil
        others[number] = nil
    }

    /// Adds the numbers of all criteria that the item meets, and of some more perhaps.
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
