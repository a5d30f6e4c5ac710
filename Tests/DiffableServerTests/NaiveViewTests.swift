import Foundation
import TestSupport
import Testing

@Suite struct `What a view shows` {
    /// The number of updates to check. `DIFFABLED_GROUPS=1000000` makes the run a long one.
    private static let groupsWanted =
        ProcessInfo.processInfo.environment["DIFFABLED_GROUPS"].flatMap { Int($0) } ?? 1_000

    /// Updates, resets and resumptions in every form, of random views and random changes.
    @Test func `is what a plain model of views shows, whatever happens`() {
        var random = SplitMix64()
        var (runs, groups, resumptions) = (0, 0, 0)
        let wanted = Self.groupsWanted
        while runs < 20 || (groups <= wanted || resumptions <= 100) && (runs < 100 || wanted > 1_000) {
            runs += 1
            let seed = random.next()
            do {
                // With many views of a list, they are not evaluated one by one, so some runs have many.
                let isCrowded = runs % 5 == 0
                let run = try NaiveRun(seed: seed, followers: isCrowded ? 40 : 5)
                try run.run(steps: isCrowded ? 15 : 40)
                groups += run.groups
                resumptions += run.resumptions
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
        print("a plain model of views: \(runs) runs, \(groups) groups, \(resumptions) resumptions")
        #expect(groups > wanted && resumptions > 100, "\(groups) groups, \(resumptions) resumptions")
    }

    /// Some faults show in a third of the runs, so many runs are tried.
    @Test(arguments: NaiveRun.Fault.allCases) func `is told apart from what was wrong once`(fault: NaiveRun.Fault) {
        var random = SplitMix64()
        for _ in 0..<400 {
            let seed = random.next()
            do { try NaiveRun(seed: seed, fault: fault).run(steps: 40) } catch {
                // The run fails only because of the fault.
                #expect(throws: Never.self) { try NaiveRun(seed: seed).run(steps: 40) }
                return
            }
        }
        Issue.record("seed \(random.seed): \(fault) is not noticed")
    }
}
