/// What is known of a handle.
struct Slot {
    /// `nil`: the slot is free, or the list's, which has no content. First, and the only reference, for `LendingPage`.
    var record: Record?
    var place: Place

    static let filler = Slot(record: nil, place: .filler)

    var parent: Handle { place.parent }
    var leaf: PageNumber { place.leaf }
    var isExpanded: Bool { place.isExpanded }
    var isFolded: Bool { place.isFolded }
}

/// Where something stands, and whether its children are shown, and left out.
struct Place: Equatable {
    /// Whose child it is; in a free slot, the next free one.
    var parent: Handle
    /// The page number of the leaf it stands in, times four, and whether it is expanded (1), and folded (2).
    private var leafAndExpansion: UInt32

    static let filler = Place(parent: 0, leafAndExpansion: 0)

    /// The leaf of what has no place.
    private static let nowhere: PageNumber = noPage >> 2

    init(isExpanded: Bool, isFolded: Bool = false) {
        self.init(parent: 0, leaf: Place.nowhere, isExpanded: isExpanded, isFolded: isFolded)
    }

    init(parent: Handle, leaf: PageNumber, isExpanded: Bool, isFolded: Bool = false) {
        self.init(parent: parent, leafAndExpansion: leaf << 2 | (isFolded ? 2 : 0) | (isExpanded ? 1 : 0))
    }

    init(nextFree: Handle) {
        self.init(parent: nextFree, leafAndExpansion: Place.nowhere << 2)
    }

    private init(parent: Handle, leafAndExpansion: UInt32) {
        self.parent = parent
        self.leafAndExpansion = leafAndExpansion
    }

    var isSomewhere: Bool { leaf != Place.nowhere }

    mutating func lose() { leaf = Place.nowhere }

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
/// A record and its place stand side by side, so that the way from a handle to either reads one place of memory.
struct SlotArray: Sendable {
    private var pages = PageTrie<SlotPage>()

    subscript(handle: Handle) -> Slot { read(handle) { $0.pointee } ?? .filler }

    func place(_ handle: Handle) -> Place { read(handle) { $0.pointee.place } ?? .filler }

    func record(_ handle: Handle) -> Record? { read(handle) { $0.pointee.record } ?? nil }

    /// Whether the record of a handle has the same id as another one.
    func hasRecord(_ handle: Handle, withIDOf record: Record) -> Bool {
        read(handle) { slot in
            BorrowedSlot(slot)?.record.hasSameID(as: BorrowedRecord(record)) ?? false
        } ?? false
    }

    func hasRecord(_ handle: Handle) -> Bool { read(handle) { reference($0) != nil } ?? false }

    /// Lends a handle's slot; nil where nothing was written.
    @inline(__always)
    private func read<R>(_ handle: Handle, _ body: (UnsafeMutablePointer<Slot>) -> R) -> R? {
        guard let page = page(of: handle) else { return nil }
        defer { withExtendedLifetime(pages) {} }
        return page._withUnsafeGuaranteedRef { body($0.elements + Int(handle) & (pageSize - 1)) }
    }

    mutating func updatePlace(_ handle: Handle, _ body: (inout Place) -> Void) {
        pages.writablePage(at: Int(handle) >> pageBits)._withUnsafeGuaranteedRef {
            // A place is no reference: whose the record beside it is makes no difference.
            body(&$0.elements[Int(handle) & (pageSize - 1)].place)
        }
    }

    /// Gives what the record counted for that was there (`Record.lengthCounted`).
    mutating func setRecord(_ record: Record?, of handle: Handle) -> Int {
        pages.writablePage(at: Int(handle) >> pageBits)._withUnsafeGuaranteedRef { page in
            let position = Int(handle) & (pageSize - 1)
            return page.set(Slot(record: record, place: page.elements[position].place), at: position)
        }
    }

    /// Gives what the record counted for that was there.
    @discardableResult
    mutating func set(_ record: Record?, _ place: Place, of handle: Handle) -> Int {
        pages.writablePage(at: Int(handle) >> pageBits)._withUnsafeGuaranteedRef {
            $0.set(Slot(record: record, place: place), at: Int(handle) & (pageSize - 1))
        }
    }

    /// Handles from the first on, all on one page.
    mutating func set(_ slots: [(record: Record, place: Place)], from first: Handle) {
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

    /// Calls the body for each page of slots that the two do not share, in ascending order, with its first handle, the
    /// old page and this one. `nil` is a page on which nothing was written; pages are valid within the body.
    /// O(d · log n) for d such pages.
    func forEachUnsharedPage(
        from old: SlotArray, _ body: (Handle, Unmanaged<SlotPage>?, Unmanaged<SlotPage>?) -> Void
    ) {
        pages.forEachDifference(from: old.pages) { number, oldPage, page in
            body(Handle(number << pageBits), oldPage, page)
        }
    }

    /// Whether the two share all but a few pages of slots. O(pagesMax · log n).
    func isNear(_ old: SlotArray, pagesMax: Int) -> Bool { pages.isNear(old.pages, pagesMax: pagesMax) }

    /// The page that a handle's slot is on. Valid as long as somebody holds this array.
    func page(of handle: Handle) -> Unmanaged<SlotPage>? { pages.page(at: Int(handle) >> pageBits) }
}

/// The slots of 32 handles.
final class SlotPage: ManagedBuffer<LendingPageHeader, Slot>, LendingPage, TriePage {
    typealias Element = Slot

    /// The longest record, in bytes, that a page may keep beyond its time.
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
        // The lender has it, and holds it for as long as it is needed.
        if isLong { holdAll() }
        return former.counted
    }

    deinit { releaseElements() }
}
