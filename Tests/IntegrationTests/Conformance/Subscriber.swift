import Diffable
import DiffableProtocol
import Foundation

/// Follows a list, through all lives of the daemon, and notes what it sees.
struct Subscriber {
    let name: String
    let list: String
    let lives: Lives
    let chronicle: Chronicle
    let writers: Int
    let habit: Habit

    enum Habit: Sendable {
        case reads
        /// Takes so many microseconds for a line.
        case dawdles(microseconds: UInt32)
        /// Stops reading for that long now and then.
        case stalls(microseconds: UInt32)
        /// Leaves after so many groups at most, and comes back.
        case leaves(groupsMax: Int)
    }

    /// Returns when the list has an item `end`.
    func run(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var mirror = Mirror()
        while let (client, life) = try lives.connect() {
            try subscribe(client, life, &mirror)
            var groupsLeft = Int.max
            if case .leaves(let max) = habit { groupsLeft = Int.random(in: 1...max, using: &random) }
            while groupsLeft > 0, let line = try client.line(within: 60) {
                pause(&random)
                guard let (state, cause) = try mirror.receive(line) else { continue }
                groupsLeft -= 1
                let seen = Chronicle.State(
                    state, epoch: mirror.epoch, revision: mirror.revision, writers: writers)
                chronicle.note(.init(client: name, life: life, what: .seen(seen, cause)))
                if state.contains("end" as ItemID) { return }
            }
            mirror.forgetParts()
        }
    }

    private func subscribe(_ client: RawClient, _ life: Int, _ mirror: inout Mirror) throws {
        let since = mirror.hasState ? Chronicle.Name(epoch: mirror.epoch, revision: mirror.revision) : nil
        let member = since.map { #","since":{"epoch":"\#($0.epoch)","revision":\#($0.revision)}"# } ?? ""
        _ = try client.sendAsFarAsPossible(
            Array("{\"id\":1,\"method\":\"subscribe\",\"params\":{\"list\":\"\(list)\"\(member)}}\n".utf8))
        guard let reply = try client.line(within: 60) else { return }
        guard case .result(_, let result) = try Array(reply.utf8).withUnsafeBytes({ try Message(line: $0) }) else {
            throw Failure("subscribe is answered by \(reply)")
        }
        let subscribed = try Reply.Subscribe(json: result)
        chronicle.note(
            .init(client: name, life: life, what: .subscribed(since: since, isResumed: subscribed.isResumed)))
    }

    private func pause(_ random: inout SplitMix64) {
        switch habit {
        case .reads, .leaves: break
        case .dawdles(let microseconds): usleep(microseconds)
        case .stalls(let microseconds): if random.next() % 200 == 0 { usleep(microseconds) }
        }
    }
}

/// What a subscriber makes of its lines.
struct Mirror {
    private(set) var epoch = ""
    private(set) var revision = 0
    private(set) var hasState = false
    private var snapshot = Snapshot()
    private var staged: Snapshot?

    /// The state and what led to it, when a group is complete.
    mutating func receive(_ line: String) throws -> (Snapshot, Chronicle.Cause)? {
        switch try Array(line.utf8).withUnsafeBytes({ try Message(line: $0) }) {
        case .reset(let reset):
            staged = try (staged ?? Snapshot()).applying(reset.operations)
            guard reset.part == .last else { return nil }
            epoch = reset.epoch
            return complete(at: reset.revision, .reset(reason: reset.reason))
        case .changes(let changes):
            staged = try (staged ?? snapshot).applying(changes.operations)
            guard changes.part == .last else { return nil }
            return complete(at: changes.revision, .changes(from: changes.from))
        case .listDeleted, .failure: throw Failure("a subscription ends with \(line)")
        case .result, .other: return nil
        }
    }

    /// The connection is lost: a group that is not complete never was.
    mutating func forgetParts() { staged = nil }

    private mutating func complete(at revision: Int, _ cause: Chronicle.Cause) -> (Snapshot, Chronicle.Cause) {
        snapshot = staged ?? snapshot
        staged = nil
        self.revision = revision
        hasState = true
        return (snapshot, cause)
    }
}
