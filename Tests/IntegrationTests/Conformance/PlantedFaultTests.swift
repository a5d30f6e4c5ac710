import TestSupport

#if DEBUG
    import Foundation
    import Testing

    extension Integration {
        /// That the validators would notice: a daemon with a fault in it is caught by the one that is there for it.
        struct PlantedFaultTests {
            struct Planted: CustomTestStringConvertible, Sendable {
                /// As in the daemon's `PlantedFault`.
                let fault: String
                let promise: Promise
                /// Whether it shows only when the daemon ends.
                var ends = false

                var testDescription: String { "\(fault): \(promise.name)" }
            }

            @Test(arguments: [
                Planted(fault: "dropsChange", promise: .noGap),
                Planted(fault: "swapsGroups", promise: .order),
                Planted(fault: "skipsCoalescedDelete", promise: .convergence),
                Planted(fault: "acknowledgesFirst", promise: .durableFirst, ends: true),
                Planted(fault: "reusesRevision", promise: .uniqueRevisions),
                Planted(fault: "appliesKeyTwice", promise: .exactlyOnce),
            ])
            func `a fault in the daemon is caught by the validator that is there for it`(planted: Planted) throws {
                let seed = UInt64.random(in: 0...UInt64.max)
                var random = SplitMix64(seed: seed)
                var caught: [String] = []
                // A fault takes a crash, or a slow subscriber, at the right moment: it need not show at once.
                for _ in 0..<5 {
                    var history = try History(
                        seed: random.next(), transactions: 80,
                        environment: ["DIFFABLED_PLANTED_FAULT": planted.fault])
                    // A client may not get through: what it saw up to then is enough.
                    try? history.run(ends: planted.ends)
                    let events = history.chronicle.events
                    caught = Promise.all.filter { !$0.violations(events).isEmpty }.map(\.name)
                    if caught.contains(planted.promise.name) { return }
                }
                Issue.record("seed \(seed): \(planted.fault) is caught by no more than \(caught)")
            }
        }
    }
#endif
