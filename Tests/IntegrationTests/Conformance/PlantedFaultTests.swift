import TestSupport
import Testing

extension Integration {
    /// Proves that the validators work: each injected fault of the daemon is caught by its validator.
    @Suite(.enabled(if: StorageFault.library != nil, "needs a C compiler, /usr/bin/cc"))
    struct PlantedFaultTests {
        @Test(.early, arguments: PlantedFault.allCases)
        func `a fault in the daemon is caught by the validator that is there for it`(fault: PlantedFault) throws {
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = SplitMix64(seed: seed)
            var caught: [String] = []
            // A fault needs a crash or a slow subscriber at the right moment, so it may take several rounds. A validator that
            // misses it misses it in all rounds.
            for round in 1...20 {
                var history = try History(seed: random.next(), transactions: 80, fault: fault)
                // A client may not get through; its events up to then are enough.
                try? history.run(ends: fault.needsEnds, within: 30)
                let events = history.chronicle.events
                caught = Promise.all.filter { !$0.violations(events).isEmpty }.map(\.name)
                if caught.contains(fault.promise.name) {
                    print("\(fault) is caught in round \(round): \(fault.promise.name)")
                    return
                }
            }
            Issue.record("seed \(seed): \(fault) is caught by no more than \(caught)")
        }
    }
}
