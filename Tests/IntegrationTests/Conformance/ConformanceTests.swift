import Diffable
import Foundation
import TestSupport
import Testing

extension Integration {
    /// Random clients and random ends of the daemon, with every promise checked afterwards.
    ///
    /// `DIFFABLED_SOAK=600` runs for that many seconds (`make soak SECONDS=600`). `DIFFABLED_SEED` repeats a run, as far as the
    /// machine's timing permits.
    struct ConformanceTests {
        static let environment = ProcessInfo.processInfo.environment
        static let seconds = environment["DIFFABLED_SOAK"].flatMap { Double($0) } ?? 15
        static let seed =
            environment["DIFFABLED_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)

        @Test(.early) func `every promise is kept, whatever the clients do and however the daemon ends`() throws {
            print("conformance: DIFFABLED_SEED=\(Self.seed)")
            var random = SplitMix64(seed: Self.seed)
            let end = ContinuousClock.now + .seconds(Self.seconds)
            var tally = Tally()
            repeat {
                var history = try History(seed: random.next())
                try history.run(ends: true)
                let events = history.chronicle.events
                for promise in Promise.all {
                    let violations = promise.violations(events)
                    #expect(
                        violations.isEmpty,
                        "seed \(Self.seed), round \(tally.rounds + 1): \(promise.name): \(violations.prefix(3))")
                    if !violations.isEmpty { return }
                }
                tally.add(events, lives: history.numberOfLives)
                // An empty history keeps every promise. On a busy machine there is one run in that time.
            } while ContinuousClock.now < end || !tally.isOfEveryKind && tally.rounds < 10
            print("conformance: \(tally)")
            #expect(tally.isOfEveryKind, "\(tally)")
        }
    }
}

/// The number of events in all rounds, to prove that there was something to check.
struct Tally: CustomStringConvertible {
    private(set) var rounds = 0
    private var lives = 0
    private var acknowledged = 0
    private var repeated = 0
    private var groups = 0
    /// Updates of more than one transaction.
    private var coalesced = 0
    private var resumed = 0
    private var audited = 0
    private var moves = 0
    private var resets: [String: Int] = [:]
    private var snapshots = 0
    private var viewsSet = 0
    private var bookmarks = 0
    /// Updates of subscriptions with a `minInterval`.
    private var paced = 0
    private var leasesEnded = 0
    /// The updates and resumptions of the program that uses the package `diffable`.
    private var byPackage = (groups: 0, resumed: 0)
    /// Whether each kind of event occurred.
    var isOfEveryKind: Bool {
        [
            coalesced, resumed, audited, moves, snapshots, viewsSet, bookmarks, paced, leasesEnded, byPackage.groups,
            byPackage.resumed,
        ].allSatisfy { $0 > 0 }
    }

    mutating func add(_ events: [Chronicle.Event], lives: Int) {
        rounds += 1
        self.lives += lives
        for event in events {
            let isByPackage = event.client == History.packageSubscriber
            switch event.what {
            case .acknowledged(_, _, let isRepeated):
                acknowledged += 1
                if isRepeated { repeated += 1 }
            case .subscribed(_, let isResumed):
                if isResumed == true { resumed += 1 }
                if isResumed == true, isByPackage { byPackage.resumed += 1 }
            case .audited: audited += 1
            case .seen(let state, let cause, let moves):
                groups += 1
                if isByPackage { byPackage.groups += 1 }
                self.moves += moves?.made ?? 0
                switch cause {
                case .changes(let from): if state.name.revision - from > 1 { coalesced += 1 }
                case .reset(let reason): resets[reason, default: 0] += 1
                case .snapshot: snapshots += 1
                }
            case .viewSet: viewsSet += 1
            case .bookmarked: bookmarks += 1
            case .paced: paced += 1
            case .kept(let kept): if kept.origin.hasPrefix("lease ended") { leasesEnded += 1 }
            case .read, .refused, .misfit, .leased: break
            }
        }
    }

    var description: String {
        "\(rounds) rounds, \(lives) lives, \(acknowledged) answers (\(repeated) to what was sent again), \(groups) groups "
            + "(\(coalesced) of several transactions, resets: \(resets)), \(resumed) resumed, \(audited) audited, "
            + "\(moves) moves, \(snapshots) snapshots, \(viewsSet) views set, \(bookmarks) bookmarks, \(paced) groups "
            + "not too often, \(leasesEnded) leases ended; the Python client: \(byPackage.groups) groups, "
            + "\(byPackage.resumed) resumed"
    }
}
