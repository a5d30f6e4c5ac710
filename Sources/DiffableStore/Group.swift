/// The transactions that are committed to disk together, and the answers that wait for it.
struct Group {
    /// Groups are numbered in the order in which they are written.
    let number: Int
    /// In arrival order.
    var changes: [ListChange] = []
    /// Of each change, the list.
    var lists: [HeldList] = []
    /// In arrival order; also of requests that changed nothing, but whose answer rests on changes of this group.
    var answers: [Answer] = []

    init(number: Int) {
        self.number = number
    }
}
