import Diffable
import Synchronization

/// What happened, as the clients saw it; the events of one client in its order.
///
/// Every transaction of a writer is its n-th, and leaves `{"n":n}` at the writer's mark: so whoever sees a state can tell
/// which transactions are in it, whatever else they did.
final class Chronicle: Sendable {
    struct Event: Sendable {
        var client: String
        /// Which of the daemon's lives the client was connected to: each ends with a kill or a stop.
        var life: Int
        var what: What
    }

    enum What: Sendable {
        /// The answer to a writer's n-th transaction. `isRepeated`: it had been sent before and was not answered.
        case acknowledged(writer: Int, number: Int, epoch: String, revision: Int, isRepeated: Bool)
        /// A read.
        case read(State)
        /// The answer to `subscribe`.
        case subscribed(since: Name?, isResumed: Bool?)
        /// A group of the subscription is complete.
        case seen(State, Cause)
    }

    struct Name: Hashable, Sendable, CustomStringConvertible {
        var epoch: String
        var revision: Int

        var description: String { "revision \(revision) of epoch \(epoch)" }
    }

    struct State: Sendable {
        var name: Name
        /// By writer, which transaction of it was the last.
        var numbers: [Int]
        /// The same for the same state.
        var digest: Int
    }

    enum Cause: Sendable, Equatable {
        case reset(reason: String)
        case changes(from: Int)
    }

    private let noted = Mutex<[Event]>([])

    func note(_ event: Event) { noted.withLock { $0.append(event) } }

    var events: [Event] { noted.withLock { $0 } }
}

extension Chronicle.State {
    init(_ snapshot: Snapshot, epoch: String, revision: Int, writers: Int) {
        name = Chronicle.Name(epoch: epoch, revision: revision)
        numbers = (0..<writers).map { writer in
            let content = snapshot.item(Chronicle.mark(of: writer))?.content?.description ?? #"{"n":0}"#
            return Int(content.dropFirst(#"{"n":"#.count).dropLast()) ?? -1
        }
        var hasher = Hasher()
        hasher.combine(snapshot.json)
        digest = hasher.finalize()
    }
}

extension Chronicle {
    static func mark(of writer: Int) -> ItemID { ItemID(stringLiteral: "writer \(writer)") }
}
