import Diffable

/// One list as it is looked at: what is shown of it, where the cursor stands, what is marked, what is waited for.
///
/// Places are ids, never indices. Whatever changes, the cursor, the marks and what an action is done with are what they were.
struct Pane: Sendable {
    let name: ListName
    var document: Document
    /// Whether there has been a state at all.
    var isLoaded = false
    /// The most rows that it had, whatever was searched for.
    var rowCountMax = 0
    /// Why it cannot be followed at the moment.
    var absence: ListAbsence?
    /// Of its newest state.
    var notice: String?
    /// Of what is shown.
    var revision = 0
    var epoch = ""
    /// A state that is not shown yet, while structure waits.
    var waitingState: ViewedState?

    /// The row under the cursor.
    var cursor: RowID?
    /// Which row stands on which line of the screen; nil: the list begins at the top.
    var anchor: Anchor?
    /// Nobody has gone away from the top, so what comes there is seen.
    var isFollowingTop = true
    var carouselStarts: [Owner: ItemID] = [:]
    /// How many columns behind the first its user has passed over in a table.
    var passedColumns: [SectionID: Int] = [:]
    var marks: Set<ItemID> = [] {
        didSet { numberMarks(from: oldValue) }
    }
    /// When each mark was set, by a count.
    private var markNumbers: [ItemID: Int] = [:]
    private var lastMarkNumber = 0
    /// Items that its user sees the other way round than the list has them.
    var toggled: Set<ItemID> = []

    /// What shall be seen.
    var filter: ViewFilter
    /// Where the cursor goes when what was seen before a search is seen again.
    var returnPlace: Place?
    /// The place for the cursor when an absent list is followed again, unless a key was pressed since.
    var placeBeforeAbsence: Place?
    /// What `document` is an answer to.
    var shownQuery: ViewQuery
    /// What was asked for and has not come.
    var askedQuery: ViewQuery?
    var queryNumber = 0

    /// Items that others changed, each until its time.
    var changes: [ItemID: Duration] = [:]
    /// Requests without an answer, by number.
    var requests: [Int: PendingRequest] = [:]
    /// The changes that `undo` can undo, oldest first: this viewer's own, and changes that a handler made for its actions.
    private(set) var ownChanges: [OwnChange] = []
    /// The changes that `redo` can redo. The last one was undone last.
    private(set) var undoneChanges: [OwnChange] = []
    /// Revisions that an undo or a redo made, with the earlier revision that each restored.
    private var restoredRevisions: [Int: Int] = [:]
    /// The newest one of an own change. What is shown may be behind it, and is where a filter leaves out what changed.
    var answeredRevision = 0
    /// Steps of a row on its way up or down, which wait for the step before.
    var reordering: Reordering?
    /// An item on its way into the list.
    var adding: Adding?

    /// Where somebody was in a list.
    struct Place: Sendable {
        var filter: ViewFilter
        var row: RowID
        /// Among all rows, for one that is not held.
        var index: Int?
        var anchor: Anchor?
        var isAtTop: Bool
    }

    struct OwnChange: Sendable {
        /// The revision before the change.
        var before: Int
        /// The revision that the change made.
        var revision: Int
        /// What was done, for whoever undoes it.
        var title: String
    }

    struct PendingRequest: Sendable {
        /// As `OwnChange` has it.
        var title: String
        var kind: ViewerRequest.Kind
        var row: RowID?
        /// What it is about: when these move or go, the cursor need not follow.
        var items: Set<ItemID>
        var begin: Duration
    }

    struct Reordering: Sendable {
        var item: ItemID
        var steps: Int
        var request: Int
    }

    struct Adding: Sendable {
        var request: Int
        var item: ItemID
    }

    /// Lists up to this size come as a whole, and are folded here.
    static let wholeRowsMax = 2_000

    init(_ name: ListName, options: ViewerOptions) {
        self.name = name
        document = Document(Snapshot(), user: options.look)
        filter = options.filter
        shownQuery = ViewQuery(
            filter: options.filter, window: Window(start: .offset(0), limit: Self.wholeRowsMax))
    }

    /// What the list calls itself.
    var title: String { document.listLook.title ?? name.description }

    /// The title on the tab. It begins with the problem, because a tab may cut the title.
    var tabTitle: String { absence.map { "\($0.word): \(title)" } ?? title }

    var place: Place? {
        guard let cursor else { return nil }
        let index: Int? =
            switch cursor {
            case .placeholder(let index): index
            case .item(let item): document.snapshot.index(ofItem: item).map { $0 + document.placeholdersBefore }
            default: nil
            }
        return Place(filter: filter, row: cursor, index: index, anchor: anchor, isAtTop: isFollowingTop)
    }

    /// Applies the expansion that the user chose while the daemon folded the list.
    mutating func keepExpansion() {
        guard case .here = shownQuery.folding else { return }
        for item in toggled where document.expansion[item] == nil {
            document.expansion[item] = document.snapshot.isExpanded(item).map { !$0 }
        }
    }

    /// Has the cursor stay on its row, and the row on its line, when another filter is shown.
    mutating func keepPlace() {
        returnPlace = place
        returnPlace?.filter = filter
        // That among the rows of the other filter.
        returnPlace?.index = nil
        returnPlace?.isAtTop = false
    }

    /// What is marked in the list's order, as far as it is held.
    var orderedMarks: [ItemID] { inOrder(marks) }

    private func inOrder(_ items: Set<ItemID>) -> [ItemID] {
        let snapshot = document.snapshot
        return items.map { (snapshot.index(ofItem: $0) ?? .max, $0) }.sorted { $0 < $1 }.map(\.1)
    }

    /// What is marked in the order of marking. Those of a range are in the list's.
    var marksInTheirOrder: [ItemID] { marks.sorted { markNumbers[$0] ?? 0 < markNumbers[$1] ?? 0 } }

    /// However its rows were gone through, a range is marked as a whole, from its first row on.
    mutating func noteRange(markedBefore: Set<ItemID>) { number(marks.subtracting(markedBefore)) }

    private mutating func numberMarks(from old: Set<ItemID>) {
        for item in old.subtracting(marks) { markNumbers[item] = nil }
        number(marks.subtracting(old))
    }

    private mutating func number(_ items: Set<ItemID>) {
        for item in inOrder(items) {
            lastMarkNumber += 1
            markNumbers[item] = lastMarkNumber
        }
    }

    /// The newest revision that is known.
    var newestRevision: Int { max(revision, answeredRevision) }

    /// - Parameter before: the revision before the change; nil: `revision - 1`.
    mutating func noteOwnChange(_ revision: Int, before: Int? = nil, _ title: String) {
        answeredRevision = max(answeredRevision, revision)
        guard revision > ownChanges.last?.revision ?? 0 else { return }
        undoneChanges = []
        ownChanges.append(OwnChange(before: before ?? revision - 1, revision: revision, title: title))
        if ownChanges.count > Self.ownChangesMax { ownChanges.removeFirst() }
    }

    /// - Parameter revision: made by the undo.
    mutating func noteUndo(to restored: Int, _ revision: Int) {
        while let change = ownChanges.last, change.revision > restored { undoneChanges.append(ownChanges.removeLast()) }
        noteRestored(restored, revision)
    }

    /// - Parameter revision: made by the redo.
    mutating func noteRedo(to restored: Int, _ revision: Int) {
        if let change = undoneChanges.popLast() { ownChanges.append(change) }
        noteRestored(restored, revision)
    }

    private mutating func noteRestored(_ restored: Int, _ revision: Int) {
        answeredRevision = max(answeredRevision, revision)
        restoredRevisions[revision] = likeness(of: restored)
        if restoredRevisions.count > Self.ownChangesMax, let oldest = restoredRevisions.keys.min() {
            restoredRevisions[oldest] = nil
        }
    }

    /// Returns the revision that an undo or a redo restored, or the revision itself.
    func likeness(of revision: Int) -> Int { restoredRevisions[revision] ?? revision }

    mutating func forgetOwnChanges() {
        (ownChanges, undoneChanges, restoredRevisions, answeredRevision) = ([], [], [:], 0)
    }

    private static let ownChangesMax = 100

    var ownItems: Set<ItemID> { requests.values.reduce(into: []) { $0.formUnion($1.items) } }
}
