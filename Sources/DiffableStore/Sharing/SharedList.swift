import DequeModule
import Diffable
import DiffableJSON

/// What the store has of a list that hosts share, beside what it has of every list. It is used on the store's queue alone.
///
/// The list's head is the replica: all of it is in the engine. What requests make of it is in a draft until the engine has
/// appended that, and is then committed like any change.
final class SharedList {
    var machine: SharingMachine
    /// Those that are not answered.
    var requests: [SharingMachine.RequestNumber: SharedRequest] = [:]
    /// What was made of the requests: being made, or under way to the engine.
    var draft: BatchDraft?
    /// Of those that rest on the replica being the newest state.
    var results: [SharingMachine.RequestNumber: DeferredReply] = [:]
    /// The call that waits for its outcome.
    var call: Int?
    /// When the engine was lost, in milliseconds since 1970 began; nil: before the daemon's start.
    var awaySince: Int?
    /// Those who wait for a revision, which may come before the engine is heard.
    var arrivals: [SharingMachine.RequestNumber: Int] = [:]
    /// The request that what nobody holds any more goes.
    var leaseEnd: SharingMachine.RequestNumber?
    /// The list is leased and nobody holds it, which the engine is asked to take into account.
    var isBeingRemoved = false
    /// What has come of a whole state that is told in parts.
    var parts: [UInt8] = []

    init(at position: SharedPosition) { machine = SharingMachine(at: position) }

    var liveness: Liveness { machine.isLive ? .live : .notLive(since: awaySince) }
}

/// Somebody who waits until the engine has said something.
enum SharedRequest {
    case change(UnderwayChange)
    case access(UnderwayAccess)
    /// Nobody's: what nobody holds any more is to go.
    case leaseEnd
    /// To hear that the replica has all that the engine has had since this was asked.
    case confirmation(ListName, Store.Completion<ListState>)
    /// To hear that the replica has this revision.
    case arrival(ListName, revision: Int, Store.Completion<ListState>)
}

/// A batch while it is made of requests, and until it is known to be in the log or not.
struct BatchDraft {
    /// Distinguishes it from others: what is found beside the queue may be for one that is over.
    let number: Int
    let position: SharedPosition
    /// The list after what is in the draft, and its access.
    var head: ListState
    var access: HeldAccess
    /// Those that are not looked at yet.
    var pending: Deque<SharingMachine.RequestNumber>
    var rows: [DraftedRow] = []
    /// The same as the log has it.
    var text = ByteWriter()
    var built: SharingMachine.Built
    /// Hosts that must not be there when the batch is appended.
    var absent: Set<String> = []
    /// Of requests with a key that are in the draft.
    var keys: [RequestKey: FirstResult] = [:]

    init(
        number: Int, position: SharedPosition, head: ListState, access: HeldAccess,
        _ requests: [SharingMachine.RequestNumber]
    ) {
        self.access = access
        self.number = number
        self.position = position
        self.head = head
        pending = Deque(requests)
        built = SharingMachine.Built(position: position)
    }

    /// The list after each row, with the row's undo step.
    var states: [(state: ListState, step: UndoStep?)] { rows.map { ($0.state, $0.row.undoStep) } }

    /// A batch of more bytes takes no more requests.
    static let lengthMax = 256 << 10
    /// Of one change: as a string of JSON it is at most twice as long, which fits a line, and it fits a request to the engine.
    static let rowLengthMax = 448 << 10
}

/// A row of a batch, and what it makes of the list.
struct DraftedRow {
    let row: SharedRow
    /// Nil: it is remembered that a request changed nothing.
    let made: MadeChange?
    /// Afterwards.
    let state: ListState
    /// Who waits for it, and the answer.
    var request: (number: SharingMachine.RequestNumber, reply: DeferredReply)?
}

/// What the connector is asked, on the way to the engine. Each call is answered once (`Store.settle`).
package enum EngineCall: Sendable {
    /// `absent` are hosts that must not be there.
    case append(call: Int, SharedState, next: SharedPosition, revision: Int, text: [UInt8], absent: [String])
    case confirm(call: Int, SharedState)
    case share(call: Int, ListName, epoch: String, SharedBeginning)
    case remove(call: Int, ListName, epoch: String, absent: String?)
    /// No call: the replica is there, and what comes after it is to be told again.
    case behind(SharedState)
}

/// Where the replica of a shared list is.
package struct SharedState: Sendable, Equatable {
    package let list: ListName
    package let epoch: String
    package let revision: Int
    package let position: SharedPosition
}

/// The link to the engine, and who waits for what it says.
struct EngineLink {
    /// What this host is called.
    var host = ""
    /// Of this daemon, so that its leases are not taken for another's. A simulation names it before anything is leased.
    var life = Epoch.random()
    /// Leases of this daemon that something was asked of shared lists for.
    var leases: Set<Int> = []
    /// Those that are over, and who says so, while something of theirs may be left.
    var endedLeases: [Int: Origin] = [:]
    var isLeaseEndScheduled = false
    /// Those that are there; nil as long as nobody has said so.
    var hosts: Set<String>?
    /// Tells the connector; nil while there is none.
    var send: (@Sendable (EngineCall) -> Void)?
    /// By their numbers.
    var calls: [Int: PendingCall] = [:]
    var lastCall = 0
    var lastRequest = 0
    var lastDraft = 0
    var isWakingScheduled = false
    /// Creations and removals that somebody waits for, by their calls, and until when; oldest first.
    var awaitedCalls: [(call: Int, deadline: SharingMachine.Time)] = []
    /// A number that no other batch has. A simulation has a generator with a seed.
    var newBatchNumber: @Sendable () -> UInt64 = { .random(in: 0...UInt64.max) }

    enum PendingCall {
        /// Of a shared list's machine.
        case machine(ListName)
        case creation(SharedCreation)
        case removal(SharedRemoval)
    }
}
