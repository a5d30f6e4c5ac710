/// A slot with a record, without a reference counted: valid as long as somebody holds its snapshot.
struct BorrowedSlot {
    let record: BorrowedRecord
    let place: Place

    /// `nil` for a slot that is free, and the list's own.
    init?(_ page: Unmanaged<SlotPage>, at position: Int) {
        guard let record = page._withUnsafeGuaranteedRef({ $0.borrowedRecord(at: position) }) else { return nil }
        self.record = record
        place = page._withUnsafeGuaranteedRef { $0.places[position] }
    }

    var isSection: Bool { place.parent == Forest.list }
    var isExpanded: Bool { place.isExpanded }
}

/// Reads slots that lie close together without going down the trie for each.
struct SlotReader {
    /// Holds the pages.
    private let slots: SlotArray
    private var number = -1
    private var page: Unmanaged<SlotPage>?
    /// All pages, for reading in any order; empty before `prepareForAnyOrder`.
    private var pages: [Unmanaged<SlotPage>?] = []

    init(_ forest: Forest) { slots = forest.slots }

    /// Goes down the trie once for each page of a forest with so many handles. O(n).
    mutating func prepareForAnyOrder(handleBound: Int) {
        pages = stride(from: 0, to: handleBound, by: pageSize).map { slots.page(of: Handle($0)) }
    }

    /// Valid while the reader is there. An index that is no handle's has no slot.
    subscript(index: Int) -> BorrowedSlot? {
        mutating get {
            guard let handle = Handle(exactly: index) else { return nil }
            if !pages.isEmpty {
                guard index >> pageBits < pages.count else { return nil }
                return pages[index >> pageBits].flatMap { BorrowedSlot($0, at: index & (pageSize - 1)) }
            }
            if index >> pageBits != number {
                number = index >> pageBits
                page = slots.page(of: handle)
            }
            return page.flatMap { BorrowedSlot($0, at: index & (pageSize - 1)) }
        }
    }

    /// The stored form of a section or an item that is in the list.
    mutating func record(_ handle: Handle) -> Record {
        guard let slot = self[Int(handle)] else { preconditionFailure("no record under handle \(handle)") }
        return slot.record.record
    }
}
