import DequeModule
import Diffable
import DiffableProtocol
import NIOCore

/// The answers of one connection, in the order of its requests.
///
/// A mutation gets its place when it is handed to the store and its line when it is committed. A read is kept as it is
/// until everything before it is answered, so that it sees what the same client changed before.
struct Outbox {
    enum Answer {
        /// The store has not said yet.
        case awaited
        /// A whole line, empty for a request without an id.
        case line(ByteBuffer, after: Barrier?)
        /// A request that reads; it is carried out when its turn comes.
        case read(Request, RequestID)
    }

    /// A client's own changes arrive before the reply to the mutation that caused them.
    struct Barrier {
        let list: ListName
        let revision: Int
    }

    /// Names an answer's place for as long as it is awaited.
    struct Place: Sendable {
        fileprivate let number: Int
    }

    private var answers: Deque<Answer> = []
    /// How many have left.
    private var departed = 0
    /// Of the lines that wait, in bytes.
    private(set) var length = 0
    /// A connection has at most one read waiting: what follows it is not looked at before.
    private(set) var hasRead = false

    var isEmpty: Bool { answers.isEmpty }
    var count: Int { answers.count }
    var first: Answer? { answers.first }

    mutating func append(_ answer: Answer) {
        switch answer {
        case .read: hasRead = true
        case .line(let line, _): length += line.readableBytes
        case .awaited: break
        }
        answers.append(answer)
    }

    mutating func reserve() -> Place {
        answers.append(.awaited)
        return Place(number: departed + answers.count - 1)
    }

    mutating func fill(_ place: Place, with line: ByteBuffer, after barrier: Barrier?) {
        length += line.readableBytes
        answers[place.number - departed] = .line(line, after: barrier)
    }

    mutating func removeFirst() {
        switch answers.removeFirst() {
        case .read: hasRead = false
        case .line(let line, _): length -= line.readableBytes
        case .awaited: preconditionFailure("an answer leaves when it is known")
        }
        departed += 1
    }
}
