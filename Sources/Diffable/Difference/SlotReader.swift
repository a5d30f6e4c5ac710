/// A slot with a record, without a reference counted: valid as long as somebody holds its snapshot.
struct BorrowedSlot {
    let record: BorrowedRecord
    let place: Place

    /// `nil` for a slot that is free, and the list's own.
    init?(_ slot: UnsafeMutablePointer<Slot>) {
        guard let record = reference(slot) else { return nil }
        self.record = BorrowedRecord(record)
        place = slot.pointee.place
    }

    init?(_ page: Unmanaged<SlotPage>, at position: Int) {
        self.init(page._withUnsafeGuaranteedRef { $0.elements + position })
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
    /// All slots, for reading in any order; empty before `prepareForAnyOrder`.
    private var all: [BorrowedSlot?] = []

    init(_ forest: Forest) { slots = forest.slots }

    /// Reads all slots of a forest with so many handles, one page after the other, so that the way to none of them goes
    /// through the trie later. O(n).
    mutating func prepareForAnyOrder(handleBound: Int) {
        all = [BorrowedSlot?](unsafeUninitializedCapacity: handleBound) { all, count in
            for first in stride(from: 0, to: handleBound, by: pageSize) {
                let page = slots.page(of: Handle(first))
                for position in 0..<min(pageSize, handleBound - first) {
                    all.initializeElement(at: count, to: page.flatMap { BorrowedSlot($0, at: position) })
                    count += 1
                }
            }
        }
    }

    /// Valid while the reader is there. An index that is no handle's has no slot.
    subscript(index: Int) -> BorrowedSlot? {
        mutating get {
            if !all.isEmpty { return all.indices.contains(index) ? all[index] : nil }
            guard let handle = Handle(exactly: index) else { return nil }
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

    /// Fetches records from memory together that will be held one after the other.
    mutating func fetchRecords(of handles: some Sequence<Handle>) {
        var types = 1
        for handle in handles { types &= (self[Int(handle)]?.record.type ?? 1) | 1 }
        precondition(types != 0, "an object begins with its type")
    }
}
