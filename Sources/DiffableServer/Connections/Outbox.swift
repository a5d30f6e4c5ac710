import DequeModule
import Diffable
import DiffableJSON
import DiffableProtocol

/// The answers of one connection, in the order of its requests.
///
/// A mutation gets its place when it is handed to the store and its line when it is committed. A read is kept as it is
/// until everything before it is answered, so that it sees what the same client changed before. Lines that wait for
/// nothing any more are `ready`, in one piece: however many there are, they cost one write.
struct Outbox {
    enum Pending {
        /// The store has not said yet.
        case awaited
        /// A whole line.
        case line(ByteWriter, after: Barrier?)
        /// A request that reads; it is carried out when its turn comes.
        case read(Request, RequestID)
    }

    /// A client's own changes arrive before the reply to the mutation that caused them.
    struct Barrier {
        let list: ListName
        /// The life of the list that the revision is of.
        let epoch: String
        let revision: Int
        /// What the list was called before the request renamed it: whoever follows that hears of a deletion.
        var formerName: ListName?
        /// Whether those with a `minInterval` are waited for, too.
        var includesPaced = false

        /// The revision that a subscription is sent before the answer; nil when the answer does not wait for it.
        /// Whoever follows a list whose revision is `max` still follows one that came after the deletion, be it in the
        /// same epoch.
        func revision(for name: ListName) -> Int? { name == list ? revision : name == formerName ? .max : nil }
    }

    /// Names an answer's place for as long as it is awaited.
    struct Reservation: Sendable, Equatable {
        fileprivate let number: Int
    }

    /// The lines that leave next.
    private var ready = ByteWriter()
    /// What comes after them; the first is not ready.
    private var answers: Deque<Pending> = []
    /// How many have left `answers`.
    private var departed = 0
    /// Of the lines in `answers`, in bytes.
    private var waitingLength = 0
    /// A connection has at most one read waiting: what follows it is not looked at before, unless it takes its place.
    private(set) var hasRead = false

    var isEmpty: Bool { ready.count == 0 && answers.isEmpty }
    var hasReadyLines: Bool { ready.count > 0 }
    /// Answers that are not ready.
    var waitingCount: Int { answers.count }
    /// Of all lines that wait, in bytes.
    var length: Int { ready.count + waitingLength }
    var first: Pending? { answers.first }

    /// Longer lines are not put together with others, in bytes.
    private static let lengthTogetherMax = UpdateRest.pageLength
    /// Storage up to this many bytes is kept for the next lines.
    private static let capacityKept = 1 << 12

    /// Adds a line that `write` makes; nothing for a request without an id.
    mutating func append(_ write: (inout ByteWriter) -> Void) {
        if answers.isEmpty { return write(&ready) }
        let line = Self.line(write)
        waitingLength += line.count
        answers.append(.line(line, after: nil))
    }

    /// Adds a line that keeps no order with others, before all that wait.
    mutating func appendUnordered(_ write: (inout ByteWriter) -> Void) { write(&ready) }

    /// Adds a request that waits for its turn.
    mutating func append(_ request: Request, _ id: RequestID) {
        hasRead = true
        answers.append(.read(request, id))
    }

    mutating func reserve() -> Reservation {
        answers.append(.awaited)
        return Reservation(number: departed + answers.count - 1)
    }

    mutating func fill(_ place: Reservation, after barrier: Barrier?, _ write: (inout ByteWriter) -> Void) {
        let position = place.number - departed
        if position == 0 && barrier == nil {
            removeFirst()
            write(&ready)
            return makeReady()
        }
        put(Self.line(write), at: position, after: barrier)
    }

    /// The same for a line that is there already, and may be so long that it is not to be copied.
    mutating func fill(_ place: Reservation, after barrier: Barrier?, with line: ByteWriter) {
        put(line, at: place.number - departed, after: barrier)
        makeReady()
    }

    private mutating func put(_ line: ByteWriter, at position: Int, after barrier: Barrier?) {
        waitingLength += line.count
        answers[position] = .line(line, after: barrier)
    }

    /// Hands out the line whose turn has come, and which is too long to be sent with others.
    mutating func takeLongLine() -> ByteWriter? {
        guard case .line(let line, nil)? = answers.first else { return nil }
        waitingLength -= line.count
        removeFirst()
        makeReady()
        return line
    }

    /// Lets a line go that has waited long enough for its barrier, and those behind it that wait for none.
    mutating func release() {
        guard case .line(let line, _)? = answers.first else { preconditionFailure("only a line is released") }
        answers[0] = .line(line, after: nil)
        makeReady()
    }

    /// Puts another in the place of the read whose turn has come.
    mutating func replaceRead(by request: Request, _ id: RequestID) {
        guard case .read? = answers.first else { preconditionFailure("only a read is replaced") }
        answers[0] = .read(request, id)
    }

    /// Takes the read out whose turn has come.
    mutating func removeRead() {
        hasRead = false
        removeFirst()
        makeReady()
    }

    /// Hands out the lines that are ready, all of them.
    mutating func takeReadyLines() -> ByteWriter {
        var lines = ByteWriter()
        swap(&lines, &ready)
        return lines
    }

    /// Takes back storage that was handed out, for the next lines; what was long does not stay.
    mutating func reuse(_ lines: consuming ByteWriter) {
        guard ready.count == 0, lines.capacity <= Self.capacityKept else { return }
        ready = lines
        ready.removeAll()
    }

    // MARK: Moving on

    /// Everything at the front that waits for nothing, up to a line that is sent alone.
    private mutating func makeReady() {
        while case .line(let line, nil)? = answers.first, line.count <= Self.lengthTogetherMax { move(line) }
    }

    private mutating func move(_ line: ByteWriter) {
        waitingLength -= line.count
        removeFirst()
        ready.append(line)
    }

    private mutating func removeFirst() {
        answers.removeFirst()
        departed += 1
    }

    private static func line(_ write: (inout ByteWriter) -> Void) -> ByteWriter {
        var writer = ByteWriter()
        write(&writer)
        return writer
    }
}
