extension Snapshot {
    /// The approximate memory that this state does not share with a later one, in bytes. O(pages that they do not share)
    /// - Parameter list: the list that both are views of, if any. Its records do not count.
    package func lengthUnshared(with later: Snapshot, rowsOf list: Snapshot? = nil) -> Int {
        var length = 0
        later.forest.slots.forEachUnsharedPage(from: forest.slots) { _, page, laterPage in
            guard let page else { return }
            length += Self.lengthOfSlotPage
            for position in 0..<page._withUnsafeGuaranteedRef(\.count) {
                guard let slot = BorrowedSlot(page, at: position) else { continue }
                let laterSlot = laterPage.flatMap { BorrowedSlot($0, at: position) }
                if laterSlot?.record.isShared(with: slot.record) == true || list?.hasSame(slot) == true { continue }
                length += slot.record.lengths.counted
            }
        }
        length += Self.lengthOfBucket * itemIndex.numberOfBucketsUnshared(with: later.itemIndex)
        return length == 0 ? 0 : length + Self.lengthOfPaths
    }

    /// Whether this list has the identical record, and not only an equal one.
    private func hasSame(_ slot: BorrowedSlot) -> Bool {
        let record = slot.record.record
        guard let handle = slot.isSection ? sectionHandle(record) : itemHandle(record) else { return false }
        return BorrowedRecord(forest.record(handle)).isShared(with: slot.record)
    }

    /// Memory of 32 slots and their places, in bytes.
    private static let lengthOfSlotPage = 1 << 10
    /// Memory of a bucket of the index, in bytes.
    private static let lengthOfBucket = 1 << 9
    /// Memory of the pages on the paths to these, in bytes.
    private static let lengthOfPaths = 1 << 12
}
