import Diffable

/// The readable contents of a state directory, and its faults.
package struct StoreExamination: Sendable {
    package let path: String
    package internal(set) var lists: [ExaminedList] = []
    /// Faults outside of the lists, or faults because of which some lists are unknown.
    package internal(set) var faults: [String] = []
    /// Whether the database is missing, and all lists with it.
    package private(set) var isMissing = false
    /// The undamaged lease rows.
    var leases: [LeaseRow] = []

    package var isGood: Bool { faults.isEmpty && lists.allSatisfy { $0.damage == nil } }

    init(path: String) { self.path = path }

    /// - Parameter reason: why the database counts as missing.
    static func missing(path: String, reason: String) -> StoreExamination {
        var examination = StoreExamination(path: path)
        examination.isMissing = true
        examination.faults = ["\(path): \(reason)"]
        return examination
    }
}

/// The undamaged part of one list.
package struct ExaminedList: Sendable {
    package let name: ListName
    /// The last good revision.
    package let revision: Int
    package let snapshot: Snapshot
    /// The damage and its reason. Nil for none.
    package let damage: String?

    let number: Int
    let epoch: String
    /// The end of the journal's chain, as far as it was read.
    let chain: ChecksumChain
    let isShared: Bool
    /// The results of requests with a key whose changes are in this state.
    let results: [FirstResult]
    /// If it is damaged, only root and the daemon's user get access to the list.
    let access: AccessRecord
    /// The rows of its schemas. Empty if they are damaged.
    let schemas: [SchemasRow]
    /// Nil unless the list was deleted and can be undeleted.
    package let deletion: Deletion?

    /// Whether it is a damaged replica of a shared list, which can be rebuilt from the list's log.
    package var isReplaceable: Bool { isShared && damage != nil && deletion == nil }

    /// Its share of the digest of all lists. Valid only without damage.
    var share: ListsDigest.Share {
        ListsDigest.Share(
            number: number, epoch: epoch, chain: chain, lastResult: results.last?.number ?? 0, access: access,
            deletion: deletion, schemas: SchemasRow.checksum(of: schemas.map(\.checksum)))
    }
}
