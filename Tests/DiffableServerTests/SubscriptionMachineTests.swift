import TestSupport
import Testing

@testable import DiffableServer

@Suite struct `A subscription` {
    @Test func `keeps its promises, whatever happens in whatever order`() {
        var random = SplitMix64()
        var lines = 0
        for _ in 0..<4_000 {
            let seed = random.next()
            let run = SubscriptionRun(seed: seed)
            do {
                try run.run(events: 80)
                try run.finish()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
            lines += run.lines
        }
        #expect(lines > 20_000)
    }
}
