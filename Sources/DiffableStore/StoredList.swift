import Diffable
import DiffableJSON

/// A list in the store: the committed state that readers see, and the head that the next transaction builds on.
final class StoredList {
    /// The newest state on disk; for a volatile list, the newest state. Nil while the list's creation is not on disk yet.
    var committed: ListState?
    /// The newest state, on disk or not. Nil while the list's deletion is not on disk yet.
    var head: ListState? {
        // The result was computed from the old head. Keeping it would also keep that state in memory.
        didSet { evaluated = nil }
    }
    /// The result of the last proposal at `head`, reused if the handler approves it.
    var evaluated: ProposalEvaluation?
    /// The number of the newest commit group that changes this list; 0 for none. Until that group is settled, every
    /// reply that depends on the head waits for it.
    var group = 0
    var history: History
    /// The access and schemas at `committed`. `schemas` is nil if the list never had any.
    var access: StoredAccess
    var headAccess: StoredAccess
    var schemas: ListSchemas?
    var headSchemas: ListSchemas?
    /// Whether a change that was overtaken repeatedly is being computed from `head`. Until it is done, later changes
    /// wait in `waiting`, oldest first.
    var isReserved = false
    var waiting: [(isolated Store) -> Void] = []
    var shared: SharedList?
    /// The resource usage that `head` adds to its user's account.
    var counted = CountedUsage()

    /// The work of changing and validating items. The unit is the work of one item without a schema.
    func work(ofChanging items: Int) -> Int { items * (headSchemas?.set.costOfItem ?? 1) }

    init(committed: ListState? = nil, history: History = History(), access: StoredAccess, schemas: ListSchemas? = nil) {
        self.history = history
        self.committed = committed
        self.head = committed
        self.access = access
        self.headAccess = access
        self.schemas = schemas
        self.headSchemas = schemas
    }
}

/// A list's access: the record that was set, and the rights that it means under the current rules.
struct StoredAccess {
    let list: ListName
    let record: AccessRecord
    let effective: ListAccess
    /// The user whose limits the list counts towards.
    let user: UInt32

    /// None if the peer gave the list up.
    func rights(of peer: Peer) -> Rights { peer.isInScope(list) ? effective.rights(of: peer) : [] }

    func isGoverned(by peer: Peer) -> Bool { peer.isInScope(list) && effective.isGoverned(by: peer) }
}
