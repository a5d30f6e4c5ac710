import Diffable
import DiffableJSON

/// One state of a list, as a history or a deleted list keeps it: whole or packed.
///
/// A packed state takes a small part of the memory, and time to read: about a microsecond for each item.
struct KeptState: Sendable {
    /// The list at that revision, without its contents if these are packed.
    private let heading: ListState
    private let packed: Packed?
    let numberOfSections: Int
    let numberOfItems: Int
    let lengthCounted: Int

    private indirect enum Packed {
        case snapshot(PackedSnapshot)
        /// The state after the last transaction of the run.
        case end(of: PastRun)
    }

    init(_ state: ListState) {
        heading = state
        packed = nil
        numberOfSections = state.snapshot.numberOfSections
        numberOfItems = state.snapshot.numberOfItems
        lengthCounted = state.snapshot.lengthCounted
    }

    private init(_ kept: KeptState, _ heading: ListState, _ packed: Packed?) {
        self.heading = heading
        self.packed = packed
        numberOfSections = kept.numberOfSections
        numberOfItems = kept.numberOfItems
        lengthCounted = kept.lengthCounted
    }

    var name: ListName { heading.name }
    var epoch: String { heading.epoch }
    var revision: Int { heading.revision }
    var number: Int { heading.number }
    var durability: Durability { heading.durability }

    /// Nil if it is packed.
    var whole: ListState? { packed == nil ? heading : nil }
    /// The state itself, or one with the same name and number and no contents.
    var wholeOrHeading: ListState { heading }

    /// Unpacks it if it is packed.
    var state: ListState {
        switch packed {
        case nil: return heading
        case .snapshot(let snapshot): return heading.moved(to: revision, snapshot.snapshot)
        case .end(let run):
            guard let end = run.state(at: revision, from: run.base.state) else {
                preconditionFailure("a run leads to its end")
            }
            return heading.moved(to: revision, end.snapshot)
        }
    }

    /// - Parameter run: the transactions before this state; nil if they are not kept.
    func packed(after run: PastRun?) -> KeptState {
        guard let state = whole else { return self }
        let heading = state.moved(to: revision, Snapshot())
        if let run, run.isComplete, run.lastRevision == revision { return KeptState(self, heading, .end(of: run)) }
        return KeptState(self, heading, .snapshot(PackedSnapshot(state.snapshot)))
    }

    /// - Parameter run: as in `packed(after:)`, with a whole base.
    func unpacked(after run: PastRun?) -> KeptState {
        guard case .end = packed, let run, let end = run.state(at: revision, from: run.base.state) else {
            return KeptState(state)
        }
        return KeptState(heading.moved(to: revision, end.snapshot))
    }

    /// The same state with another name or epoch.
    func map(_ change: (ListState) -> ListState) -> KeptState { KeptState(self, change(heading), packed) }
}

/// A snapshot as compressed bytes.
private struct PackedSnapshot: Sendable {
    /// The parts of a checkpoint.
    private let parts: [[UInt8]]
    private let redrawsAsked: UInt64

    /// In bytes, before compression.
    private static let partLengthMax = 256 << 10

    init(_ snapshot: Snapshot) {
        redrawsAsked = snapshot.redrawsAsked
        var rest = CheckpointParts(of: snapshot, lengthMax: Self.partLengthMax)
        var parts: [[UInt8]] = []
        while !rest.isDone {
            var part = ByteWriter()
            rest.writeNext(into: &part)
            parts.append(part.withUnsafeBytes { Compression.compress($0) })
        }
        self.parts = parts
    }

    var snapshot: Snapshot {
        do {
            var builder = SnapshotBuilder()
            for part in parts { try Compression.decompress(part).withUnsafeBytes { try builder.append(part: $0) } }
            var snapshot = try builder.finished()
            snapshot.setRedrawsAsked(redrawsAsked)
            return snapshot
        } catch { preconditionFailure("a packed snapshot can be read: \(error)") }
    }
}
