import Diffable
import Foundation
import Synchronization

/// What happened, as the clients saw it: the events of one client in its order, and those of all in the order in which
/// they were noted.
///
/// Every transaction of a writer is its n-th, and leaves `{"n":n}` at the writer's mark: so whoever sees a state can
/// tell which transactions are in it, whatever else they did.
final class Chronicle: Sendable {
    struct Event: Sendable {
        var client: String
        /// Which of the daemon's lives the client was connected to: each ends with a kill or a stop.
        var life: Int
        var what: What
    }

    enum What: Sendable {
        /// The answer to a writer's transaction. `isRepeated`: the writer had sent it before, answered or not.
        case acknowledged(Transaction, Name, isRepeated: Bool)
        /// A transaction of which the writer knows that it is possible, or that it was made already.
        case refused(Transaction, error: String, isRepeated: Bool)
        /// The answer to `snapshot`. `begun`: how many events were noted when it was asked for.
        case read(State, begun: Int)
        /// What the daemon says a revision was, asked for after the client had made it of its groups.
        case audited(State)
        /// The answer to `subscribe`.
        case subscribed(since: Name?, isResumed: Bool?)
        /// A group of the subscription is complete.
        case seen(State, Replay.Cause, Moves?)
        /// What was sent does not fit what the client had.
        case misfit(String)
        /// `setView` is answered, and what was under way has come: the next group shows this view.
        case viewSet(String)
        /// A bookmark; nil before there is a list.
        case bookmarked(Name?)
        /// A group has come before the daemon was told to end: how many on this connection with it, so many milliseconds
        /// after they were asked for with this `minInterval`.
        case paced(groups: Int, milliseconds: Double, minInterval: Int)
        /// The answer to a transaction under a lease, which has put so many items there.
        case leased(lease: String, items: Int, Name)
        /// What the daemon says afterwards of a revision of the list that things are leased in.
        case kept(Kept)
    }

    struct Kept: Sendable {
        var name: Name
        /// Who made it, as history has it.
        var origin: String
        /// How many items there are by lease; those that nobody leases are under the empty name.
        var items: [String: Int]
    }

    /// A writer's n-th.
    struct Transaction: Hashable, Sendable, CustomStringConvertible {
        var writer: Int
        var number: Int

        var description: String { "transaction \(number) of writer \(writer)" }
    }

    struct Name: Hashable, Sendable, CustomStringConvertible {
        var epoch: String
        var revision: Int
        /// What of the list is shown, as JSON; empty for all of it.
        var view = ""

        var description: String {
            "revision \(revision) of epoch \(epoch)\(view.isEmpty ? "" : " through \(view)")"
        }
    }

    struct State: Sendable {
        var name: Name
        /// By writer, which transaction of it was the last; nil where the view does not show its mark.
        var numbers: [Int?]
        /// The same for the same state.
        var digest: UInt64
    }

    /// How many moves a group had, and how few there could have been.
    struct Moves: Equatable, Sendable {
        var made: Int
        var least: Int
    }

    private let noted = Mutex<[Event]>([])

    func note(_ event: Event) { noted.withLock { $0.append(event) } }

    var events: [Event] { noted.withLock { $0 } }
    var count: Int { noted.withLock { $0.count } }
}

extension Chronicle {
    static func mark(of writer: Int) -> ItemID { ItemID(stringLiteral: "writer \(writer)") }
}

extension Chronicle.State {
    /// Of canonical JSON, as the daemon writes a snapshot.
    init(json: [UInt8], _ name: Chronicle.Name, writers: Int) {
        self.name = name
        numbers = (0..<writers).map { Self.number(at: Chronicle.mark(of: $0), in: json) }
        digest = Self.digest(of: json)
    }

    /// Nil when there is no mark.
    private static func number(at mark: ItemID, in json: [UInt8]) -> Int? {
        let json = Data(json)
        guard let found = json.range(of: Data(#"{"id":"\#(mark)","content":{"n":"#.utf8)) else { return nil }
        return Int(String(decoding: json[found.upperBound...].prefix { 0x30...0x39 ~= $0 }, as: UTF8.self))
    }

    /// Over words of eight bytes, the last one filled with zeros; `follow.py` computes the same.
    static func digest(of json: [UInt8]) -> UInt64 {
        json.withUnsafeBytes { json in
            var digest = UInt64(json.count)
            var offset = 0
            while offset < json.count {
                var word: UInt64 = 0
                memcpy(&word, json.baseAddress! + offset, min(8, json.count - offset))
                digest = (digest ^ UInt64(littleEndian: word)) &* 0x9E37_79B9_7F4A_7C15
                digest ^= digest >> 29
                offset += 8
            }
            return digest
        }
    }
}

extension [Chronicle.Event] {
    /// Every state that anybody saw.
    var states: [Chronicle.State] { compactMap(\.state) }
}

extension Chronicle.Event {
    var state: Chronicle.State? {
        switch what {
        case .seen(let state, _, _), .read(let state, _), .audited(let state): state
        default: nil
        }
    }

    /// The state, if it is the daemon's own word and not what a client made of differences.
    var stateTold: Chronicle.State? {
        switch what {
        case .read(let state, _), .audited(let state), .seen(let state, .reset, _), .seen(let state, .snapshot, _):
            state
        default: nil
        }
    }
}
