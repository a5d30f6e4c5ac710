// Finds the old handle of each section and item of the new snapshot, by its id.
//
// A handle can have a different meaning only if its slot is on a page that the snapshots do not share. Lists that were filled
// in a similar order have their handles in a similar order too. So the old handle is guessed first, and most guesses are
// right and save a lookup in the index. After too many wrong guesses, the rest is found by scanning both indexes in parallel.
//
// Either way, many records are prefetched before the first is compared, so that the memory reads overlap.

/// The old handle of each handle of the new snapshot.
///
/// A class, because every step of a diff uses it, and a copy would retain all trees of both snapshots.
final class SnapshotMatching {
    let old: Snapshot
    let new: Snapshot
    /// By the new handle: twice the old handle plus one, or zero for none. A handle that is not in the map is the same in both.
    private let known: HandleMap

    /// Calls `report` with the old and the new slot of each match that differs in kind, content, expansion or redraw
    /// requests. The order is that of the new handles, except for matches that had to be looked up after a wrong guess.
    init(old: Snapshot, new: Snapshot, _ report: (BorrowedSlot, BorrowedSlot) -> Void) {
        self.old = old
        self.new = new
        var search = MatchSearch(old, new)
        search.run(report)
        known = search.known
    }

    /// Nil if the element is new.
    @inline(__always) func oldHandle(_ handle: Handle) -> Handle? {
        guard let found = known[handle] else { return handle }
        return found & 1 == 1 ? found >> 1 : nil
    }
}

private struct MatchSearch {
    typealias Report = (BorrowedSlot, BorrowedSlot) -> Void

    private let old: Snapshot
    private let new: Snapshot
    var known: HandleMap
    private var oldSlots: SlotReader
    /// The difference between the old and the new handle at the last match, and at the one before.
    private var shift = 0
    private var shiftBefore = 0
    private var guesses = 0
    private var wrongGuesses = 0
    /// Slots that are matched together, after guessing was abandoned.
    private var pending: [(handle: Handle, slot: BorrowedSlot)] = []

    init(_ old: Snapshot, _ new: Snapshot) {
        self.old = old
        self.new = new
        known = HandleMap(count: 0, bound: new.forest.handleBound)
        oldSlots = SlotReader(old.forest)
    }

    mutating func run(_ report: Report) {
        // Enough for reads to overlap, and few enough that one wrong guess does not make many others wrong.
        let guessesMax = 8
        withUnsafeTemporaryAllocation(of: Candidate.self, capacity: pageSize) { batch in
            new.forest.slots.forEachUnsharedPage(from: old.forest.slots) { start, oldPage, page in
                guard let page else { return }
                for first in stride(from: 0, to: pageSize, by: guessesMax) {
                    // The list's own slot has no id, and its handle is always the same.
                    let positions = max(first, start == Forest.list ? 1 : 0)..<first + guessesMax
                    visit(page, positions, from: start, oldPage, batch, report)
                }
            }
            if !pending.isEmpty { findPending(batch, report) }
        }
    }

    /// Candidates whose records are prefetched together, before the first is compared.
    private typealias Batch = UnsafeMutableBufferPointer<Candidate>

    // MARK: Guessing

    private mutating func visit(
        _ page: Unmanaged<SlotPage>, _ positions: Range<Int>, from start: Handle, _ oldPage: Unmanaged<SlotPage>?,
        _ batch: Batch, _ report: Report
    ) {
        var count = 0
        for position in positions {
            guard let slot = BorrowedSlot(page, at: position) else { continue }
            if let oldSlot = oldPage.flatMap({ BorrowedSlot($0, at: position) }),
                oldSlot.record.isShared(with: slot.record), oldSlot.isSection == slot.isSection
            {
                // The same record, possibly in another place.
                if !oldSlot.isOpen(as: slot) { report(oldSlot, slot) }
                continue
            }
            let handle = start + Handle(position)
            if pending.isEmpty {
                batch.initializeElement(at: count, to: Candidate(handle, slot, Int(handle) + shift, &oldSlots))
                count += 1
            } else {
                pending.append((handle, slot))
            }
        }
        guesses += count
        for index in 0..<count { batch[index].fetch() }
        for index in 0..<count where !note(batch[index], report) {
            find(batch[index].handle, batch[index].slot, report)
        }
    }

    /// Tries other guesses, and then searches the index.
    private mutating func find(_ handle: Handle, _ slot: BorrowedSlot, _ report: Report) {
        guard pending.isEmpty else { return pending.append((handle, slot)) }
        // The shift of the last right guess; plus one, because an item may have been deleted; the shift before the last change.
        let guesses: InlineArray<3, Int> = [shift, shift + 1, shiftBefore]
        for index in guesses.indices
        where note(Candidate(fetching: handle, slot, Int(handle) + guesses[index], &oldSlots), report) {
            if guesses[index] != shift { shiftBefore = shift }
            shift = guesses[index]
            return
        }
        wrongGuesses += 1
        if wrongGuesses > 64 && wrongGuesses > self.guesses / 4 {
            // Most of the following slots will be added.
            pending.reserveCapacity(new.forest.handleBound - Int(handle))
            pending.append((handle, slot))
        } else {
            lookUp(handle, slot, report)
        }
    }

    private mutating func lookUp(_ handle: Handle, _ slot: BorrowedSlot, _ report: Report) {
        let record = slot.record.record
        guard let found = slot.isSection ? old.sectionHandle(record) : old.itemHandle(record) else {
            known[handle] = 0
            return
        }
        shiftBefore = shift
        shift = Int(found) - Int(handle)
        if !note(Candidate(fetching: handle, slot, Int(found), &oldSlots), report) {
            preconditionFailure("what the index finds under an id has that id")
        }
    }

    /// Records the pair if the ids are equal.
    private mutating func note(_ candidate: Candidate, _ report: Report) -> Bool {
        guard let oldSlot = candidate.oldSlot, oldSlot.isSection == candidate.slot.isSection else { return false }
        if candidate.isAlike && candidate.slot.record.isEqual(toSimilar: oldSlot.record) {
            if !oldSlot.isOpen(as: candidate.slot) { report(oldSlot, candidate.slot) }
        } else {
            guard candidate.slot.record.hasSameID(as: oldSlot.record) else { return false }
            report(oldSlot, candidate.slot)
        }
        if candidate.oldHandle != candidate.handle { known[candidate.handle] = candidate.oldHandle << 1 | 1 }
        return true
    }

    // MARK: Finding together

    private mutating func findPending(_ batch: Batch, _ report: Report) {
        let pending = pending
        // Scanning the indexes takes time for the whole list, so a few slots are looked up one by one.
        if pending.count < new.itemIndex.count / 8 {
            for (handle, slot) in pending { lookUp(handle, slot, report) }
            return
        }
        var found = [Handle](repeating: .max, count: new.forest.handleBound)
        new.itemIndex.forEachHandle(alsoIn: old.itemIndex) { handle, oldHandle in found[Int(handle)] = oldHandle }
        oldSlots.prepareForAnyOrder(handleBound: old.forest.handleBound)
        for start in stride(from: 0, to: pending.count, by: pageSize) {
            let count = min(pageSize, pending.count - start)
            for index in 0..<count {
                let (handle, slot) = pending[start + index]
                let oldHandle = found[Int(handle)]
                batch.initializeElement(
                    at: index, to: Candidate(handle, slot, oldHandle == .max ? -1 : Int(oldHandle), &oldSlots))
            }
            for index in 0..<count { batch[index].fetch() }
            for index in 0..<count where !note(batch[index], report) {
                if batch[index].oldSlot == nil && !batch[index].slot.isSection {
                    known[batch[index].handle] = 0
                } else {
                    // It is a section, or another id has the same hash.
                    lookUp(batch[index].handle, batch[index].slot, report)
                }
            }
        }
    }
}

/// A slot of the new snapshot, and a slot of the old one that may have the same id.
private struct Candidate {
    let handle: Handle
    let slot: BorrowedSlot
    let oldHandle: Handle
    let oldSlot: BorrowedSlot?
    private(set) var isAlike = false

    init(_ handle: Handle, _ slot: BorrowedSlot, _ oldHandle: Int, _ oldSlots: inout SlotReader) {
        self.handle = handle
        self.slot = slot
        oldSlot = oldSlots[oldHandle]
        self.oldHandle = Handle(truncatingIfNeeded: oldHandle)
    }

    init(fetching handle: Handle, _ slot: BorrowedSlot, _ oldHandle: Int, _ oldSlots: inout SlotReader) {
        self.init(handle, slot, oldHandle, &oldSlots)
        fetch()
    }

    mutating func fetch() {
        if let oldSlot { isAlike = slot.record.mayBeEqual(to: oldSlot.record) }
    }
}
