/// The transactions that are written to disk together, and the replies that wait for them.
struct Group {
    /// Groups are numbered in the order in which they are written.
    let number: Int
    /// In arrival order.
    var changes: [ListChange] = []
    /// Of each change, the list.
    var lists: [HeldList] = []
    /// In arrival order. Includes replies to requests that changed nothing and rest on changes of this group.
    var answers: [DeferredReply] = []
    /// By the numbers of lists: the leases before the group's first change of them.
    private(set) var formerLeases: [Int: Leases?] = [:]

    init(number: Int) {
        self.number = number
    }

    mutating func note(_ leases: Leases?, of number: Int) {
        if formerLeases[number] == nil { formerLeases.updateValue(leases, forKey: number) }
    }
}
