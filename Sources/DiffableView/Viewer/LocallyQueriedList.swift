import Diffable
import DiffableJSON

/// A whole list in the viewer's memory. It answers the queries of a picker without the daemon, and ranks the matches of a
/// search (docs/viewer.md, "The order of matches").
struct LocallyQueriedList: Sendable {
    let snapshot: Snapshot
    /// The filter, without a search, that the snapshot is the result of.
    let filter: ViewFilter
    private let isFlat: Bool
    private var texts: Texts?
    private var ranking: Ranking?

    /// The searched texts of all rows, in the order of the rows.
    private struct Texts: Sendable {
        var places: RowSearchPaths?
        var bytes: [UInt8] = []
        /// The end of each row's texts in `bytes`.
        var ends: [Int] = []
    }

    private struct Ranking: Sendable {
        var search: String
        /// A number for each match, best first. Its lowest bits are the row.
        var keys: [UInt64]
    }

    init(_ snapshot: Snapshot, filter: ViewFilter = ViewFilter()) {
        self.snapshot = snapshot
        self.filter = filter.unsearched
        isFlat = snapshot.sectionIdentifiers.allSatisfy {
            snapshot.numberOfItems(inSection: $0) == snapshot.numberOfRootItems(inSection: $0)
        }
    }

    /// A state that shows the result of a query: at most `Pane.wholeRowsMax` rows of a list without children.
    mutating func state(answering query: ViewQuery, as state: ViewedState) -> ViewedState {
        var result = state
        var query = query
        query.window.limit = min(query.window.limit, Pane.wholeRowsMax)
        guard !query.filter.search.isEmpty else {
            query.filter = ViewFilter()
            (result.snapshot, result.extent) = query.evaluate(snapshot)
            return result
        }
        rank(query.filter)
        let keys = ranking?.keys ?? []
        (result.snapshot, result.extent) =
            isFlat
            ? rankedWindow(query, keys) : query.window.extract(from: matchesWithAncestors(query.filter, keys)).parts
        let best = keys.first.flatMap { snapshot.itemIdentifier(atRow: Self.row($0)) }
        result.best = best.flatMap { result.snapshot.contains($0) ? $0 : nil }
        return result
    }

    /// The items that match the search, best first; with a sort order, in this order.
    mutating func matches(of filter: ViewFilter) -> [ItemID] {
        guard !filter.search.isEmpty else { return snapshot.itemIdentifiers }
        rank(filter)
        return ordered(filter, ranking?.keys ?? []).compactMap { snapshot.itemIdentifier(atRow: Self.row($0)) }
    }

    private func ordered(_ filter: ViewFilter, _ keys: [UInt64]) -> [UInt64] {
        filter.sort.isEmpty ? keys : keys.sorted { Self.row($0) < Self.row($1) }
    }

    // MARK: - Results

    /// The sections keep the list's order, and their matches are ranked.
    private func rankedWindow(_ query: ViewQuery, _ keys: [UInt64]) -> (Snapshot, Window.Extent?) {
        let keys = ordered(query.filter, keys)
        let ids = snapshot.sectionIdentifiers
        var ends: [Int] = []
        for id in ids { ends.append((ends.last ?? 0) + (snapshot.numberOfItems(inSection: id) ?? 0)) }
        var rows: [[Int]] = ids.map { _ in [] }
        for key in keys {
            let row = Self.row(key)
            rows[ends.count == 1 ? 0 : ends.firstIndex { row < $0 } ?? 0].append(row)
        }
        var start = 0
        switch query.window.start {
        case .offset(let offset): start = max(min(offset, keys.count - query.window.limit), 0)
        case .anchor(let item):
            start = snapshot.index(ofItem: item).flatMap { rows.joined().firstPosition(of: $0) } ?? 0
        }
        var skipped = start
        var missing = query.window.limit
        var sections: [Section] = []
        for (id, rows) in zip(ids, rows) {
            let shown = rows.dropFirst(skipped).prefix(missing)
            skipped = max(skipped - rows.count, 0)
            missing -= shown.count
            guard !shown.isEmpty, var section = snapshot.sectionAlone(id) else { continue }
            section.items = shown.compactMap { snapshot.itemIdentifier(atRow: $0).flatMap(snapshot.itemAlone) }
            sections.append(section)
        }
        let result = try? Snapshot(sections, content: snapshot.content)
        return (result ?? Snapshot(), Window.Extent(offset: start, total: keys.count))
    }

    /// The matches and their ancestors. A parent ranks as the best match in it.
    private func matchesWithAncestors(_ filter: ViewFilter, _ keys: [UInt64]) -> Snapshot {
        var places: [ItemID: Int] = [:]
        for (place, key) in keys.enumerated() {
            var item = snapshot.itemIdentifier(atRow: Self.row(key))
            while let id = item, places[id] == nil {
                places[id] = place
                item = snapshot.parent(of: id)
            }
        }
        let shown = places
        let appendKey: Selection.KeyWriter = { item, key in key.append(Double(shown[item.id] ?? shown.count)) }
        let selection = Selection(
            isMatch: { shown[$0.id] != nil }, appendKey: filter.sort.isEmpty ? appendKey : nil)
        return selection.evaluate(snapshot)
    }

    // MARK: - Ranking

    var isPrepared: Bool { texts != nil }

    /// Collects the searched texts of all rows. O(bytes of the list).
    mutating func collectTexts(for filter: ViewFilter) {
        if let texts, texts.places == filter.searchedPlaces { return }
        var texts = Texts(places: filter.searchedPlaces)
        var search = ViewFilter()
        (search.search, search.searchedPlaces) = ("x", filter.searchedPlaces)
        let view = View.of(search.json)
        texts.ends.reserveCapacity(snapshot.numberOfItems)
        func add(_ items: [Item]) {
            for item in items {
                let start = texts.bytes.count
                view.appendSearchedTexts(of: item, to: &texts.bytes)
                let excess = texts.bytes.count - start - Self.searchedLengthMax
                if excess > 0 { texts.bytes.removeLast(excess) }
                texts.ends.append(texts.bytes.count)
                add(item.children)
            }
        }
        for section in snapshot.sectionIdentifiers {
            for item in snapshot.rootItems(inSection: section) ?? [] {
                if isFlat {
                    add(snapshot.itemAlone(item).map { [$0] } ?? [])
                } else {
                    add(snapshot.subtree(of: item) ?? [])
                }
            }
        }
        self.texts = texts
        ranking = nil
    }

    private mutating func rank(_ filter: ViewFilter) {
        collectTexts(for: filter)
        guard ranking?.search != filter.search, let texts else { return }
        let words = FuzzyWord.words(of: filter.search)
        // Every match of a longer search is a match of a shorter one.
        let known = ranking.flatMap { filter.search.hasPrefix($0.search) ? $0.keys : nil }
        var keys: [UInt64] = []
        texts.bytes.withUnsafeBufferPointer { bytes in
            func take(_ row: Int) {
                let start = row == 0 ? 0 : texts.ends[row - 1]
                if let key = Self.rankKey(
                    words, in: UnsafeBufferPointer(rebasing: bytes[start..<texts.ends[row]]), row: row)
                {
                    keys.append(key)
                }
            }
            if let known {
                for key in known { take(Self.row(key)) }
            } else {
                for row in texts.ends.indices { take(row) }
            }
        }
        keys.sort()
        ranking = Ranking(search: filter.search, keys: keys)
    }

    /// From the highest bit: the sum of the words' grades, the letters that they skip, the length of the first text, the row.
    private static func rankKey(_ words: [FuzzyWord], in texts: UnsafeBufferPointer<UInt8>, row: Int) -> UInt64? {
        var (grades, skipped) = (0, 0)
        for word in words {
            guard let best = bestRank(word, in: texts) else { return nil }
            grades += best.grade
            skipped += best.skipped
        }
        let length = texts.firstIndex(of: View.textEnd) ?? texts.count
        var key = UInt64(min(grades, 1 << gradeBits - 1))
        key = key << skippedBits | UInt64(min(skipped, 1 << skippedBits - 1))
        key = key << lengthBits | UInt64(min(length, 1 << lengthBits - 1))
        return key << rowBits | UInt64(row)
    }

    /// The best rank in one of the texts. In another text than the first, it is worse than the same rank in the first.
    private static func bestRank(_ word: FuzzyWord, in texts: UnsafeBufferPointer<UInt8>) -> FuzzyWord.Rank? {
        var best: FuzzyWord.Rank?
        var start = 0
        repeat {
            let end = texts[start...].firstIndex(of: View.textEnd) ?? texts.count
            if var rank = word.rank(in: UnsafeBufferPointer(rebasing: texts[start..<end])) {
                rank.grade = 2 * rank.grade + (start > 0 ? 1 : 0)
                best = best.map { min($0, rank) } ?? rank
            }
            start = end + 1
        } while start < texts.count
        return best
    }

    private static func row(_ key: UInt64) -> Int { Int(key & (1 << rowBits - 1)) }

    private static let (gradeBits, skippedBits, lengthBits, rowBits) = (UInt64(12), UInt64(12), UInt64(12), UInt64(28))
    /// Bytes of a row's texts. A longer text is searched up to here.
    private static let searchedLengthMax = 10_000
}

extension ViewFilter {
    /// This filter without the search.
    var unsearched: ViewFilter {
        var filter = self
        (filter.search, filter.searchedPlaces) = ("", nil)
        return filter
    }

    /// The rows of a list that the filter leaves, in its order.
    package func rows(of list: Snapshot) -> Snapshot { View.of(json).evaluate(list).snapshot }
}

extension ViewQuery {
    func evaluate(_ list: Snapshot) -> (snapshot: Snapshot, extent: Window.Extent?) { View.of(json).evaluate(list) }
}

extension View {
    /// A view that the viewer wrote itself.
    static func of(_ json: String) -> View {
        Array(json.utf8).withUnsafeBytes { try? View(json: $0) } ?? View()
    }
}

extension Window.Extract {
    fileprivate var parts: (Snapshot, Window.Extent?) { (snapshot, extent) }
}

extension Sequence where Element == Int {
    fileprivate func firstPosition(of element: Int) -> Int? { enumerated().first { $0.element == element }?.offset }
}
