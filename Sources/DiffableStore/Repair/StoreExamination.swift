import Diffable

/// What a state directory holds, as far as it can be read.
package struct StoreExamination: Sendable {
    /// Of the database.
    package let path: String
    package internal(set) var lists: [ExaminedList] = []
    /// What is wrong beside the lists, or makes it unknown which lists there were.
    package internal(set) var faults: [String] = []
    /// Of what is leased, the rows that are what was written.
    var leases: [LeaseRow] = []

    package var isGood: Bool { faults.isEmpty && lists.allSatisfy { $0.damage == nil } }
}

/// What is good of one list.
package struct ExaminedList: Sendable {
    package let name: ListName
    /// Up to which it is good.
    package let revision: Int
    package let snapshot: Snapshot
    /// What cannot be read, and why; nil when all is good.
    package let damage: String?

    let number: Int
    /// What came of requests with a key, as far as it is of this state.
    let results: [FirstResult]
    /// Nobody but root and the daemon's user may read a list of which this cannot be told any more.
    let access: AccessRecord
}
