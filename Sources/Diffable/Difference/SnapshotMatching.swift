/// Finds what a section or an item of the new snapshot was in the old one, by its id.
struct SnapshotMatching {
    let old: Snapshot
    let new: Snapshot
    /// How far the old handle was from the new one the last time. Lists that were filled in much the same order have
    /// their handles in much the same order too, so most guesses are right and need no look into the index.
    private var shift: Int64 = 0
    /// What `remember` was told, doubled, plus one where there is a match.
    private var known = HandleMap(count: 0, bound: 0)

    init(old: Snapshot, new: Snapshot) {
        self.old = old
        self.new = new
    }

    /// The old handle, or nil for what is new.
    ///
    /// Only what stands on a page that the snapshots do not share can have another handle or none, and all of that was
    /// remembered; everything else is what it was.
    func oldHandle(_ handle: Handle) -> Handle? {
        guard let found = known[handle] else { return handle }
        return found & 1 == 1 ? found >> 1 : nil
    }

    /// Looks it up.
    mutating func find(_ handle: Handle, _ record: Record, isSection: Bool) -> Handle? {
        let guess = Int64(handle) + shift
        if guess > 0, isMatch(old.forest.slots[Handle(guess)], record, isSection) { return Handle(guess) }
        guard let found = isSection ? old.sectionHandle(record) : old.itemHandle(record) else { return nil }
        shift = Int64(found) - Int64(handle)
        return found
    }

    private func isMatch(_ slot: Slot, _ record: Record, _ isSection: Bool) -> Bool {
        guard let other = slot.record, (slot.parent == Forest.list) == isSection else { return false }
        return other.hasSameID(as: record)
    }

    /// Remembers what these handles were; all others were themselves.
    mutating func remember(_ matches: [(handle: Handle, old: Handle?)]) {
        known = HandleMap(count: matches.count, bound: new.forest.handleBound)
        for match in matches { known[match.handle] = match.old.map { $0 << 1 | 1 } ?? 0 }
    }
}
