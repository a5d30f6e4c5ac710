/// Reads slots that lie close together, without a search in the trie for each.
struct SlotReader {
    /// Keeps the pages alive.
    private let slots: SlotArray
    private var number = -1
    private var page: Unmanaged<SlotPage>?
    /// All slots, for reading in any order; empty before `prepareForAnyOrder`.
    private var all: [BorrowedSlot?] = []

    init(_ forest: Forest) { slots = forest.slots }

    /// Reads all slots of a forest with so many handles, page by page, so that no later access searches in the trie. O(n).
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

    /// Valid as long as the reader is. An index that is no handle gives nil.
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

    /// Fetches several records from memory at the same time, before they are retained one by one.
    mutating func fetchRecords(of handles: some Sequence<Handle>) {
        var types = 1
        for handle in handles { types &= (self[Int(handle)]?.record.type ?? 1) | 1 }
        precondition(types != 0, "an object begins with its type")
    }
}
