import DequeModule
import Diffable
import DiffableJSON
import DiffableProtocol

/// The answers of one connection, in the order of its requests.
///
/// A mutation reserves a place when it is passed to the store, and gets its line when it is committed. A read is kept
/// until everything before it is answered, so that it sees the client's earlier changes. Lines that no longer wait are
/// `ready`, in one buffer, so that any number of them costs one write.
struct Outbox {
    enum Pending {
        /// The store has not answered yet.
        case awaited
        case line(ByteWriter, after: Barrier?)
        /// A read request, carried out when it is first in line.
        case read(Request, RequestID)
    }

    /// A client's own changes arrive before the reply to the mutation that caused them.
    struct Barrier {
        let list: ListName
        /// The incarnation that the revision belongs to.
        let epoch: String
        let revision: Int
        /// The list's name before the request renamed it. Its followers see a deletion.
        var formerName: ListName?
        /// Whether to wait also for subscriptions with a `minInterval`.
        var includesPaced = false

        /// The revision that a subscription gets before the answer. Nil if the answer does not wait for it. With
        /// `.max`, the subscription follows a list that was created after the deletion, even in the same epoch.
        func revision(for name: ListName) -> Int? { name == list ? revision : name == formerName ? .max : nil }
    }

    /// Identifies an answer's place while it is awaited.
    struct Reservation: Sendable, Equatable {
        fileprivate let number: Int
    }

    /// The lines to send next.
    private var ready = ByteWriter()
    /// The answers after them; the first one is not ready.
    private var answers: Deque<Pending> = []
    /// The number of answers that were removed from `answers`.
    private var departed = 0
    /// The length of the lines in `answers`, in bytes.
    private var waitingLength = 0
    /// Whether a read is waiting. There is at most one, because later lines are not decoded, except those that can
    /// replace it.
    private(set) var hasRead = false

    var isEmpty: Bool { ready.count == 0 && answers.isEmpty }
    var hasReadyLines: Bool { ready.count > 0 }
    /// The number of answers that are not ready.
    var waitingCount: Int { answers.count }
    /// The length of all waiting lines, in bytes.
    var length: Int { ready.count + waitingLength }
    var first: Pending? { answers.first }

    /// In bytes. Longer lines are not merged with others.
    private static let lengthTogetherMax = UpdateRemainder.pageLength
    /// In bytes. A buffer of at most this capacity is reused.
    private static let capacityKept = 1 << 12

    /// Adds a line made by `write`, which makes none for a request without an id.
    mutating func append(_ write: (inout ByteWriter) -> Void) {
        if answers.isEmpty { return write(&ready) }
        let line = Self.line(write)
        waitingLength += line.count
        answers.append(.line(line, after: nil))
    }

    /// Adds a line without an order, before all that wait.
    mutating func appendUnordered(_ write: (inout ByteWriter) -> Void) { write(&ready) }

    /// Adds a read request, which waits for its place.
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

    /// Does the same with an existing line, which may be too long to copy.
    mutating func fill(_ place: Reservation, after barrier: Barrier?, with line: ByteWriter) {
        put(line, at: place.number - departed, after: barrier)
        makeReady()
    }

    private mutating func put(_ line: ByteWriter, at position: Int, after barrier: Barrier?) {
        waitingLength += line.count
        answers[position] = .line(line, after: barrier)
    }

    /// Takes the first line if it is too long to be merged with others.
    mutating func takeLongLine() -> ByteWriter? {
        guard case .line(let line, nil)? = answers.first else { return nil }
        waitingLength -= line.count
        removeFirst()
        makeReady()
        return line
    }

    /// Releases a line whose barrier is passed, and following lines without one.
    mutating func release() {
        guard case .line(let line, _)? = answers.first else { preconditionFailure("only a line is released") }
        answers[0] = .line(line, after: nil)
        makeReady()
    }

    mutating func replaceRead(by request: Request, _ id: RequestID) {
        guard case .read? = answers.first else { preconditionFailure("only a read is replaced") }
        answers[0] = .read(request, id)
    }

    mutating func removeRead() {
        hasRead = false
        removeFirst()
        makeReady()
    }

    mutating func takeReadyLines() -> ByteWriter {
        var lines = ByteWriter()
        swap(&lines, &ready)
        return lines
    }

    /// Takes back a buffer for reuse, unless it is long.
    mutating func reuse(_ lines: consuming ByteWriter) {
        guard ready.count == 0, lines.capacity <= Self.capacityKept else { return }
        ready = lines
        ready.removeAll()
    }

    // MARK: Moving on

    /// Makes everything at the front ready that does not wait, up to a line that is sent alone.
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
