/// A commit group: transactions that are written to disk together, and the replies that wait for them.
struct CommitGroup {
    /// Increases by one with each group, in the order of writing.
    let number: Int
    /// In arrival order.
    var changes: [ListChange] = []
    /// The list of each change.
    var lists: [StoredList] = []
    /// In arrival order. Includes replies to requests that changed nothing but depend on changes of this group.
    var answers: [DeferredReply] = []
    /// The leases of each list before the group's first change of it, by list number.
    private(set) var formerLeases: [Int: Leases?] = [:]

    init(number: Int) {
        self.number = number
    }

    mutating func rememberFormerLeases(_ leases: Leases?, of number: Int) {
        if formerLeases[number] == nil { formerLeases.updateValue(leases, forKey: number) }
    }
}
