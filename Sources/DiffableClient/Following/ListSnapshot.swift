import Diffable
import HashTreeCollections
import Synchronization

/// A list's whole state at one revision, with its items' contents as values of the program's own type.
///
/// It is a value: an older one does not change, and both share their unchanged parts. Access to a single element costs O(log n)
/// and suits a table's data source:
///
///     func numberOfRows(inSection section: Int) -> Int { snapshot.numberOfRootItems(inSection: section) }
///     func text(at path: [Int]) -> String { snapshot[path]?.content.text ?? "" }
public struct ListSnapshot<Value: Sendable>: Sendable {
    private let state: State

    /// Shared by all copies, and by the sections and items that were read from them.
    private final class State: Sendable {
        let untyped: Snapshot
        let contents: ItemContents<Value>
        /// The state including the items that could not be decoded; nil if there are none.
        let whole: Snapshot?
        let visibleRows = Mutex<VisibleRows?>(nil)

        init(_ untyped: Snapshot, _ contents: ItemContents<Value>, whole: Snapshot?) {
            self.untyped = untyped
            self.contents = contents
            self.whole = whole
        }
    }

    init(_ contents: ItemContents<Value>) { self.init(Snapshot(), contents, whole: nil) }

    private init(_ untyped: Snapshot, _ contents: ItemContents<Value>, whole: Snapshot?) {
        state = State(untyped, contents, whole: whole)
    }

    /// The same state without types, with all its queries: parents, levels, kinds, content as JSON.
    public var untyped: Snapshot { state.untyped }
    var contents: ItemContents<Value> { state.contents }

    /// Applies a diff, and returns the diff of the shown items. Only inserted and changed items are decoded: O(d log n), and
    /// O(s log n) more if s items are skipped. `new` is the daemon's state.
    func applying(
        _ difference: [ListOperation], to new: Snapshot, of list: ListName
    ) throws(ClientError) -> (ListSnapshot, difference: [ListOperation]) {
        let contents = try contents.applying(difference, from: state.whole ?? untyped, to: new, of: list)
        if contents.skipped.isEmpty, state.whole == nil { return (ListSnapshot(new, contents, whole: nil), difference) }
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

    func rearranged(_ untyped: Snapshot) -> ListSnapshot { ListSnapshot(untyped, contents, whole: nil) }
}

extension ListSnapshot {
    /// The list's own content, as the publisher wrote it.
    public var content: Content? { untyped.content }
    /// Whether the list has no section, and so no item.
    public var isEmpty: Bool { untyped.isEmpty }
    /// The number of sections.
    public var numberOfSections: Int { untyped.numberOfSections }
    /// The number of items at all depths.
    public var numberOfItems: Int { untyped.numberOfItems }

    /// The sections, in order. O(sections); a section's items and an item's children are found on access.
    public var sections: [ListSection<Value>] { untyped.sectionIdentifiers.compactMap(section) }

    /// The visible items as the rows of a flat table or a terminal. O(n) at first, unless `ListUpdate.rowChanges` has already
    /// found them.
    public var visibleRows: VisibleRows { knownRows { VisibleRows(of: untyped) } }

    func visibleRows(after previous: VisibleRows, by difference: [ListOperation]) -> VisibleRows {
        knownRows { previous.advanced(to: untyped, by: difference) }
    }

    private func knownRows(or find: () -> VisibleRows) -> VisibleRows {
        if let rows = state.visibleRows.withLock({ $0 }) { return rows }
        // Outside the lock, because it may take a while. Two concurrent callers find equal rows.
        let rows = find()
        state.visibleRows.withLock { $0 = rows }
        return rows
    }

    /// The item with an id, at any depth; nil if the list has none.
    public subscript(id: ItemID) -> ListItem<Value>? {
        untyped.itemAlone(id).map { listItem($0, hasChildren: untyped.numberOfChildren(of: id) != 0) }
    }

    /// The item at an index path (section, item, child and so on); nil if there is none.
    public subscript(path: [Int]) -> ListItem<Value>? {
        untyped.itemIdentifier(at: path).flatMap { self[$0] }
    }

    /// The section at an index; nil if there is none.
    public func section(at index: Int) -> ListSection<Value>? {
        untyped.sectionIdentifier(at: index).flatMap(section)
    }

    private func section(_ id: SectionID) -> ListSection<Value>? {
        untyped.sectionAlone(id).map { section in
            ListSection(section, items: .read(from: self, in: .section(id)))
        }
    }

    private func listItem(_ item: Item, hasChildren: Bool) -> ListItem<Value> {
        ListItem(
            item, content: contents.value(of: item),
            children: hasChildren ? .read(from: self, in: .parent(item.id)) : .given([]))
    }

    /// O(items returned · log n).
    fileprivate func items(in container: Container) -> [ListItem<Value>] {
        untyped.itemsAlone(in: container).map { listItem($0.item, hasChildren: $0.hasChildren) }
    }

    /// The number of items in a section, at all depths; 0 for an index without a section. For the rows of a table without
    /// children, see `numberOfRootItems(inSection:)`.
    public func numberOfItems(inSection index: Int) -> Int {
        untyped.sectionIdentifier(at: index).flatMap(untyped.numberOfItems(inSection:)) ?? 0
    }

    /// The number of items directly in a section, without their children; 0 for an index without a section.
    public func numberOfRootItems(inSection index: Int) -> Int {
        untyped.sectionIdentifier(at: index).flatMap(untyped.numberOfRootItems(inSection:)) ?? 0
    }

    /// The number of an item's own children; 0 for an index path without an item.
    public func numberOfChildren(at path: [Int]) -> Int {
        untyped.itemIdentifier(at: path).flatMap(untyped.numberOfChildren) ?? 0
    }
}

enum NestedItems<Value: Sendable>: Sendable {
    case given([ListItem<Value>])
    case read(from: ListSnapshot<Value>, in: Container)

    var items: [ListItem<Value>] {
        switch self {
        case .given(let items): items
        case .read(let snapshot, let container): snapshot.items(in: container)
        }
    }
}
