import Foundation

/// The lines that clients sent and read, in the order of the single thread. So a line sent after reading another one was sent
/// after the daemon had written that one.
struct HandlerRecord {
    struct Event {
        let connection: Int
        let time: ContinuousClock.Instant
        let what: What
    }

    enum What {
        /// A request with an id that is unique in the record.
        case sent(id: Int, Request)
        case replied(id: Int, Reply)
        /// A handler gets a request; `tag` is the id of the caller's request, found in its arguments.
        case notified(Notice)
        case cancelled(request: Int)
        /// A handler is notified of its end.
        case ended(handler: Int)
        /// A subscription without a view shows this revision.
        case shown(list: String, revision: Int)
        /// The client closed its connection.
        case closed
        /// The client finished sending.
        case finished
        /// The daemon ended the connection.
        case atEnd
    }

    enum Request {
        case ask(Ask)
        case handle(Registration)
        case unhandle(Int)
        case answer(request: Int, Verdict)
        /// A handler's transaction for the request with this number.
        case work(list: String, for: Int)
        case deletion(list: String)
        case other
    }

    enum Subject: Hashable {
        case perform(action: String)
        case propose
        case expand(item: String)

        var kind: String {
            switch self {
            case .perform: "perform"
            case .propose: "propose"
            case .expand: "expand"
            }
        }
    }

    struct Ask {
        let list: String
        let subject: Subject
        let milliseconds: Int
        /// Whether it names a revision that may be outdated.
        let hasRevision: Bool
    }

    struct Registration {
        let list: String
        let kinds: Set<String>
        /// The actions; nil for all.
        let actions: [String]?
        let replaces: Bool

        func answers(_ ask: Ask) -> Bool {
            guard list == ask.list, kinds.contains(ask.subject.kind) else { return false }
            if case .perform(let action) = ask.subject, let actions { return actions.contains(action) }
            return true
        }

        /// Whether both handle the same request, which only one handler may do at a time.
        func overlaps(with other: Registration) -> Bool {
            guard list == other.list else { return false }
            let common = kinds.intersection(other.kinds)
            if common != ["perform"] { return !common.isEmpty }
            guard let actions, let others = other.actions else { return true }
            return !Set(actions).isDisjoint(with: others)
        }
    }

    enum Verdict: Equatable {
        case consent
        case refusal
        /// Other operations instead of a proposal.
        case instead
    }

    enum Reply {
        case result(ReadLine.Result)
        case failure(ReadLine.Refusal)

        var errorName: String? { if case .failure(let failure) = self { failure.data?.name ?? "" } else { nil } }
    }

    struct Notice {
        let handler: Int
        let request: Int
        let list: String
        let kind: String
        let item: String?
        let revision: Int?
        /// The id of the perform or the proposal; nil for a request that several callers may share.
        let tag: Int?
    }

    private(set) var events: [Event] = []
    /// The habits of each connection.
    private(set) var habits: [Int: HandlerPeer.Habit] = [:]

    mutating func note(_ habit: HandlerPeer.Habit, of connection: Int) { habits[connection] = habit }

    mutating func note(_ what: What, on connection: Int) {
        events.append(Event(connection: connection, time: .now, what: what))
    }
}

/// The members of a line that these tests need.
struct ReadLine: Decodable {
    var id: Int?
    var method: String?
    var params: Parameters?
    var result: Result?
    var error: Refusal?

    struct Parameters: Decodable {
        var handler: Int?
        var request: Int?
        var list: String?
        var kind: String?
        var item: String?
        var revision: Int?
        var arguments: Tag?
        var operations: [Operation]?
        var more: Bool?
    }

    struct Result: Decodable {
        var list: String?
        var handler: Int?
        var request: Int?
        var revision: Int?
        var oldest: Int?
        var connections: Int?
        var result: Tag?
        var operations: [Operation]?
        var revisions: [Revision]?
    }

    struct Refusal: Decodable {
        struct About: Decodable {
            var name: String?
            var limit: String?
        }
        var message: String
        var data: About?
    }

    struct Operation: Decodable {
        struct Item: Decodable {
            var id: String
            /// The content; nil unless it is an object of these tests.
            var content: Tag?
        }
        var op: String
        var items: [Item]?
        var parent: String?

        private enum Key: CodingKey { case op, items, parent }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            op = try members.decode(String.self, forKey: .op)
            // `deleteItems` has ids there.
            items = try? members.decode([Item].self, forKey: .items)
            parent = try members.decodeIfPresent(String.self, forKey: .parent)
        }
    }

    struct Revision: Decodable {
        struct Client: Decodable { var name: String? }
        var revision: Int
        var name: String?
        var handler: Client?
    }

    /// A unique mark in arguments, results and contents.
    struct Tag: Decodable {
        var tag: Int
        /// Whether a handler had it applied instead of a proposal.
        var instead: Bool?
    }

    init(_ line: String) throws {
        do { self = try JSONDecoder().decode(ReadLine.self, from: Data(line.utf8)) } catch {
            throw Failure("\(line.prefix(500)) is not read: \(error)")
        }
    }
}
