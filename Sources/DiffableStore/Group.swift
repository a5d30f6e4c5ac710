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

    init(number: Int) {
        self.number = number
    }
}
