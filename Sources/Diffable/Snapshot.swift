/// The complete state of a list: its own content, and ordered sections, each with ordered items, which can have
/// children at any depth.
///
/// A snapshot is an immutable value and can be read on any thread. Applying operations to it returns another one that
/// shares all unchanged parts, so keeping an old snapshot costs only the later changes.
///
///     let after = try before.applying([.appendItems([Item(id: "milk")], to: .section("today"))])
///     let operations = after.difference(from: before)
///
/// Reading or changing one item costs O(log n) for a list of n items.
public struct Snapshot: Sendable {
    // 128 bytes, which are copied inline. Each operation copies a snapshot several times; a larger one would be copied by calls.

    var forest = Forest()
    var itemIndex = IdentifierIndex()
    var sectionIndex = IdentifierIndex()
    /// The number of redraw requests in this state and all states before it. A record with a higher number than an
    /// earlier state's count was requested since then, even if the item was deleted and inserted in between.
    package internal(set) var redrawsAsked: UInt64 = 0

    /// Creates an empty list.
    public init() {}

    /// Creates a list with these sections. O(n).
    ///
    /// An item with an `isExpanded` of `nil` gets its expansion from `known`, and a list with a `content` of `nil` gets
    /// its content from there; an inner `nil` means no content. Throws `duplicateSection` or `duplicateItem` for a
    /// duplicate id, and `tooManyItems` or `tooManyLevels` beyond `limits`.
    public init(
        _ sections: [Section], content: Content?? = nil, expansionFrom known: Snapshot = Snapshot(),
        limits: SnapshotLimits = SnapshotLimits()
    ) throws(OperationError) {
        redrawsAsked = known.redrawsAsked
        setListRecord(known.listRecord)
        if let content { setContent(content) }
        try insert(sections, at: .end, ApplyContext(known: known, limits: limits))
    }

    package init(
        _ list: WholeList, expansionFrom known: Snapshot = Snapshot(), limits: SnapshotLimits = SnapshotLimits()
    ) throws(OperationError) {
        try self.init(list.sections, content: list.content, expansionFrom: known, limits: limits)
    }
}

// MARK: - Requests to draw again

extension Snapshot {
    mutating func nextRedraw() -> UInt64 {
        redrawsAsked += 1
        return redrawsAsked
    }

    /// Sets the count of a state that was rebuilt from a diff, because a diff combines requests.
    package mutating func setRedrawsAsked(_ count: UInt64) { redrawsAsked = count }

    /// This state as a successor of another one: the numbers of redraw requests continue from there, so that none is used twice.
    package func restored(after head: Snapshot) -> Snapshot {
        var snapshot = self
        snapshot.redrawsAsked = max(redrawsAsked, head.redrawsAsked)
        return snapshot
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
    /// Whether both have the same content, and the same sections and items in the same order and hierarchy, with the
    /// same kinds, contents and expansion. Ignores redraw requests. O(n).
    public static func == (a: Snapshot, b: Snapshot) -> Bool {
        guard a.numberOfItems == b.numberOfItems, a.numberOfSections == b.numberOfSections,
            a.contentChange(from: b) == nil
        else { return false }
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
        case (
            .item(let a, let levelA, let isExpandedA, let isFoldedA),
            .item(let b, let levelB, let isExpandedB, let isFoldedB)
        ):
            levelA == levelB && isExpandedA == isExpandedB && isFoldedA == isFoldedB && a.hasSameID(as: b)
                && a.hasSameKind(as: b)
                && a.hasSameContent(as: b)
        default: false
        }
    }
}
