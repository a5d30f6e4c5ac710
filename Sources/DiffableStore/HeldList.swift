/// What the store holds under one name: what everybody sees, and what the next transaction builds on.
final class HeldList {
    /// What is on disk (of a volatile list: the newest). `nil`: a list whose creation is not on disk yet.
    var committed: ListState?
    /// The newest state, on disk or not. `nil`: a list whose deletion is not on disk yet.
    var head: ListState?
    /// The number of the newest group with a change of this list; zero for none. While that group is unsettled,
    /// every answer about the head waits for it.
    var group = 0
    /// What led to `committed`.
    var history: History
    /// Who may what with `committed`.
    var access: HeldAccess
    /// And with `head`.
    var headAccess: HeldAccess

    init(committed: ListState? = nil, history: History = History(), access: HeldAccess) {
        self.history = history
        self.committed = committed
        self.head = committed
        self.access = access
        self.headAccess = access
    }
}

/// Who may what with a list: what was said of it, and what that comes to.
struct HeldAccess {
    let record: AccessRecord
    let effective: ListAccess
}
