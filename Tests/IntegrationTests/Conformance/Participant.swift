import Diffable
import DiffableJSON
import DiffableProtocol
import Foundation

/// Who takes part in a history, and what all of its connections have in common.
struct Participant: Sendable {
    let name: String
    let list: String
    let lives: Lives
    let chronicle: Chronicle
    /// How many there are, the closing one included.
    let writers: Int
    /// What it asks to see, as JSON; empty for all of the list.
    var view = ""

    func note(_ what: Chronicle.What, in life: Int) {
        chronicle.note(Chronicle.Event(client: name, life: life, what: what))
    }

    func connect() throws -> Link? {
        try lives.connect().map { Link(of: self, $0, life: $1) }
    }

    fileprivate var viewMember: String { view.isEmpty ? "" : #","view":\#(view)"# }

    /// What `snapshot` answers, now or of an earlier revision; nil when it does not.
    func state(on link: inout Link, at revision: Int? = nil) throws -> Chronicle.State? {
        let member = revision.map { #","at":\#($0)"# } ?? ""
        let request = #"{"id":1,"method":"snapshot","params":{"list":"\#(list)"\#(viewMember)\#(member)}}"#
        guard case .result(let result)? = try link.answer(to: request) else { return nil }
        let read = try SnapshotResult(json: result)
        let name = Chronicle.Name(epoch: read.start.epoch, revision: read.start.revision, view: view)
        return Chronicle.State(json: read.bytes, name, writers: writers)
    }
}

/// One connection of a participant, which may follow the list. Whatever a call gives, nil and false mean that the
/// connection is lost.
struct Link {
    let client: RawClient
    let life: Int
    private let participant: Participant
    private(set) var replay: Replay
    private(set) var isBroken = false

    enum Answer {
        case result([UInt8])
        case failure(WireError)
    }

    fileprivate init(of participant: Participant, _ client: RawClient, life: Int) {
        self.participant = participant
        self.client = client
        self.life = life
        replay = Replay()
    }

    /// Follows the list, from a state that an earlier connection came to, if there is one.
    mutating func subscribe(from earlier: Replay = Replay()) throws -> Bool {
        replay = earlier
        replay.forgetParts()
        var members = participant.viewMember
        var since: Chronicle.Name?
        if let revision = earlier.revision {
            since = Chronicle.Name(epoch: earlier.epoch, revision: revision, view: participant.view)
            members += #","since":{"epoch":"\#(earlier.epoch)","revision":\#(revision)}"#
        }
        let list = participant.list
        let request = #"{"id":1,"method":"subscribe","params":{"list":"\#(list)"\#(members)}}"#
        switch try answer(to: request) {
        case .result(let result)?:
            let isResumed = try Reply.Subscribe(json: result).isResumed
            participant.note(.subscribed(since: since, isResumed: isResumed), in: life)
            return true
        case .failure(let error)?: throw Failure("subscribe is refused: \(error.message)")
        case nil: return false
        }
    }

    /// Of a request with the id 1. What the subscription brings meanwhile is noted.
    mutating func answer(to request: String) throws -> Answer? {
        let bytes = Array("\(request)\n".utf8)
        guard try client.sendAsFarAsPossible(bytes) == bytes.count else { return nil }
        while let line = try client.line(within: 60) {
            switch try Message(text: line) {
            case .result(_, let result): return .result(result)
            case .failure(_, let error):
                // It was not made, or nobody knows: it is asked for again.
                if error.code == .shuttingDown || error.code == .storageFailed { return nil }
                return .failure(error)
            case let message:
                if try follow(message) == nil, isBroken { return nil }
            }
        }
        return nil
    }

    /// Waits for the next group.
    mutating func group() throws -> Replay.Group? {
        while !isBroken, let line = try client.line(within: 60) {
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
        let name = Chronicle.Name(epoch: replay.epoch, revision: revision, view: participant.view)
        let state = Chronicle.State(json: replay.snapshot.jsonBytes, name, writers: participant.writers)
        participant.note(.seen(state, group.cause, moves(of: group)), in: life)
        return group
    }

    /// Nil for a reset, which moves nothing.
    private func moves(of group: Replay.Group) -> Chronicle.Moves? {
        guard case .changes = group.cause else { return nil }
        let made = group.operations.count {
            switch $0 {
            case .moveItem, .moveSection: true
            default: false
            }
        }
        // Most groups move nothing, and it takes some time to say how few it could be.
        return made == 0 ? nil : Chronicle.Moves(made: made, least: replay.snapshot.movesNeeded(from: group.old))
    }
}

extension Snapshot {
    /// How few moves lead from an old state: of the things that both have, all but the longest runs of siblings that
    /// kept their order.
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

    /// The longest increasing subsequence, by patience (M. L. Fredman, 1975).
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
