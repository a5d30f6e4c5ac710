struct Slot {
    /// Nil for a free slot, and for the list's slot if the list has no content. The first member and the only
    /// reference, as `LendingPage` requires.
    var record: Record?
    var place: SlotPosition

    static let filler = Slot(record: nil, place: .filler)

    var parent: Handle { place.parent }
    var leaf: PageNumber { place.leaf }
    var isExpanded: Bool { place.isExpanded }
    var isFolded: Bool { place.isFolded }
}

/// The position of an element, and whether its children are shown, or left out by a view.
struct SlotPosition: Equatable {
    /// The parent. In a free slot, the next free one.
    var parent: Handle
    /// The number of the element's leaf times 4, plus 1 if it is expanded, plus 2 if it is folded.
    private var leafAndExpansion: UInt32

    static let filler = SlotPosition(parent: 0, leafAndExpansion: 0)

    /// The leaf of an element without a position.
    private static let nowhere: PageNumber = noPage >> 2

    init(isExpanded: Bool, isFolded: Bool = false) {
        self.init(parent: 0, leaf: SlotPosition.nowhere, isExpanded: isExpanded, isFolded: isFolded)
    }

    init(parent: Handle, leaf: PageNumber, isExpanded: Bool, isFolded: Bool = false) {
        self.init(parent: parent, leafAndExpansion: leaf << 2 | (isFolded ? 2 : 0) | (isExpanded ? 1 : 0))
    }

    init(nextFree: Handle) {
        self.init(parent: nextFree, leafAndExpansion: SlotPosition.nowhere << 2)
    }

    private init(parent: Handle, leafAndExpansion: UInt32) {
        self.parent = parent
        self.leafAndExpansion = leafAndExpansion
    }

    var isSomewhere: Bool { leaf != SlotPosition.nowhere }

    mutating func clearLeaf() { leaf = SlotPosition.nowhere }

    var leaf: PageNumber {
        get { leafAndExpansion >> 2 }
        set { leafAndExpansion = newValue << 2 | leafAndExpansion & 3 }
    }

    var isExpanded: Bool {
        get { leafAndExpansion & 1 == 1 }
        set { leafAndExpansion = leafAndExpansion & ~1 | (newValue ? 1 : 0) }
    }

    /// Whether a view leaves out its children.
    var isFolded: Bool {
        get { leafAndExpansion & 2 == 2 }
        set { leafAndExpansion = leafAndExpansion & ~2 | (newValue ? 2 : 0) }
    }
}

/// The slots of all handles.
///
/// A record and its position are adjacent, so that reading either from a handle accesses one memory location.
struct SlotArray: Sendable {
    private var pages = PageTrie<SlotPage>()

    subscript(handle: Handle) -> Slot { read(handle) { $0.pointee } ?? .filler }

    func place(_ handle: Handle) -> SlotPosition { read(handle) { $0.pointee.place } ?? .filler }

    func record(_ handle: Handle) -> Record? { read(handle) { $0.pointee.record } ?? nil }

    func hasRecord(_ handle: Handle, withIDOf record: Record) -> Bool {
        read(handle) { slot in
            BorrowedSlot(slot)?.record.hasSameID(as: BorrowedRecord(record)) ?? false
        } ?? false
    }

    func hasRecord(_ handle: Handle) -> Bool { read(handle) { reference($0) != nil } ?? false }

    /// Reads a handle's slot. Nil if its page was never written.
    @inline(__always)
    private func read<R>(_ handle: Handle, _ body: (UnsafeMutablePointer<Slot>) -> R) -> R? {
        guard let page = page(of: handle) else { return nil }
        defer { withExtendedLifetime(pages) {} }
        return page._withUnsafeGuaranteedRef { body($0.elements + Int(handle) & (pageSize - 1)) }
    }

    mutating func updatePlace(_ handle: Handle, _ body: (inout SlotPosition) -> Void) {
        pages.writablePage(at: Int(handle) >> pageBits)._withUnsafeGuaranteedRef {
            // A position contains no reference, so it does not matter which page retains the record.
            body(&$0.elements[Int(handle) & (pageSize - 1)].place)
        }
    }

    /// Returns the previous record's `lengthCounted`.
    mutating func setRecord(_ record: Record?, of handle: Handle) -> Int {
        pages.writablePage(at: Int(handle) >> pageBits)._withUnsafeGuaranteedRef { page in
            let position = Int(handle) & (pageSize - 1)
            return page.set(Slot(record: record, place: page.elements[position].place), at: position)
        }
    }

    /// Returns the previous record's `lengthCounted`.
    @discardableResult
    mutating func set(_ record: Record?, _ place: SlotPosition, of handle: Handle) -> Int {
        pages.writablePage(at: Int(handle) >> pageBits)._withUnsafeGuaranteedRef {
            $0.set(Slot(record: record, place: place), at: Int(handle) & (pageSize - 1))
        }
    }

    mutating func set(_ slots: [(record: Record, place: SlotPosition)], from first: Handle) {
        pages.writablePage(at: Int(first) >> pageBits)._withUnsafeGuaranteedRef { page in
            var position = Int(first) & (pageSize - 1)
            precondition(position + slots.count <= pageSize, "they lie on one page")
            for (record, place) in slots {
                page.set(Slot(record: record, place: place), at: position)
                position += 1
            }
        }
    }

    static func isLastOfPage(_ handle: Handle) -> Bool { Int(handle) & (pageSize - 1) == pageSize - 1 }

    /// Calls the body for each page of slots that the two do not share, in ascending order, with its first handle, the old page
    /// and this one. `nil` is a page that was never written. Pages are valid within the body. O(d · log n) for d such pages.
    func forEachUnsharedPage(
        from old: SlotArray, _ body: (Handle, Unmanaged<SlotPage>?, Unmanaged<SlotPage>?) -> Void
    ) {
        pages.forEachDifference(from: old.pages) { number, oldPage, page in
            body(Handle(number << pageBits), oldPage, page)
        }
    }

    /// Whether the two share all but at most `pagesMax` pages of slots. O(pagesMax · log n).
    func sharesMostPages(with old: SlotArray, pagesMax: Int) -> Bool {
        pages.sharesMostPages(with: old.pages, pagesMax: pagesMax)
    }

    /// The page of a handle's slot. Valid while this array is retained.
    func page(of handle: Handle) -> Unmanaged<SlotPage>? { pages.page(at: Int(handle) >> pageBits) }
}

final class SlotPage: ManagedBuffer<LendingPageHeader, Slot>, LendingPage, TriePage {
    typealias Element = Slot

    /// In bytes. A longer record must not be kept by a lender after it was replaced.
    private static let keptLengthMax = 1024

    static func makeEmpty() -> SlotPage {
        unsafeDowncast(create(minimumCapacity: pageSize) { _ in LendingPageHeader() }, to: SlotPage.self)
    }

    static func make() -> SlotPage {
        let page = makeEmpty()
        page.fill(with: .filler)
        return page
    }

    var parts: (header: UnsafeMutablePointer<LendingPageHeader>, elements: UnsafeMutablePointer<Slot>) {
        withUnsafeMutablePointers { ($0, $1) }
    }

    @discardableResult
    fileprivate func set(_ slot: Slot, at position: Int) -> Int {
        let former = BorrowedSlot(elements + position)?.record.lengths ?? (content: 0, counted: 0)
        let isLong = former.content > SlotPage.keptLengthMax
        replace(at: position, by: slot)
        // Otherwise the lender would keep it as long as this page borrows.
        if isLong { retainAll() }
        return former.counted
    }

    deinit { releaseElements() }
}
