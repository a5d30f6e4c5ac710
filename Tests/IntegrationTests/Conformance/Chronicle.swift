import Diffable
import Foundation
import Synchronization

/// The events that clients saw: each client's in its order, and all in the order in which they were noted.
///
/// The n-th transaction of a writer leaves `{"n":n}` at the writer's mark, so each state shows which transactions it contains.
final class Chronicle: Sendable {
    struct Event: Sendable {
        var client: String
        /// The daemon's incarnation that the client was connected to; each ends with a kill or a stop.
        var life: Int
        var what: What
    }

    enum What: Sendable {
        /// The answer to a writer's transaction. `isRepeated`: the writer had sent it before, answered or not.
        case acknowledged(Transaction, Name, isRepeated: Bool)
        /// A refused transaction that the writer knows to be possible or already made.
        case refused(Transaction, error: String, isRepeated: Bool)
        /// The answer to `snapshot`. `begun`: the number of events noted before the request.
        case read(State, begun: Int)
        /// The daemon's state at a revision, requested after the client had derived it from updates.
        case audited(State)
        /// The answer to `subscribe`.
        case subscribed(since: Name?, isResumed: Bool?)
        /// An update of the subscription is complete.
        case seen(State, Replay.Cause, Moves?)
        /// An update does not fit the client's state.
        case misfit(String)
        /// `setView` is answered, and the open update is complete: the next update shows this view.
        case viewSet(String)
        /// A bookmark; nil before the list exists.
        case bookmarked(Name?)
        /// An update arrived before the daemon was asked to end: the number of updates on this connection, the milliseconds since
        /// the subscription, and its `minInterval`.
        case paced(groups: Int, milliseconds: Double, minInterval: Int)
        /// The answer to a transaction under a lease, with the number of items.
        case leased(lease: String, items: Int, Name)
        /// The daemon's later answer about a revision of the list with leases.
        case kept(Kept)
    }

    struct Kept: Sendable {
        var name: Name
        /// The author of the revision in the history.
        var origin: String
        /// The number of items by lease; items without a lease are under the empty name.
        var items: [String: Int]
    }

    /// A writer and the number of its transaction.
    struct Transaction: Hashable, Sendable, CustomStringConvertible {
        var writer: Int
        var number: Int

        var description: String { "transaction \(number) of writer \(writer)" }
    }

    struct Name: Hashable, Sendable, CustomStringConvertible {
        var epoch: String
        var revision: Int
        /// The view as JSON; empty for the whole list.
        var view = ""

        var description: String {
            "revision \(revision) of epoch \(epoch)\(view.isEmpty ? "" : " through \(view)")"
        }
    }

    struct State: Sendable {
        var name: Name
        /// The number of each writer's last transaction; nil if the view does not show its mark.
        var numbers: [Int?]
        /// A hash of the state.
        var digest: UInt64
    }

    /// The number of moves in an update, and the least possible number.
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
    /// Parses canonical JSON, as the daemon writes a snapshot.
    init(json: [UInt8], _ name: Chronicle.Name, writers: Int) {
        self.name = name
        numbers = (0..<writers).map { Self.number(at: Chronicle.mark(of: $0), in: json) }
        digest = Self.digest(of: json)
    }

    /// Returns the number at a mark; nil without the mark.
    private static func number(at mark: ItemID, in json: [UInt8]) -> Int? {
        let json = Data(json)
        guard let found = json.range(of: Data(#"{"id":"\#(mark)","content":{"n":"#.utf8)) else { return nil }
        return Int(String(decoding: json[found.upperBound...].prefix { 0x30...0x39 ~= $0 }, as: UTF8.self))
    }

    /// Hashes words of eight bytes, the last one filled with zeros; `follow.py` computes the same.
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
    /// Every state that a client saw.
    var states: [Chronicle.State] { compactMap(\.state) }
}

extension Chronicle.Event {
    var state: Chronicle.State? {
        switch what {
        case .seen(let state, _, _), .read(let state, _), .audited(let state): state
        default: nil
        }
    }

    /// The state, if the daemon sent it whole.
    var stateTold: Chronicle.State? {
        switch what {
        case .read(let state, _), .audited(let state), .seen(let state, .reset, _), .seen(let state, .snapshot, _):
            state
        default: nil
        }
    }
}
