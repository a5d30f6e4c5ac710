/// A slot with a record, whose reference is not counted. It is valid as long as somebody holds the snapshot.
struct BorrowedSlot {
    let record: BorrowedRecord
    let place: Place

    /// `nil` for a free slot, and for the slot of a list without content.
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
