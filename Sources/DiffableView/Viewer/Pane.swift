import Diffable

/// One list in a viewer: its visible state, the cursor, the marks and the pending requests. Positions are ids, never indices.
/// The cursor, the marks and the targets of an action stay on their items after every change.
struct Pane: Sendable {
    let name: ListName
    var document: Document
    var isLoaded = false
    /// The largest number of rows so far, in any search.
    var rowCountMax = 0
    var absence: ListAbsence?
    var notice: String?
    var revision = 0
    var epoch = ""
    /// A state that is not shown yet, because the structure is held.
    var waitingState: ViewedState?
    /// The rows of standard input, or the lists on the home screen; nil for a list that is subscribed to.
    var rows: Snapshot?
    /// Whether the rows are the lists.
    private(set) var isHome = false
    /// The whole list, if a picker ranks its matches.
    var localList: LocallyQueriedList?

    var cursor: RowID?
    /// The row with a fixed line on the screen; nil: the list begins at the top.
    var anchor: Anchor?
    /// Whether the view follows the top, because the user has not scrolled away from it, so that new rows there are visible.
    var isFollowingTop = true
    var carouselStarts: [ItemParent: ItemID] = [:]
    /// The number of columns after the first that the user has scrolled past in a table.
    var passedColumns: [SectionID: Int] = [:]
    var marks: Set<ItemID> = [] {
        didSet { numberMarks(from: oldValue) }
    }
    /// A sequence number for each mark.
    private var markNumbers: [ItemID: Int] = [:]
    /// The marked items as they were when they were marked. Some may no longer be loaded.
    private(set) var markedItems: [ItemID: PickedItem] = [:]
    private var lastMarkNumber = 0
    /// Items whose expansion the user has changed from the list's.
    var toggled: Set<ItemID> = []

    var filter: ViewFilter
    var returnPosition: ViewPosition?
    /// The place for the cursor when an absent list is followed again, unless a key was pressed since.
    var positionBeforeAbsence: ViewPosition?
    /// The query that `document` is the result of.
    var shownQuery: ViewQuery
    var askedQuery: ViewQuery?
    var queryNumber = 0

    /// Items that other clients changed.
    var changes: [ItemID: Change] = [:]
    var requests: [Int: PendingRequest] = [:]
    /// The changes that `undo` can undo, oldest first: this viewer's own, and changes that a handler made for its actions.
    private(set) var ownChanges: [OwnChange] = []
    /// The changes that `redo` can redo. The last one was undone last.
    private(set) var undoneChanges: [OwnChange] = []
    /// Revisions that an undo or a redo made, with the earlier revision that each restored.
    private var restoredRevisions: [Int: Int] = [:]
    /// The newest revision of an own change. The visible revision may be older, and stays so if a filter hides the change.
    var answeredRevision = 0
    /// Steps of a row up or down, which wait for the previous step.
    var reordering: Reordering?
    var pendingAddition: PendingAddition?

    struct Change: Sendable {
        var mark: ChangeMark
        var begin: Duration
        /// The revisions of which one made the change.
        var revisions: ClosedRange<Int>
    }

    struct ViewPosition: Sendable {
        var filter: ViewFilter
        var row: RowID
        /// The index among all rows, for a row that is not loaded.
        var index: Int?
        var anchor: Anchor?
        var isAtTop: Bool
    }

    struct OwnChange: Sendable {
        var before: Int
        var revision: Int
        /// The description of the change for undo.
        var title: String
    }

    struct PendingRequest: Sendable {
        var title: String
        var done: String
        var kind: ViewerRequest.Kind
        var row: RowID?
        /// The affected items: if these move or are deleted, the cursor need not follow.
        var items: Set<ItemID>
        var begin: Duration
        /// Whether the answer is shown next to the rows.
        var showsOutput = false

        /// Whether the daemon makes the change immediately, or soon after a handler's consent.
        var isQuick: Bool {
            switch kind {
            case .transact, .propose, .undo, .redo: true
            case .perform, .expand: false
            }
        }

        /// Whether an action of an item or of the list was performed, and not more rows requested.
        var isPerformed: Bool {
            if case .perform("more", _, _, _) = kind { return false }
            if case .perform = kind { return true }
            return false
        }
    }

    struct Reordering: Sendable {
        var item: ItemID
        var steps: Int
        var request: Int
    }

    struct PendingAddition: Sendable {
        var request: Int
        var item: ItemID
    }

    /// The limit up to which a list is loaded as a whole, and folded here.
    static let wholeRowsMax = 2_000

    init(_ name: ListName, options: ViewerOptions) {
        self.name = name
        document = Document(Snapshot(), user: options.look)
        filter = options.filter
        shownQuery = ViewQuery(
            filter: options.picking == .none ? options.filter : options.filter.unsearched, window: ViewQuery.whole)
    }

    /// The home screen.
    static func home(_ options: ViewerOptions) -> Pane {
        var pane = Pane("lists", options: options)
        pane.filter = ViewFilter()
        pane.shownQuery.filter = ViewFilter()
        pane.isHome = true
        return pane
    }

    var title: String { document.listLook.title ?? name.description }

    /// The title on the tab. It begins with the problem, because a tab may cut the title.
    var tabTitle: String { absence.map { "\($0.word): \(title)" } ?? title }

    var place: ViewPosition? {
        guard let cursor else { return nil }
        let index: Int? =
            switch cursor {
            case .placeholder(let index): index
            case .item(let item): document.snapshot.index(ofItem: item).map { $0 + document.placeholdersBefore }
            default: nil
            }
        return ViewPosition(filter: filter, row: cursor, index: index, anchor: anchor, isAtTop: isFollowingTop)
    }

    mutating func keepExpansion() {
        guard case .here = shownQuery.folding else { return }
        for item in toggled where document.expansion[item] == nil {
            document.expansion[item] = document.snapshot.isExpanded(item).map { !$0 }
        }
    }

    /// Keeps the cursor on its row, and the row on its line, when another filter is shown.
    mutating func saveReturnPosition() {
        returnPosition = place
        returnPosition?.filter = filter
        // The index is valid only for the other filter.
        returnPosition?.index = nil
        returnPosition?.isAtTop = false
    }

    /// The marked items in the list's order, as far as they are loaded.
    var orderedMarks: [ItemID] { inOrder(marks) }

    private func inOrder(_ items: Set<ItemID>) -> [ItemID] {
        let snapshot = document.snapshot
        return items.map { (snapshot.index(ofItem: $0) ?? .max, $0) }.sorted { $0 < $1 }.map(\.1)
    }

    /// The marked items in the order of marking. Items of a range are in the list's order.
    var marksInTheirOrder: [ItemID] { marks.sorted { markNumbers[$0] ?? 0 < markNumbers[$1] ?? 0 } }

    /// Numbers a range as a whole, from its first row, in whichever order its rows were visited.
    mutating func noteRange(markedBefore: Set<ItemID>) { number(marks.subtracting(markedBefore)) }

    private mutating func numberMarks(from old: Set<ItemID>) {
        for item in old.subtracting(marks) { (markNumbers[item], markedItems[item]) = (nil, nil) }
        number(marks.subtracting(old))
    }

    private mutating func number(_ items: Set<ItemID>) {
        for item in inOrder(items) {
            lastMarkNumber += 1
            markNumbers[item] = lastMarkNumber
            markedItems[item] = picked(item)
        }
    }

    func picked(_ id: ItemID) -> PickedItem? {
        localList.flatMap { PickedItem(id, in: $0.snapshot, of: name) }
            ?? PickedItem(id, in: document.snapshot, of: name)
    }

    var newestRevision: Int { max(revision, answeredRevision) }

    /// `before` is the revision before the change; nil: `revision - 1`.
    mutating func noteOwnChange(_ revision: Int, before: Int? = nil, _ title: String) {
        answeredRevision = max(answeredRevision, revision)
        unmark(revision)
        guard revision > ownChanges.last?.revision ?? 0 else { return }
        undoneChanges = []
        ownChanges.append(OwnChange(before: before ?? revision - 1, revision: revision, title: title))
        if ownChanges.count > Self.ownChangesMax { ownChanges.removeFirst() }
    }

    mutating func noteUndo(to restored: Int, _ revision: Int) {
        while let change = ownChanges.last, change.revision > restored { undoneChanges.append(ownChanges.removeLast()) }
        noteRestored(restored, revision)
    }

    mutating func noteRedo(to restored: Int, _ revision: Int) {
        if let change = undoneChanges.popLast() { ownChanges.append(change) }
        noteRestored(restored, revision)
    }

    /// Removes the marks of a change that was the user's own.
    private mutating func unmark(_ revision: Int) {
        changes = changes.filter { !$0.value.revisions.contains(revision) }
    }

    /// Whether changes at this moment may be the user's own.
    func isOwn(revisions: ClosedRange<Int>) -> Bool {
        ownChanges.contains { revisions.contains($0.revision) }
            || restoredRevisions.keys.contains(where: revisions.contains)
            || requests.values.contains(where: \.isQuick)
    }

    private mutating func noteRestored(_ restored: Int, _ revision: Int) {
        unmark(revision)
        answeredRevision = max(answeredRevision, revision)
        restoredRevisions[revision] = originalRevision(of: restored)
        if restoredRevisions.count > Self.ownChangesMax, let oldest = restoredRevisions.keys.min() {
            restoredRevisions[oldest] = nil
        }
    }

    /// Returns the revision that an undo or a redo restored, or the revision itself.
    func originalRevision(of revision: Int) -> Int { restoredRevisions[revision] ?? revision }

    mutating func forgetOwnChanges() {
        (ownChanges, undoneChanges, restoredRevisions, answeredRevision) = ([], [], [:], 0)
    }

    private static let ownChangesMax = 100

    var ownItems: Set<ItemID> { requests.values.reduce(into: []) { $0.formUnion($1.items) } }
}
