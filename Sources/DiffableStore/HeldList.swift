import Diffable
import DiffableJSON

/// One list in the store: the state that everybody sees, and the state that the next transaction builds on.
final class HeldList {
    /// The newest state on disk, or the newest of all for a volatile list. `nil` while the list's creation is not on
    /// disk yet.
    var committed: ListState?
    /// The newest state, on disk or not. `nil` while the list's deletion is not on disk yet.
    var head: ListState? {
        // What was found about another state says nothing about this one, and would keep that state alive.
        didSet { considered = nil }
    }
    /// What the last proposal makes of `head`, so that consent to it finds that again.
    var considered: ConsideredChange?
    /// The number of the newest group with a change of this list; 0 for none. While that group is not settled, every
    /// reply about the head waits for it.
    var group = 0
    /// The states before `committed`.
    var history: History
    /// The access of `committed`.
    var access: HeldAccess
    /// The access of `head`.
    var headAccess: HeldAccess
    /// The schemas of `committed`; nil while there have never been any.
    var schemas: ListSchemas?
    /// The schemas of `head`.
    var headSchemas: ListSchemas?
    /// A change that others overtook again and again is being found from `head`: until it is carried out, other changes
    /// wait, oldest first.
    var isReserved = false
    var waiting: [(isolated Store) -> Void] = []
    /// Nil for a list of this host alone.
    var shared: SharedList?
    /// The account of the user that `head` counts for.
    var counted = CountedUsage()

    /// The work of changing and checking items, in items without a schema.
    func work(ofChanging items: Int) -> Int { items * (headSchemas?.set.costOfItem ?? 1) }

    init(committed: ListState? = nil, history: History = History(), access: HeldAccess, schemas: ListSchemas? = nil) {
        self.history = history
        self.committed = committed
        self.head = committed
        self.access = access
        self.headAccess = access
        self.schemas = schemas
        self.headSchemas = schemas
    }
}

/// A list's access: the record of what was set, and what it means under the rules.
struct HeldAccess {
    let list: ListName
    let record: AccessRecord
    let effective: ListAccess
    /// The user that the list counts for.
    let user: UInt32

    /// None if the peer gave the list up.
    func rights(of peer: Peer) -> Rights { peer.isInScope(list) ? effective.rights(of: peer) : [] }

    func isGoverned(by peer: Peer) -> Bool { peer.isInScope(list) && effective.isGoverned(by: peer) }
}
