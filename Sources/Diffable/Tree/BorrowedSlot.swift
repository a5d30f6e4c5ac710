/// A slot with a record, without a reference count. Valid while the snapshot is retained.
struct BorrowedSlot {
    let record: BorrowedRecord
    let place: SlotPosition

    /// Nil for a free slot, and for the list's slot if the list has no content.
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
    var isFolded: Bool { place.isFolded }
    /// Whether both are expanded alike, and folded alike.
    func isOpen(as other: BorrowedSlot) -> Bool { isExpanded == other.isExpanded && isFolded == other.isFolded }
}
