import Diffable
import HashTreeCollections
import Synchronization

/// A list's whole state at one revision, with its items' content as values of the program's own type.
///
/// It is a value: an older one stays as it was, and both share what did not change. The reads of one thing cost O(log n)
/// and suit a table's data source:
///
///     func numberOfRows(inSection section: Int) -> Int { snapshot.numberOfItems(inSection: section) }
///     func text(at path: [Int]) -> String { snapshot[path]?.content.text ?? "" }
public struct ListSnapshot<Value: Sendable>: Sendable {
    /// The same state as the daemon knows it, with all its reads: parents, levels, kinds, content as JSON.
    public let untyped: Snapshot
    let contents: ItemContents<Value>
    /// The same with the items that could not be decoded; nil when there are none.
    private let whole: Snapshot?
    private let rows = KnownRows()

    init(_ contents: ItemContents<Value>) { self.init(Snapshot(), contents, whole: nil) }

    private init(_ untyped: Snapshot, _ contents: ItemContents<Value>, whole: Snapshot?) {
        self.untyped = untyped
        self.contents = contents
        self.whole = whole
    }

    /// The state that a difference leads to, and what it makes different here. Only what came or looks different is
    /// decoded: O(d log n), and O(s log n) more when s items are skipped.
    ///
    /// - Parameter new: the state as the daemon has it.
    func applying(
        _ difference: [ListOperation], to new: Snapshot, of list: ListName
    ) throws(ClientError) -> (ListSnapshot, difference: [ListOperation]) {
        let contents = try contents.applying(difference, from: whole ?? untyped, to: new, of: list)
        if contents.skipped.isEmpty, whole == nil { return (ListSnapshot(new, contents, whole: nil), difference) }
        let shown: Snapshot
        do {
            // Some may be below others.
            shown = try new.applying([.deleteItems(Array(contents.skipped), .isPassedOver)])
        } catch {
            preconditionFailure("what may be absent can be deleted: \(error)")
        }
        let snapshot = ListSnapshot(shown, contents, whole: contents.skipped.isEmpty ? nil : new)
        return (snapshot, shown.difference(from: untyped))
    }

    /// The same items in another order.
    func rearranged(_ untyped: Snapshot) -> ListSnapshot { ListSnapshot(untyped, contents, whole: nil) }
}

extension ListSnapshot {
    /// The list's own content, as the publisher wrote it.
    public var content: Content? { untyped.content }
    /// Whether there is no section, and so no item.
    public var isEmpty: Bool { untyped.isEmpty }
    /// How many sections there are.
    public var numberOfSections: Int { untyped.numberOfSections }
    /// At all depths.
    public var numberOfItems: Int { untyped.numberOfItems }

    /// The whole state, nested. O(n).
    public var sections: [ListSection<Value>] {
        untyped.sections.map { section in
            ListSection(id: section.id, content: section.content, items: section.items.map(nested))
        }
    }

    private func nested(_ item: Item) -> ListItem<Value> {
        ListItem(item, content: contents.value(of: item), children: item.children.map(nested))
    }

    /// Its visible items as the rows of a flat table or a terminal. O(n) the first time, but for what
    /// `ListUpdate.rowChanges` has found already.
    public var visibleRows: VisibleRows { rows.rows { VisibleRows(of: untyped) } }

    /// The same, when those of the state before are known.
    func visibleRows(after previous: VisibleRows, by difference: [ListOperation]) -> VisibleRows {
        rows.rows { previous.advanced(to: untyped, by: difference) }
    }

    /// An item, without its children.
    public subscript(id: ItemID) -> ListItem<Value>? {
        untyped.item(id).map { ListItem($0, content: contents.value(of: $0), children: []) }
    }

    /// The item at an index path (section, item, child and so on), without its children; nil where none is.
    public subscript(path: [Int]) -> ListItem<Value>? {
        untyped.itemIdentifier(at: path).flatMap { self[$0] }
    }

    /// A section, without its items; nil where none is.
    public func section(at index: Int) -> ListSection<Value>? {
        untyped.sectionIdentifier(at: index).flatMap(untyped.section).map {
            ListSection(id: $0.id, content: $0.content, items: [])
        }
    }

    /// How many items stand directly in a section; none where there is no section.
    public func numberOfItems(inSection index: Int) -> Int {
        untyped.sectionIdentifier(at: index).flatMap(untyped.numberOfRootItems) ?? 0
    }

    /// How many children the item at an index path has, without theirs; none where there is no item.
    public func numberOfChildren(at path: [Int]) -> Int {
        untyped.itemIdentifier(at: path).flatMap(untyped.numberOfChildren) ?? 0
    }
}

/// The rows of a snapshot, as soon as somebody has asked for them.
private final class KnownRows: Sendable {
    private let known = Mutex<VisibleRows?>(nil)

    func rows(_ find: () -> VisibleRows) -> VisibleRows {
        if let rows = known.withLock({ $0 }) { return rows }
        // Not under the lock, as it may take a while. Two who ask at once find the same.
        let rows = find()
        known.withLock { $0 = rows }
        return rows
    }
}

/// A section as a program reads it.
public struct ListSection<Value: Sendable>: Identifiable, Sendable {
    /// What it is called, and found by, in the list.
    public var id: SectionID
    /// As the publisher wrote it.
    public var content: Content?
    /// The items that stand directly in it, in order; empty where `ListSnapshot.section(at:)` returned it.
    public var items: [ListItem<Value>]
}

/// An item as a program reads it.
public struct ListItem<Value: Sendable>: Identifiable, Sendable {
    /// What it is called, and found by, in the whole list.
    public var id: ItemID
    /// Which registration draws it; nil for none.
    public var kind: Kind?
    /// Its content as a value of the program's own.
    public var content: Value
    /// Whether its children are shown.
    public var isExpanded: Bool
    /// The items directly under it, in order; empty where a subscript of `ListSnapshot` returned it.
    public var children: [ListItem]

    init(_ item: Item, content: Value, children: [ListItem]) {
        id = item.id
        kind = item.kind
        self.content = content
        isExpanded = item.isExpanded ?? false
        self.children = children
    }
}
