import Diffable

package struct Deletion: Sendable, Equatable {
    package let moment: Moment
    package let origin: Origin?
}

/// A deleted list that can be undeleted, with its state, history and access.
package struct DeletedList: Sendable {
    private(set) var kept: KeptState
    package let deletion: Deletion
    let access: AccessRecord
    /// Nil if the list never had any.
    let schemas: ListSchemas?
    /// Empty until the deletion is on disk.
    var history = History()

    /// The bytes that count towards `deletedLengthMax`.
    var length: Int { lengthWithoutPast + history.cost }
    var lengthWithoutPast: Int { DeletedList.length(kept.lengthCounted, schemas) }

    /// The bytes of a list without its history.
    static func length(of state: ListState, _ schemas: ListSchemas? = nil) -> Int {
        length(state.snapshot.lengthCounted, schemas)
    }

    private static func length(_ length: Int, _ schemas: ListSchemas?) -> Int {
        length + (schemas?.lengthCounted ?? 0) + overheadLength
    }

    /// The overhead of a deleted list, in bytes. Since it counts, `deletedLengthMax` also bounds the number of deleted lists.
    static let overheadLength = 4_096

    init(
        state: ListState, deletion: Deletion, access: AccessRecord, schemas: ListSchemas?, history: History = History()
    ) {
        kept = KeptState(state)
        self.deletion = deletion
        self.access = access
        self.schemas = schemas
        self.history = history
    }

    package var name: ListName { kept.name }
    package var epoch: String { kept.epoch }
    package var revision: Int { kept.revision }
    package var numberOfSections: Int { kept.numberOfSections }
    package var numberOfItems: Int { kept.numberOfItems }
    package var durability: Durability { kept.durability }
    var number: Int { kept.number }
    /// The last state. O(items) if the list is packed.
    package var state: ListState { kept.state }

    /// Packs the list to save memory. O(items and transactions).
    func packed() -> DeletedList {
        var packed = self
        packed.history = history.packed()
        packed.kept = history.packed(kept, after: packed.history)
        return packed
    }

    func with(stateOf other: DeletedList) -> DeletedList {
        var list = self
        list.kept = other.kept
        return list
    }

    /// A copy with its state unpacked. O(items).
    func unpacked() -> DeletedList {
        var list = self
        list.kept = KeptState(kept.state)
        return list
    }

    /// The number of deleted lists that are kept for one name and owner. With this limit, a list that is created and
    /// deleted all day does not evict other lists.
    static let countOfNameMax = 8
}

/// A deleted list in the store: on disk and for the next request.
final class StoredDeletion {
    /// The deletion on disk; for a volatile list, the visible deletion. Nil if it is not on disk yet.
    var committed: DeletedList?
    /// The deletion that the next request finds. Nil if the list is being undeleted or purged.
    var head: DeletedList?

    /// Whether no deletion, undeletion or purge of the list is waiting for the disk. A list may have been undeleted and
    /// deleted again while an earlier deletion is on disk.
    var isSettled: Bool { head != nil && head?.deletion == committed?.deletion }
}

package enum DeletionLoss: Sendable, Equatable {
    /// The list's content alone exceeds the limit for all deleted lists.
    case tooLong(max: Int)
    /// Later deletions used up the limit for all deleted lists.
    case madeRoom(max: Int)
    case tooOld
    case leased
    /// The number of lists with the same name that were deleted later, and that it made room for.
    case madeRoomForLater(count: Int)
    /// The caller deleted it for good.
    case unwanted
    case keepsNone
}

/// The last 64 deleted lists that were not kept. They explain a later error to the owner.
struct DeletionLosses {
    private struct Loss {
        let list: ListName
        let owner: UInt32
        let reason: DeletionLoss
    }

    /// Oldest first.
    private var losses: [Loss] = []
    private static let countMax = 64

    mutating func append(_ list: ListName, of owner: UInt32, _ reason: DeletionLoss) {
        if losses.count == Self.countMax { losses.removeFirst() }
        losses.append(Loss(list: list, owner: owner, reason: reason))
    }

    /// The reason for the newest loss that the peer may know about.
    func reason(for list: ListName, _ peer: Peer) -> DeletionLoss? {
        guard peer.isInScope(list) else { return nil }
        return losses.last { $0.list == list && (peer.isPrivileged || peer.userID == $0.owner) }?.reason
    }
}
