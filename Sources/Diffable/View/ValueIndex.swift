#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The keys between two keys, including both (`SortKey`).
package struct KeySpan: Equatable, Sendable {
    package var first: [UInt8]
    package var last: [UInt8]

    package init(first: [UInt8], last: [UInt8]) {
        self.first = first
        self.last = last
    }
}

/// The items of one state of a list, ordered by one of their values, so that items with certain values are found
/// without looking at the others.
package struct ValueIndex: Sendable {
    /// The state of the list.
    package let list: Snapshot
    /// The beginnings of all keys, concatenated.
    private let keys: [UInt8]
    private let places: [IndexedItem]

    private struct IndexedItem {
        var key: KeySlice
        var item: Handle
    }

    /// Bytes of a key at most. Values may be as long as contents, and few values have the same beginning.
    private static let lengthMax = 48

    /// Orders the items of a list: O(n log n).
    ///
    /// - Parameter appendKey: appends nothing for an item without such a value.
    package init(_ list: Snapshot, by appendKey: Selection.KeyWriter) {
        var keys = SortKey()
        var places: [IndexedItem] = []
        places.reserveCapacity(list.numberOfItems)
        var cursor = SnapshotCursor(list)
        while let (handle, level) = cursor.nextHandle() {
            if level < 0 { continue }
            let start = keys.bytes.count
            appendKey(Item(record: list.forest.record(handle)), &keys)
            let count = min(keys.bytes.count - start, Self.lengthMax)
            if count == 0 { continue }
            keys.cut(to: start + count)
            places.append(IndexedItem(key: KeySlice(from: start, in: keys), item: handle))
        }
        keys.bytes.withUnsafeBytes { bytes in
            places.sort { $0.key.compare(to: $1.key, in: bytes) < 0 }
        }
        self.list = list
        self.keys = keys.bytes
        self.places = places
    }

    /// Returns the number of items with a value in one of the spans. Items in several spans count for each of them, and
    /// items whose values begin like the ends of a span count too. O(log n) for each span.
    package func count(in spans: [KeySpan]) -> Int { spans.reduce(0) { $0 + range(of: $1).count } }

    func forEachItem(in spans: [KeySpan], _ body: (Handle) -> Void) {
        for span in spans {
            for place in places[range(of: span)] { body(place.item) }
        }
    }

    private func range(of span: KeySpan) -> Range<Int> {
        // Cutting keys to the same length keeps their order, except that some become equal.
        let (first, last) = (Array(span.first.prefix(Self.lengthMax)), Array(span.last.prefix(Self.lengthMax)))
        let start = firstIndex { Self.order($0, first) >= 0 }
        let end = firstIndex { Self.order($0, last) > 0 }
        return start..<max(start, end)
    }

    /// Returns the first index with a property that all later keys have too.
    private func firstIndex(where isBehind: (UnsafeRawBufferPointer) -> Bool) -> Int {
        keys.withUnsafeBytes { bytes in
            var (start, end) = (0, places.count)
            while start < end {
                let middle = (start + end) / 2
                let place = places[middle].key
                let key = UnsafeRawBufferPointer(rebasing: bytes[place.start..<place.start + Int(place.count)])
                if isBehind(key) { end = middle } else { start = middle + 1 }
            }
            return start
        }
    }

    /// Returns a negative number, a positive number or zero.
    private static func order(_ a: UnsafeRawBufferPointer, _ b: [UInt8]) -> Int {
        b.withUnsafeBytes { b in
            let count = min(a.count, b.count)
            let order = count == 0 ? 0 : Int(memcmp(a.baseAddress!, b.baseAddress!, count))
            return order == 0 ? a.count - b.count : order
        }
    }
}

// MARK: - Evaluating

extension Selection {
    /// The work of evaluating with an order, in looks at 64 bytes of an item.
    package func estimatedWork(of order: ValueIndex, in spans: [KeySpan]) -> Int {
        order.list.numberOfSections + order.count(in: spans) * (2 + 2 * terms)
    }

    /// Returns the rows of the order's list, if all matching items have values in these spans.
    ///
    /// O(sections + k log n) for k items in the spans. Collapses nothing.
    package func evaluate(_ order: ValueIndex, in spans: [KeySpan]) -> Snapshot {
        var gathering = MatchCollector(selection: self, list: order.list)
        order.forEachItem(in: spans) { gathering.add($0) }
        return gathering.snapshot()
    }
}

/// Matching items, with all their ancestors.
private struct MatchCollector {
    let selection: Selection
    let list: Snapshot
    /// The shown children of each owner, unordered.
    private var below: [Handle: [Handle]] = [:]
    private var known: Set<Handle> = []

    init(selection: Selection, list: Snapshot) {
        self.selection = selection
        self.list = list
    }

    mutating func add(_ item: Handle) {
        guard !known.contains(item), selection.isMatch(list.forest.record(item)) else { return }
        var item = item
        while known.insert(item).inserted {
            let owner = list.forest.parent(item)
            below[owner, default: []].append(item)
            if list.forest.parent(owner) == Forest.list { return }
            item = owner
        }
    }

    func snapshot() -> Snapshot {
        var sections: [Section] = []
        list.forest.children(Forest.list)?.forEach { section in
            guard selection.isShown(list.sectionID(section)) else { return }
            sections.append(Section(record: list.forest.record(section), items: items(under: section)))
        }
        return Snapshot(shown: sections, of: list)
    }

    private func items(under owner: Handle) -> [Item] {
        guard let handles = below[owner] else { return [] }
        let placed = handles.map { (index: list.forest.siblingIndex($0), handle: $0) }.sorted { $0.index < $1.index }
        let items = placed.map { _, handle in
            Item(
                record: list.forest.record(handle), isExpanded: list.forest.isExpanded(handle),
                children: self.items(under: handle))
        }
        return selection.sorted(items)
    }
}
