/// A list's whole state: ordered sections, each with ordered items, each with child items at any depth.
///
/// A snapshot is an immutable value. Applying operations to one gives another that shares with it all that did not
/// change, so keeping an old snapshot costs what has changed since. It may be read on any thread.
///
///     let after = try before.applying([.appendItems([Item(id: "milk")], to: .section("today"))])
///     let operations = after.difference(from: before)
///
/// Every read of one item, and every operation on one, costs O(log n) for a list of n items.
public struct Snapshot: Sendable {
    var forest = Forest()
    var itemIndex = IdentifierIndex()
    var sectionIndex = IdentifierIndex()

    /// An empty list.
    public init() {}

    /// A list of these sections. O(n).
    ///
    /// An item whose `isExpanded` is `nil` gets the expansion it has in `known`. Throws `duplicateSection` or
    /// `duplicateItem` for an id that stands twice, and what `limits` refuses.
    public init(
        _ sections: [Section], expansionFrom known: Snapshot = Snapshot(), limits: SnapshotLimits = SnapshotLimits()
    ) throws(OperationError) {
        try insert(sections, at: .end, Insertion(known: known, limits: limits))
    }
}

// MARK: - Handles

extension Snapshot {
    func handle(_ item: ItemID) -> Handle? { itemHandle(item.record) }

    func handle(_ section: SectionID) -> Handle? { sectionHandle(section.record) }

    func itemHandle(_ record: Record) -> Handle? {
        itemIndex.handle(hash: record.hash) { forest.slots.hasRecord($0, withIDOf: record) }
    }

    func sectionHandle(_ record: Record) -> Handle? {
        sectionIndex.handle(hash: record.hash) { forest.slots.hasRecord($0, withIDOf: record) }
    }

    func itemID(_ handle: Handle) -> ItemID { ItemID(record: forest.record(handle)) }

    func sectionID(_ handle: Handle) -> SectionID { SectionID(record: forest.record(handle)) }
}

// MARK: - Equality

extension Snapshot: Equatable {
    /// Whether both hold the same sections and items in the same order and hierarchy, with the same kinds, contents
    /// and expansion. Requests to draw again do not count. O(n).
    public static func == (a: Snapshot, b: Snapshot) -> Bool {
        guard a.numberOfItems == b.numberOfItems, a.numberOfSections == b.numberOfSections else { return false }
        var ours = SnapshotCursor(a)
        var theirs = SnapshotCursor(b)
        while let element = ours.next() {
            guard let other = theirs.next(), element.isEqual(to: other) else { return false }
        }
        return true
    }
}

extension SnapshotCursor.Element {
    fileprivate func isEqual(to other: Self) -> Bool {
        switch (self, other) {
        case (.section(let a), .section(let b)):
            a.hasSameID(as: b) && a.hasSameContent(as: b)
        case (.item(let a, let levelA, let isExpandedA), .item(let b, let levelB, let isExpandedB)):
            levelA == levelB && isExpandedA == isExpandedB && a.hasSameID(as: b) && a.hasSameKind(as: b)
                && a.hasSameContent(as: b)
        default: false
        }
    }
}
