import Foundation
import TestSupport
import Testing

@testable import DiffableStore

/// Shared lists in virtual time with failures: `DIFFABLED_SEED` repeats a run.
struct SharingSimulationTests {
    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["DIFFABLED_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
    }

    private static let isSoak = ProcessInfo.processInfo.environment["DIFFABLED_SOAK"] == "1"

    private func run(seed: UInt64, hosts: Int, clients: Int, seconds: Int, _ fault: PlantedFault? = nil) -> [String] {
        let simulation = SharingSimulation(seed: seed, hosts: hosts, clients: clients, fault: fault)
        simulation.run(for: seconds * 1_000)
        // A host that lost etcd alone may answer a client only twice in that time.
        if fault == nil, hosts > 5 {
            #expect(simulation.answered > seconds, "hardly anything happened: DIFFABLED_SEED=\(seed)")
            #expect(simulation.leased > 0, "nothing was leased: DIFFABLED_SEED=\(seed)")
        }
        return simulation.checks.faults
    }

    @Test(arguments: [1, 2, 3, 5]) func `whatever goes wrong, a shared list keeps its promises`(hosts: Int) {
        for _ in 0..<(Self.isSoak ? 100 : 2) {
            let seed = Self.seed
            #expect(run(seed: seed, hosts: hosts, clients: 6, seconds: 20).isEmpty, "DIFFABLED_SEED=\(seed)")
        }
    }

    @Test func `many hosts share a list`() {
        let seed = Self.seed
        let faults = run(
            seed: seed, hosts: Self.isSoak ? 1_000 : 12, clients: Self.isSoak ? 50 : 16, seconds: Self.isSoak ? 20 : 5)
        #expect(faults.isEmpty, "DIFFABLED_SEED=\(seed)")
    }

    @Test(arguments: PlantedFault.allCases) func `a fault is found`(fault: PlantedFault) {
        // The number of attempts is random.
        let isFound = (0..<300).contains { _ in
            !run(seed: .random(in: 0...UInt64.max), hosts: 3, clients: 6, seconds: 20, fault).isEmpty
        }
        #expect(isFound)
    }
}
