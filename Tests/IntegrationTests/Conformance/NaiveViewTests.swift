import DiffableServer
import Foundation
import TestSupport
import Testing

extension Integration.ConformanceTests {
    /// Takes a fifth of the time of the other conformance test.
    @Test func `views show what a plain model of them shows`() throws {
        print("conformance of views: DIFFABLED_SEED=\(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        let end = ContinuousClock.now + .seconds(max(Self.seconds / 5, 4))
        var (rounds, groups, resumptions) = (0, 0, 0)
        repeat {
            rounds += 1
            let seed = random.next()
            // In every other round, everything possible runs in the background.
            let isLagging = rounds.isMultiple(of: 2)
            let daemon = try TestServer(turn: isLagging ? .none : IterationLimits())
            var round = try NaiveRound(daemon, isLagging: isLagging, seed: seed)
            do { try round.run(steps: 40) } catch {
                Issue.record("seed \(Self.seed), round \(rounds): \(error)")
                return
            }
            groups += round.groups
            resumptions += round.resumptions
            // On a busy machine there may be one round in that time.
        } while ContinuousClock.now < end || resumptions == 0 && rounds < 10
        print("conformance of views: \(rounds) rounds, \(groups) groups, \(resumptions) resumptions")
        #expect(groups > 20 && resumptions > 0)
    }
}

/// A list with one writer and some followers.
private struct NaiveRound {
    private let daemon: any Serving
    private let publisher: RawClient
    private var changes: NaiveChanges
    private var history: NaiveHistory
    private var viewers: [NaiveViewer] = []
    private var views: [String] = []
    var groups: Int { viewers.reduce(0) { $0 + $1.groups } }
    var resumptions: Int { viewers.reduce(0) { $0 + $1.resumptions } }

    init(_ daemon: any Serving, isLagging: Bool, seed: UInt64) throws {
        self.daemon = daemon
        publisher = try daemon.connect()
        changes = NaiveChanges(seed: seed)
        history = NaiveHistory(NaiveList())
        _ = try publisher.reply(
            to: #"{"id":1,"method":"createList","params":{"list":"naive","durability":"volatile"}}"#)
        for _ in 0..<3 { try change() }
        for _ in 0..<4 { views.append(changes.view()) }
        for number in 0..<9 {
            viewers.append(
                try NaiveViewer(
                    daemon, isLagging: isLagging, view(), form: ["operations", "snapshots", "patches"][number % 3],
                    minInterval: number < 6 ? nil : 20, history))
        }
    }

    /// Some views are equal.
    private mutating func view() -> String { changes.chance(60) ? changes.one(of: views) : changes.view() }

    private mutating func change() throws {
        let change = changes.next()
        let reply = try publisher.reply(
            to: #"{"id":1,"method":"transact","params":{"list":"naive","operations":\#(change.text)}}"#)
        if reply.contains(#""changed":false"#) { return }
        history.add(change)
        guard try NaiveJSON(reply)["result"]?["revision"]?.int == history.revision else { throw NaiveFailure(reply) }
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            for _ in 0..<changes.number(0..<3) { try change() }
            for viewer in viewers {
                do { try step(viewer) } catch { throw NaiveFailure("\(error)\n\(viewer.description)") }
            }
        }
    }

    private mutating func step(_ viewer: NaiveViewer) throws {
        if viewer.isAway {
            if changes.chance(40) { try viewer.comeBack(history, with: changes.chance(40) ? view() : nil) }
            return
        }
        if changes.chance(80) { try viewer.catchUp(history) }
        switch changes.number(0..<12) {
        case 0: viewer.leave()
        case 1:
            // Earlier changes are read first, so that it is clear in which view they appeared.
            try viewer.catchUp(history)
            try viewer.show((0..<(changes.chance(50) ? 1 : 4)).map { _ in view() }, history)
        case 2: if changes.chance(30) { try viewer.leave(after: (0..<3).map { _ in view() }, history) }
        default: break
        }
    }
}
