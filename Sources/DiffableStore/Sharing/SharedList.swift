import DequeModule
import Diffable
import DiffableJSON

/// The additional state of a shared list. Used only on the store's queue.
///
/// The list's head is the replica, and etcd has all of it. New requests change a draft until etcd has appended it; then
/// they are committed like any change.
final class SharedList {
    var machine: SharingMachine
    var requests: [SharingMachine.RequestNumber: SharedRequest] = [:]
    var draft: BatchDraft?
    /// The replies to requests that are right only if the replica is the newest state.
    var results: [SharingMachine.RequestNumber: DeferredReply] = [:]
    /// The pending call to append or confirm.
    var call: Int?
    /// When the connection to etcd was lost, in milliseconds since 1970. Nil if that was before the daemon started.
    var awaySince: Int?
    /// Requests that wait for a revision, which may arrive before etcd answers.
    var arrivals: [SharingMachine.RequestNumber: Int] = [:]
    var leaseEnd: SharingMachine.RequestNumber?
    /// Whether etcd has been asked to delete the list because its own lease ended.
    var isBeingRemoved = false
    /// The parts received so far of a complete state.
    var parts: [UInt8] = []

    init(at position: SharedPosition) { machine = SharingMachine(at: position) }

    var liveness: Liveness { machine.isLive ? .live : .notLive(since: awaySince) }
}

enum SharedRequest {
    case change(PendingChange)
    case access(UnderwayAccess)
    /// The store's own request to remove everything that ended leases own.
    case leaseEnd
    /// Waits until the replica has everything that etcd had at the time of the request.
    case confirmation(ListName, Store.Completion<ListState>)
    /// Waits until the replica has this revision.
    case arrival(ListName, revision: Int, Store.Completion<ListState>)
}

/// A batch while it is being built from requests, and until it is known whether the log contains it.
struct BatchDraft {
    /// Distinguishes drafts: a result from the background may belong to an earlier one.
    let number: Int
    let position: SharedPosition
    /// The list and its access after the draft's rows.
    var head: ListState
    var access: StoredAccess
    /// Requests that have not been processed.
    var pending: Deque<SharingMachine.RequestNumber>
    var rows: [DraftedRow] = []
    /// The rows as text for the log.
    var text = ByteWriter()
    var built: SharingMachine.BuiltBatch
    /// Hosts that have to be absent when the batch is appended.
    var absent: Set<String> = []
    var keys: [RequestKey: FirstResult] = [:]

    init(
        number: Int, position: SharedPosition, head: ListState, access: StoredAccess,
        _ requests: [SharingMachine.RequestNumber]
    ) {
        self.access = access
        self.number = number
        self.position = position
        self.head = head
        pending = Deque(requests)
        built = SharingMachine.BuiltBatch(position: position)
    }

    var states: [(state: ListState, step: UndoStep?)] { rows.map { ($0.state, $0.row.undoStep) } }

    /// In bytes. A longer batch accepts no more requests.
    static let lengthMax = 256 << 10
    /// In bytes, for one change. A connector appends it in pieces.
    static let rowLengthMax = 16 << 20
}

extension Replication {
    /// Bytes of the longest line with one batch. As a JSON string, a batch is at most twice as long.
    package static let lineLengthMax = 2 * BatchDraft.rowLengthMax + 1 << 20
}

struct DraftedRow {
    let row: SharedRow
    /// Nil for a request that changed nothing, but is remembered.
    let made: ComputedChange?
    /// The list after the row.
    let state: ListState
    var request: (number: SharingMachine.RequestNumber, reply: DeferredReply)?
}

/// A call to etcd through the connector. Each call is answered once (`Store.settle`).
package enum EtcdCall: Sendable {
    /// `absent` are hosts that must not be present.
    case append(call: Int, SharedState, next: SharedPosition, revision: Int, text: [UInt8], absent: [String])
    case confirm(call: Int, SharedState)
    case share(call: Int, ListName, epoch: String, SharedBeginning)
    case remove(call: Int, ListName, epoch: String, absent: String?)
    /// Not a call: asks the connector to send everything after this position again.
    case behind(SharedState)
}

package struct SharedState: Sendable, Equatable {
    package let list: ListName
    package let epoch: String
    package let revision: Int
    package let position: SharedPosition
}

/// The connection to etcd, and the requests that wait for it.
struct EtcdLink {
    var host = ""
    /// The incarnation of this daemon, which distinguishes its leases from an earlier daemon's. A simulation sets
    /// it before anything is leased.
    var life = Epoch.random()
    /// Leases of this daemon that were used in a shared list.
    var leases: Set<Int> = []
    /// Ended leases with the origin of their removal, until nothing of them is left.
    var endedLeases: [Int: Origin] = [:]
    var isLeaseEndScheduled = false
    /// The hosts that are present. Nil while unknown.
    var hosts: Set<String>?
    /// Sends a call to the connector. Nil while none is connected.
    var send: (@Sendable (EtcdCall) -> Void)?
    var calls: [Int: PendingCall] = [:]
    /// Whether etcd had no space for the last change.
    var isFull = false
    var lastCall = 0
    var lastRequest = 0
    var lastDraft = 0
    var isWakingScheduled = false
    /// The pending creations and removals with their deadlines, oldest first.
    var awaitedCalls: [(call: Int, deadline: SharingMachine.Time)] = []
    /// Generates a random number that no other batch has. A simulation uses a seeded generator.
    var newBatchNumber: @Sendable () -> UInt64 = { .random(in: 0...UInt64.max) }

    enum PendingCall {
        case machine(ListName)
        case creation(SharedCreation)
        case removal(SharedRemoval)
    }
}
