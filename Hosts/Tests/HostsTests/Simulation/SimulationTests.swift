import Foundation
import HostsSimulation
import SharedLog
import Testing

/// Some hosts in virtual time; `make simulate-hosts` has a thousand.
///
/// One run at a time, because other tests wait for a real etcd with real deadlines.
@Suite(.serialized) struct SimulationTests {
    private func settings(_ seed: UInt64) -> Simulation.Settings {
        var settings = Simulation.Settings()
        (settings.seed, settings.hosts, settings.users) = (seed, 20, 20)
        (settings.seconds, settings.swapsOfEach) = (12, 6)
        return settings
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func whateverGoesWrongEveryPromiseIsKept(_ seed: UInt64) async throws {
        let run = await SimulationRun(settings(seed))
        print("simulated with seed \(seed)")
        #expect(run.report.broken.isEmpty, "seed \(seed): \(run.report.broken)")
        let violations = try run.violations()
        #expect(violations.isEmpty, "seed \(seed): \(violations)")
        #expect(run.report.swapsUnderHarm > 20, "there was something to check")
    }

    @Test func aSeedRepeatsARun() async {
        var settings = settings(4)
        (settings.hosts, settings.users) = (8, 8)
        let (one, other) = (await SimulationRun(settings), await SimulationRun(settings))
        #expect(one.report.digest == other.report.digest)
        #expect(one.report.records == other.report.records)
        settings.seed = 5
        #expect(await SimulationRun(settings).report.digest != one.report.digest)
    }

    /// Each fault leads to its expected error.
    @Test(arguments: PlantedFault.allCases) func aMistakeIsFound(_ fault: PlantedFault) async throws {
        var settings = settings(6)
        (settings.hosts, settings.users, settings.fault) = (8, 16, fault)
        (settings.limits.batchesBetweenCheckpoints, settings.limits.batchesKept) = (10, 2)
        let run = await SimulationRun(settings)
        // The simulation's own findings need no checker.
        let said = fault.isSaid.hasPrefix("(") ? run.report.broken : try run.violations()
        #expect(said.contains { $0.contains(fault.isSaid) }, "\(fault): \(said)")
    }
}

extension PlantedFault {
    fileprivate var isSaid: String {
        switch self {
        case .swapWithoutCompare: "rewritten:"
        case .noTickets: "(starved)"
        case .noCatchUp: "(convergence)"
        case .oldCheckpoint: "checkpoint:"
        case .unsentIsDone: "lost:"
        case .keyForgotten: "other answer:"
        case .backwards: "backwards:"
        case .unanswered: "(no answer)"
        case .leaseForgotten: "(not quiet)"
        case .hostsUntold, .hostDenied: "(lease)"
        }
    }
}

/// A run and its records, which are deleted with it.
final class SimulationRun: Sendable {
    let report: SimulationReport
    private let path: String

    init(_ settings: Simulation.Settings) async {
        path = NSTemporaryDirectory() + "simulation-\(UUID().uuidString).jsonl"
        var settings = settings
        settings.path = path
        report = await Self.report(of: settings)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Runs on a thread that no test waits for.
    private static func report(of settings: Simulation.Settings) async -> SimulationReport {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Simulation(settings).run()) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Returns the violations that the checker of `make soak-hosts` finds in the records.
    func violations() throws -> [String] {
        let checker = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../soak").standardizedFileURL
        return try RecordsChecker(checker.path).violations(in: path)
    }
}
