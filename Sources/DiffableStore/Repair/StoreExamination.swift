import Diffable

/// The contents of a state directory, as far as they can be read.
package struct StoreExamination: Sendable {
    /// The path of the database.
    package let path: String
    package internal(set) var lists: [ExaminedList] = []
    /// Faults outside of the lists, or because of which some lists are unknown.
    package internal(set) var faults: [String] = []
    /// Whether the database is missing, and with it all lists.
    package private(set) var isMissing = false
    /// The undamaged rows of leases.
    var leases: [LeaseRow] = []

    package var isGood: Bool { faults.isEmpty && lists.allSatisfy { $0.damage == nil } }

    init(path: String) { self.path = path }

    /// - Parameter reason: how it is that the database is gone.
    static func missing(path: String, reason: String) -> StoreExamination {
        var examination = StoreExamination(path: path)
        examination.isMissing = true
        examination.faults = ["\(path): \(reason)"]
        return examination
    }
}

/// One list, as far as it is good.
package struct ExaminedList: Sendable {
    package let name: ListName
    /// The last good revision.
    package let revision: Int
    package let snapshot: Snapshot
    /// What is damaged, and why; nil when everything is good.
    package let damage: String?

    let number: Int
    let epoch: String
    /// The end of its journal's chain, as far as that was read.
    let chain: Chain
    /// Whether hosts share it.
    let isShared: Bool
    /// The results of requests with a key whose changes are in this state.
    let results: [FirstResult]
    /// If it is damaged, only root and the daemon's user may read the list.
    let access: AccessRecord
    /// Of its schemas; none when they are damaged.
    let schemas: [SchemasRow]
    /// Of a list that was deleted and can come back.
    package let deletion: Deletion?

    /// Whether it is a damaged replica of a list that hosts share, whose log has a whole one.
    package var isReplaceable: Bool { isShared && damage != nil && deletion == nil }

    /// Its share of the digest of all lists, if nothing is damaged.
    var share: ListsDigest.Share {
        ListsDigest.Share(
            number: number, epoch: epoch, chain: chain, lastResult: results.last?.number ?? 0, access: access,
            deletion: deletion, schemas: SchemasRow.checksum(of: schemas.map(\.checksum)))
    }
}
