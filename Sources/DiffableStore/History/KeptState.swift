import Diffable
import DiffableJSON

/// One state of a list in a history or a deleted list: complete or packed.
///
/// A packed state takes a small part of the memory, and about a microsecond per item to read.
struct KeptState: Sendable {
    /// The list at that revision, with empty contents if they are packed.
    private let heading: ListState
    private let packed: Packed?
    let numberOfSections: Int
    let numberOfItems: Int
    let lengthCounted: Int
    private let redrawsAsked: UInt64

    private indirect enum Packed {
        case snapshot(PackedSnapshot)
        case end(of: HistoryRun)
        /// The operations since an earlier state, as compressed JSON.
        case change(from: KeptState, [UInt8])
    }

    init(_ state: ListState) {
        heading = state
        packed = nil
        numberOfSections = state.snapshot.numberOfSections
        numberOfItems = state.snapshot.numberOfItems
        lengthCounted = state.snapshot.lengthCounted
        redrawsAsked = state.snapshot.redrawsAsked
    }

    private init(_ kept: KeptState, _ heading: ListState, _ packed: Packed?) {
        self.heading = heading
        self.packed = packed
        numberOfSections = kept.numberOfSections
        numberOfItems = kept.numberOfItems
        lengthCounted = kept.lengthCounted
        redrawsAsked = kept.redrawsAsked
    }

    var name: ListName { heading.name }
    var epoch: String { heading.epoch }
    var revision: Int { heading.revision }
    var number: Int { heading.number }
    var durability: Durability { heading.durability }

    /// Nil if it is packed.
    var whole: ListState? { packed == nil ? heading : nil }
    /// The complete state, or one with the same name and number but without contents.
    var wholeOrHeading: ListState { heading }

    var state: ListState {
        switch packed {
        case nil: return heading
        case .snapshot(let snapshot): return heading.moved(to: revision, snapshot.snapshot)
        case .end(let run):
            guard let end = run.state(at: revision, from: run.base.state) else {
                preconditionFailure("a run leads to its end")
            }
            return heading.moved(to: revision, end.snapshot)
        case .change(let earlier, let operations): return changed(earlier.state, operations)
        }
    }

    private func changed(_ earlier: ListState, _ operations: [UInt8]) -> ListState {
        var snapshot = earlier.snapshot
        do {
            try Compression.decompress(operations).withUnsafeBytes {
                try snapshot.apply([ListOperation](json: $0, limits: .journal), limits: .none)
            }
        } catch { preconditionFailure("a packed difference leads to its state: \(error)") }
        snapshot.setRedrawsAsked(redrawsAsked)
        return heading.moved(to: revision, snapshot)
    }

    /// - Parameters:
    ///   - run: the transactions before this state, packed; nil if they are not kept.
    ///   - base: the state before these; nil if it is packed already.
    func packed(after run: HistoryRun?, from base: ListState?) -> KeptState {
        guard let state = whole else { return self }
        let heading = state.moved(to: revision, Snapshot())
        if let run, run.isComplete, run.lastRevision == revision { return KeptState(self, heading, .end(of: run)) }
        guard let run, let base,
            state.snapshot.sharesMostPages(with: base.snapshot, pagesMax: max(4, numberOfItems / 128))
        else {
            return KeptState(self, heading, .snapshot(PackedSnapshot(state.snapshot)))
        }
        let json = OperationsWriter.array(state.snapshot.difference(from: base.snapshot))
        return KeptState(self, heading, .change(from: run.base, json.withUnsafeBytes { Compression.compress($0) }))
    }

    /// - Parameter run: the transactions before this state, with a complete base. The result shares unchanged pages with it.
    func unpacked(after run: HistoryRun?) -> KeptState {
        switch packed {
        case .end:
            if let run, let end = run.state(at: revision, from: run.base.state) {
                return KeptState(heading.moved(to: revision, end.snapshot))
            }
        case .change(_, let operations): if let base = run?.base.whole { return KeptState(changed(base, operations)) }
        case .snapshot, nil: break
        }
        return KeptState(state)
    }

    func map(_ change: (ListState) -> ListState) -> KeptState { KeptState(self, change(heading), packed) }
}

private struct PackedSnapshot: Sendable {
    /// In the format of checkpoint parts, compressed.
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
