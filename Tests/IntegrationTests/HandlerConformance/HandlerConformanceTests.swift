import Foundation
import TestSupport
import Testing

extension Integration {
    /// Random callers and handlers, with every promise of the page checked afterwards.
    ///
    /// `DIFFABLED_SOAK=600` runs for that many seconds (`make soak SECONDS=600`). `DIFFABLED_SEED` repeats a run, as far as the
    /// machine's timing permits.
    struct HandlerConformanceTests {
        private static let seconds = ConformanceTests.environment["DIFFABLED_SOAK"].flatMap { Double($0) } ?? 8
        private static let seed = ConformanceTests.seed

        @Test func `every promise is kept, whatever askers and handlers do and however they end`() throws {
            print("handlers: DIFFABLED_SEED=\(Self.seed)")
            var random = SplitMix64(seed: Self.seed)
            let end = ContinuousClock.now + .seconds(Self.seconds)
            var tally = HandlerTally()
            repeat {
                let history = try HandlerHistory(seed: random.next())
                try history.run(steps: 600)
                let facts = HandlerFacts(history)
                for promise in HandlerPromise.all {
                    let violations = promise.violations(facts)
                    #expect(
                        violations.isEmpty,
                        "seed \(Self.seed), round \(tally.rounds + 1): \(promise.name): \(violations.prefix(3))")
                    if !violations.isEmpty { return }
                }
                tally.add(facts)
                // Rare events happen about once in a round: three rounds are usually enough, and sixteen always.
            } while ContinuousClock.now < end || tally.rounds < 3 || !tally.missing.isEmpty && tally.rounds < 16
            print("handlers: \(tally)")
            // An empty history keeps every promise.
            #expect(tally.missing.isEmpty, "\(tally.missing) never came about: \(tally)")
        }

        @Test(arguments: HandlerFault.allCases)
        func `a fault in the daemon is caught by the promise that it breaks`(fault: HandlerFault) throws {
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = SplitMix64(seed: seed)
            var caught: Set<String> = []
            // A fault needs a suitable request at the right moment, so it may take several rounds. A promise that misses it
            // misses it in all rounds.
            for _ in 1...20 {
                let history = try HandlerHistory(seed: random.next(), fault: fault)
                // A client may not get through; its events up to then are enough.
                try? history.run(steps: 400)
                let facts = HandlerFacts(history)
                caught.formUnion(HandlerPromise.all.filter { !$0.violations(facts).isEmpty }.map(\.name))
                if caught.contains(fault.promise.name) { return }
            }
            Issue.record("seed \(seed): \(fault) is caught by no more than \(caught.sorted())")
        }
    }
}

/// The number of events in all rounds, to prove that there was something to check.
private struct HandlerTally: CustomStringConvertible {
    private(set) var rounds = 0
    private var counts: [String: Int] = [:]

    private static let wanted = [
        "perform: done", "propose: done", "expand: done", "perform: refused", "propose: refused", "perform: noHandler",
        "perform: handlerTimedOut", "propose: handlerTimedOut", "expand: handlerTimedOut", "perform: handlerLost",
        "propose: handlerLost", "perform: tooLarge", "propose: revisionMismatch", "requests", "cancelled", "ended",
        "answers in vain", "other operations", "asked by itself", "shared", "half-closed", "closed",
    ]

    var missing: [String] { Self.wanted.filter { counts[$0] == nil } }

    private mutating func count(_ name: String) { counts[name, default: 0] += 1 }

    mutating func add(_ facts: HandlerFacts) {
        rounds += 1
        for asked in facts.asks {
            guard let reply = facts.reply(to: asked.sent.id)?.reply else { continue }
            count("\(asked.ask.subject.kind): \(reply.errorName ?? "done")")
        }
        let kinds = Dictionary(grouping: facts.asks, by: \.sent.id)
        for notified in facts.notices {
            count("requests")
            if let tag = notified.notice.tag, kinds[tag]?.first?.sent.connection == notified.connection {
                count("asked by itself")
            }
        }
        for answers in facts.answers.values {
            for answered in answers {
                if !facts.isAccepted(answered) { count("answers in vain") }
                if answered.verdict == .instead { count("other operations") }
            }
        }
        for event in facts.events {
            switch event.what {
            case .cancelled: count("cancelled")
            case .ended: count("ended")
            case .finished: count("half-closed")
            case .closed: count("closed")
            default: break
            }
        }
        countShared(facts)
    }

    /// Counts requests that shared one handler request: they were answered at the same moment about the same item.
    private mutating func countShared(_ facts: HandlerFacts) {
        let expansions = facts.asks.filter { if case .expand = $0.ask.subject { true } else { false } }
        for notified in facts.notices where notified.notice.item != nil {
            guard let answered = facts.verdict(on: notified), facts.isAccepted(answered) else { continue }
            let sharing = expansions.count { asked in
                guard let reply = facts.reply(to: asked.sent.id) else { return false }
                return asked.ask.subject == .expand(item: notified.notice.item ?? "")
                    && asked.ask.list == notified.notice.list && asked.sent.place < answered.sent.place
                    && reply.place > answered.sent.place
            }
            if sharing > 1 { count("shared") }
        }
    }

    var description: String {
        "\(rounds) rounds, " + counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
