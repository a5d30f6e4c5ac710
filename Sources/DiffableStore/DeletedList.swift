import Diffable

/// When a list was deleted, and by whom.
package struct Deletion: Sendable, Equatable {
    package let moment: Moment
    /// Nil if that is not known.
    package let origin: Origin?
}

/// A list that was deleted and can come back: with its state, its past, and who may what with it.
package struct DeletedList: Sendable {
    /// The last one there was.
    private(set) var kept: KeptState
    package let deletion: Deletion
    let access: AccessRecord
    /// Nil while there have never been any.
    let schemas: ListSchemas?
    /// Empty until the deletion is on disk.
    var history = History()

    /// Its share of `deletedLengthMax`, in bytes.
    var length: Int { lengthWithoutPast + history.cost }
    var lengthWithoutPast: Int { DeletedList.length(kept.lengthCounted, schemas) }

    /// The same of a list, without its past.
    static func length(of state: ListState, _ schemas: ListSchemas? = nil) -> Int {
        length(state.snapshot.lengthCounted, schemas)
    }

    private static func length(_ length: Int, _ schemas: ListSchemas?) -> Int {
        length + (schemas?.lengthCounted ?? 0) + lengthBeside
    }

    /// What a deleted list takes beside its content, in bytes. So it also bounds how many there are.
    static let lengthBeside = 4_096

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
    /// The last one there was. O(items) if the list is packed.
    package var state: ListState { kept.state }

    /// The same list in little memory. O(items and transactions).
    func packed() -> DeletedList {
        var packed = self
        packed.history = history.packed()
        packed.kept = history.packed(kept, after: packed.history)
        return packed
    }

    /// The same with the state of another one of the same deletion.
    func with(stateOf other: DeletedList) -> DeletedList {
        var list = self
        list.kept = other.kept
        return list
    }

    /// The same with its state unpacked.
    func unpacked() -> DeletedList {
        var list = self
        list.kept = KeptState(kept.state)
        return list
    }

    /// How many of one name and one owner are kept. A list that somebody makes and deletes all day pushes out no others.
    static let countOfNameMax = 8
}

/// A list that was deleted, as the store holds it.
final class HeldDeletion {
    /// The deletion that is on disk (of a volatile list: that is visible). Nil if it is not on disk yet.
    var committed: DeletedList?
    /// The deletion that the next request finds. Nil if the list is coming back, or is about to be purged.
    var head: DeletedList?

    /// Whether no deletion, return or purge of the list is on its way to the disk. A list may have come back and been deleted
    /// again while an earlier deletion is on disk.
    var isSettled: Bool { head != nil && head?.deletion == committed?.deletion }
}

/// Why a list that was deleted cannot come back.
package enum DeletionLoss: Sendable, Equatable {
    /// Its content alone is longer than all deleted lists may be together.
    case tooLong(max: Int)
    /// Others were deleted after it, and together they were too long.
    case madeRoom(max: Int)
    case tooOld
    /// It was leased by a connection, and was to go with that.
    case leased
    /// So many others of its name were deleted after it.
    case madeRoomForLater(count: Int)
    /// Who deleted it did not want to keep it.
    case unwanted
    /// The configuration says that none is kept.
    case keepsNone
}

/// What became of the last few deleted lists that are not kept, so that who asks for one hears why.
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

    /// Of the newest deletion that is the peer's to know of.
    func reason(for list: ListName, _ peer: Peer) -> DeletionLoss? {
        guard peer.isInScope(list) else { return nil }
        return losses.last { $0.list == list && (peer.isPrivileged || peer.userID == $0.owner) }?.reason
    }
}
