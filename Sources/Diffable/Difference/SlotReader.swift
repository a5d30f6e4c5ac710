/// Reads neighbouring slots without searching the trie for each.
struct SlotReader {
    /// Keeps the pages alive.
    private let slots: SlotArray
    private var number = -1
    private var page: Unmanaged<SlotPage>?
    /// All slots, for reading in any order. Empty before `prepareForAnyOrder`.
    private var all: [BorrowedSlot?] = []

    init(_ forest: Forest) { slots = forest.slots }

    /// Reads all slots of a forest page by page, so that later accesses do not search the trie. O(n).
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

    /// Valid while the reader exists. Nil for an index that is not a handle.
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

    mutating func record(_ handle: Handle) -> Record {
        guard let slot = self[Int(handle)] else { preconditionFailure("no record under handle \(handle)") }
        return slot.record.record
    }

    /// Prefetches several records, before they are retained one by one.
    mutating func fetchRecords(of handles: some Sequence<Handle>) {
        var types = 1
        for handle in handles { types &= (self[Int(handle)]?.record.type ?? 1) | 1 }
        precondition(types != 0, "an object begins with its type")
    }
}
