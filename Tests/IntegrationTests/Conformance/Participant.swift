import Diffable
import DiffableJSON
import DiffableProtocol
import Foundation

/// A participant in a history, with the properties that all its connections share.
struct Participant: Sendable {
    let name: String
    let list: String
    let lives: Lives
    let chronicle: Chronicle
    /// The number of writers, including the closing one.
    let writers: Int
    /// The requested view as JSON; empty for the whole list.
    var view = ""

    func note(_ what: Chronicle.What, in life: Int) {
        chronicle.note(Chronicle.Event(client: name, life: life, what: what))
    }

    func connect() throws -> Link? {
        try lives.connect().map { Link(of: self, $0, life: $1) }
    }

    /// Returns the answer to `snapshot`, now or for an earlier revision; nil without an answer.
    func state(on link: inout Link, at revision: Int? = nil, view: String? = nil) throws -> Chronicle.State? {
        try told(on: &link, at: revision, view: view)?.state
    }

    /// The same with its canonical JSON.
    func told(
        on link: inout Link, at revision: Int? = nil, view: String? = nil
    ) throws -> (state: Chronicle.State, json: [UInt8])? {
        let view = view ?? self.view
        let member = revision.map { #","at":\#($0)"# } ?? ""
        let request = #"{"id":1,"method":"snapshot","params":{"list":"\#(list)"\#(Link.viewMember(view))\#(member)}}"#
        guard case .result(let result)? = try link.answer(to: request) else { return nil }
        let read = try SnapshotResult(json: result)
        let name = Chronicle.Name(epoch: read.start.epoch, revision: read.start.revision, view: view)
        return (Chronicle.State(json: read.bytes, name, writers: writers), read.bytes)
    }
}

/// One connection of a participant, which may follow the list. Calls return nil or false when the connection is lost.
struct Link {
    let client: RawClient
    let life: Int
    private let participant: Participant
    private(set) var replay: Replay
    private(set) var isBroken = false
    private var subscription = 0
    /// The view that `replay` shows.
    private(set) var viewShown: String
    /// The view of the next update.
    private var viewNext: String
    /// The view after the open update.
    private var viewLater: String?

    enum Answer {
        case result([UInt8])
        case failure(WireError)
    }

    fileprivate init(of participant: Participant, _ client: RawClient, life: Int) {
        self.participant = participant
        self.client = client
        self.life = life
        replay = Replay()
        (viewShown, viewNext) = (participant.view, participant.view)
    }

    fileprivate static func viewMember(_ view: String) -> String { view.isEmpty ? "" : #","view":\#(view)"# }

    /// Follows the list, if possible from the state of an earlier connection.
    mutating func subscribe(from earlier: Replay = Replay(), view: String? = nil) throws -> Bool {
        replay = earlier
        replay.forgetParts()
        viewNext = view ?? participant.view
        viewShown = viewNext
        var members = Link.viewMember(viewNext)
        var since: Chronicle.Name?
        if let revision = earlier.revision {
            since = Chronicle.Name(epoch: earlier.epoch, revision: revision, view: viewNext)
            members += #","since":{"epoch":"\#(earlier.epoch)","revision":\#(revision)}"#
        }
        let list = participant.list
        let request = #"{"id":1,"method":"subscribe","params":{"list":"\#(list)"\#(members)}}"#
        switch try answer(to: request) {
        case .result(let result)?:
            let reply = try Reply.Subscribe(json: result)
            subscription = reply.subscription
            participant.note(.subscribed(since: since, isResumed: reply.isResumed), in: life)
            return true
        case .failure(let error)?: throw Failure("subscribe is refused: \(error.message)")
        case nil: return false
        }
    }

    /// Requests another view.
    mutating func setView(_ view: String) throws -> Bool {
        let request =
            #"{"id":1,"method":"setView","params":{"subscription":\#(subscription),"view":\#(view.isEmpty ? "{}" : view)}}"#
        switch try answer(to: request) {
        case .result?:
            // The open update is finished first.
            if replay.isWhole { turn(to: view) } else { viewLater = view }
            return true
        case .failure(let error)?: throw Failure("setView is refused: \(error.message)")
        case nil: return false
        }
    }

    private mutating func turn(to view: String) {
        viewNext = view
        viewLater = nil
        participant.note(.viewSet(view), in: life)
    }

    /// Returns the answer to a request with the id 1, and notes updates before it.
    mutating func answer(to request: String) throws -> Answer? {
        let bytes = Array("\(request)\n".utf8)
        guard try client.sendAsFarAsPossible(bytes) == bytes.count else { return nil }
        while let line = try client.line() {
            switch try Message(text: line) {
            case .result(_, let result): return .result(result)
            case .failure(_, let error):
                // It was not made, or the outcome is unknown, so it is sent again.
                if error.code == .shuttingDown || error.code == .storageFailed { return nil }
                return .failure(error)
            case let message:
                if try follow(message) == nil, isBroken { return nil }
            }
        }
        return nil
    }

    /// Waits for the next update.
    mutating func group() throws -> Replay.Group? {
        while !isBroken, let line = try client.line() {
            if let group = try follow(try Message(text: line)) { return group }
        }
        return nil
    }

    private mutating func follow(_ message: Message) throws -> Replay.Group? {
        if case .listDeleted = message { throw Failure("the list was deleted") }
        let group: Replay.Group?
        do { group = try replay.take(message) } catch {
            participant.note(.misfit("\(error)"), in: life)
            isBroken = true
            return nil
        }
        guard let group, let revision = replay.revision else { return nil }
        viewShown = viewNext
        let name = Chronicle.Name(epoch: replay.epoch, revision: revision, view: viewShown)
        let state = Chronicle.State(json: replay.snapshot.jsonBytes, name, writers: participant.writers)
        participant.note(.seen(state, group.cause, moves(of: group)), in: life)
        if let viewLater { turn(to: viewLater) }
        return group
    }

    /// Returns nil for a reset, which moves nothing.
    private func moves(of group: Replay.Group) -> Chronicle.Moves? {
        guard case .changes = group.cause else { return nil }
        let made = group.operations.count {
            switch $0 {
            case .moveItem, .moveSection: true
            default: false
            }
        }
        // Most updates move nothing, and computing the least number takes some time.
        return made == 0 ? nil : Chronicle.Moves(made: made, least: replay.snapshot.movesNeeded(from: group.old))
    }
}

extension Snapshot {
    /// Returns the least number of moves from an old state: all common elements except the longest runs of siblings that kept
    /// their order.
    func movesNeeded(from old: Snapshot) -> Int {
        let (before, after) = (Siblings(of: old), Siblings(of: self))
        var kept = Self.lengthOfIncreasingRun(sectionIdentifiers.compactMap(old.sectionIdentifiers.firstIndex))
        for (owner, items) in after.items {
            guard let earlier = before.items[owner] else { continue }
            let places = Dictionary(uniqueKeysWithValues: earlier.enumerated().map { ($1, $0) })
            kept += Self.lengthOfIncreasingRun(items.compactMap { places[$0] })
        }
        let sections = sectionIdentifiers.count { old.sectionIdentifiers.contains($0) }
        return sections + after.all.intersection(before.all).count - kept
    }

    private struct Siblings {
        var items: [String: [ItemID]] = [:]
        var all: Set<ItemID> = []

        init(of snapshot: Snapshot) {
            for section in snapshot.sections { add(section.items, of: "section \(section.id)") }
        }

        private mutating func add(_ siblings: [Item], of owner: String) {
            items[owner] = siblings.map(\.id)
            for item in siblings {
                all.insert(item.id)
                if !item.children.isEmpty { add(item.children, of: "item \(item.id)") }
            }
        }
    }

    /// Returns the length of the longest increasing subsequence, by patience sorting (M. L. Fredman, 1975).
    private static func lengthOfIncreasingRun(_ numbers: [Int]) -> Int {
        var ends: [Int] = []
        for number in numbers {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] < number { low = middle + 1 } else { high = middle }
            }
            if low == ends.count { ends.append(number) } else { ends[low] = number }
        }
        return ends.count
    }
}
