/// What is known of a handle.
struct Slot {
    /// `nil`: the slot is free, or the list's own.
    var record: Record?
    var place: Place

    var parent: Handle { place.parent }
    var leaf: PageNumber { place.leaf }
    var isExpanded: Bool { place.isExpanded }
}

/// Where something stands, and whether its children are shown.
struct Place: Equatable {
    /// Whose child it is; in a free slot, the next free one.
    var parent: Handle
    /// The page number of the leaf it stands in, doubled, and whether it is expanded.
    private var leafAndExpansion: UInt32

    static let filler = Place(parent: 0, leafAndExpansion: 0)

    /// The leaf of what has no place.
    private static let nowhere: PageNumber = noPage >> 1

    init(isExpanded: Bool) {
        self.init(parent: 0, leafAndExpansion: Place.nowhere << 1 | (isExpanded ? 1 : 0))
    }

    init(parent: Handle, leaf: PageNumber, isExpanded: Bool) {
        self.init(parent: parent, leafAndExpansion: leaf << 1 | (isExpanded ? 1 : 0))
    }

    init(nextFree: Handle) {
        self.init(parent: nextFree, leafAndExpansion: Place.nowhere << 1)
    }

    private init(parent: Handle, leafAndExpansion: UInt32) {
        self.parent = parent
        self.leafAndExpansion = leafAndExpansion
    }

    var isSomewhere: Bool { leaf != Place.nowhere }

    mutating func lose() { leaf = Place.nowhere }

    var leaf: PageNumber {
        get { leafAndExpansion >> 1 }
        set { leafAndExpansion = newValue << 1 | leafAndExpansion & 1 }
    }

    var isExpanded: Bool {
        get { leafAndExpansion & 1 == 1 }
        set { leafAndExpansion = leafAndExpansion & ~1 | (newValue ? 1 : 0) }
    }
}

/// The slots of all handles.
///
/// Places and records stand on pages of their own: places change whenever a page of siblings is split, and copying
/// them is copying words; a copy of records counts up a reference for each.
struct SlotArray: Sendable {
    private var pages = PageTrie<SlotPage>()

    subscript(handle: Handle) -> Slot {
        Slot(record: record(handle), place: place(handle))
    }

    func place(_ handle: Handle) -> Place { read(handle) { page, position in page.places[position] } ?? .filler }

    func record(_ handle: Handle) -> Record? { read(handle) { page, position in page.record(at: position) } ?? nil }

    /// Whether the record of a handle has the same id as another one.
    func hasRecord(_ handle: Handle, withIDOf record: Record) -> Bool {
        read(handle) { page, position in
            page.borrowedRecord(at: position)?.hasSameID(as: BorrowedRecord(record)) ?? false
        } ?? false
    }

    func hasRecord(_ handle: Handle) -> Bool {
        read(handle) { page, position in page.borrowedRecord(at: position) != nil } ?? false
    }

    /// Lends the page that a handle's slot is on, and its position there; nil where nothing was written.
    @inline(__always)
    private func read<R>(_ handle: Handle, _ body: (SlotPage, Int) -> R) -> R? {
        guard let page = page(of: handle) else { return nil }
        defer { withExtendedLifetime(pages) {} }
        return page._withUnsafeGuaranteedRef { body($0, Int(handle) & (pageSize - 1)) }
    }

    mutating func updatePlace(_ handle: Handle, _ body: (inout Place) -> Void) {
        pages.writablePage(at: Int(handle) >> pageBits)._withUnsafeGuaranteedRef {
            body(&$0.places[Int(handle) & (pageSize - 1)])
        }
    }

    mutating func setRecord(_ record: Record?, of handle: Handle) {
        pages.writablePage(at: Int(handle) >> pageBits)._withUnsafeGuaranteedRef {
            $0.setRecord(record, at: Int(handle) & (pageSize - 1))
        }
    }

    mutating func set(_ record: Record?, _ place: Place, of handle: Handle) {
        pages.writablePage(at: Int(handle) >> pageBits)._withUnsafeGuaranteedRef {
            $0.setRecord(record, at: Int(handle) & (pageSize - 1))
            $0.places[Int(handle) & (pageSize - 1)] = place
        }
    }

    /// Handles from the first on, all on one page.
    mutating func set(_ slots: [(record: Record, place: Place)], from first: Handle) {
        pages.writablePage(at: Int(first) >> pageBits)._withUnsafeGuaranteedRef { page in
            var position = Int(first) & (pageSize - 1)
            precondition(position + slots.count <= pageSize, "they lie on one page")
            for (record, place) in slots {
                page.setRecord(record, at: position)
                page.places[position] = place
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

/// The places of 32 handles, with their records beside them.
final class SlotPage: ManagedBuffer<SlotPage.Header, Place>, TriePage {
    /// The records of each quarter of the slots. Counted by hand: a header with references is slow to take down.
    struct Header {
        fileprivate var records = InlineArray<4, Unmanaged<RecordPage>?>(repeating: nil)
    }

    static func make() -> SlotPage {
        let page = unsafeDowncast(create(minimumCapacity: pageSize) { _ in Header() }, to: SlotPage.self)
        page.places.initialize(repeating: .filler, count: pageSize)
        return page
    }

    func copy() -> SlotPage {
        let header = withUnsafeMutablePointerToHeader { $0.pointee }
        for quarter in 0..<4 { _ = header.records[quarter]?.retain() }
        let page = unsafeDowncast(SlotPage.create(minimumCapacity: pageSize) { _ in header }, to: SlotPage.self)
        page.places.initialize(from: places, count: pageSize)
        return page
    }

    deinit {
        withUnsafeMutablePointerToHeader { header in
            for quarter in 0..<4 { header.pointee.records[quarter]?.release() }
        }
    }

    /// Valid as long as somebody holds this page.
    var places: UnsafeMutablePointer<Place> { withUnsafeMutablePointerToElements { $0 } }

    func record(at position: Int) -> Record? {
        let page = withUnsafeMutablePointerToHeader { $0.pointee.records[position / RecordPage.size] }
        return page?._withUnsafeGuaranteedRef { $0.records[position % RecordPage.size] }
    }

    /// The same, without counting a reference.
    func borrowedRecord(at position: Int) -> BorrowedRecord? {
        let page = withUnsafeMutablePointerToHeader { $0.pointee.records[position / RecordPage.size] }
        return page?._withUnsafeGuaranteedRef { page in
            reference(page.records + position % RecordPage.size).map { BorrowedRecord($0) }
        }
    }

    func setRecord(_ record: Record?, at position: Int) {
        withUnsafeMutablePointerToHeader { header in
            RecordPage.set(
                record, at: position % RecordPage.size, of: &header.pointee.records[position / RecordPage.size])
        }
    }
}

/// The records of 8 handles. Few, because a copy counts up a reference for each.
final class RecordPage: ManagedBuffer<Void, Record?> {
    static let size = pageSize / 4

    fileprivate static func set(_ record: Record?, at position: Int, of page: inout Unmanaged<RecordPage>?) {
        var alone = page?.takeRetainedValue()
        if !isKnownUniquelyReferenced(&alone) { alone = make(alone) }
        alone?.records[position] = record
        page = alone.map(Unmanaged.passRetained)
    }

    private static func make(_ original: RecordPage?) -> RecordPage {
        let page = unsafeDowncast(create(minimumCapacity: size) { _ in () }, to: RecordPage.self)
        let records = page.records
        if let original {
            UnsafeMutableRawPointer(records).copyMemory(
                from: original.records, byteCount: size * MemoryLayout<Record?>.stride)
            retainReferences(records, count: size)
        } else {
            records.initialize(repeating: nil, count: size)
        }
        return page
    }

    /// Valid as long as somebody holds this page.
    fileprivate var records: UnsafeMutablePointer<Record?> { withUnsafeMutablePointerToElements { $0 } }

    deinit { releaseReferences(records, count: RecordPage.size) }
}
