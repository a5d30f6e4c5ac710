import ArgumentParser
import Foundation
import HostsSimulation

@main
struct SimulateHosts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate-hosts",
        abstract: "Simulates hosts that share a list, in a time of their own, and checks every promise.",
        discussion:
            "A seed repeats a run. Without --seed there are as many runs as --seeds says, each with its own seed.")

    @Option(help: "How many hosts there are.") var hosts = 1_000
    @Option(help: "How many runs, if no seed is given.") var seeds = 3
    @Option(help: "Repeats the run of that seed.") var seed: UInt64?
    @Option(help: "For how many seconds of the simulation things go wrong.") var seconds = 10
    @Option(help: "How many users there are.") var users: Int?
    @Option(help: "How many hosts write at once in the end.") var crowd: Int?
    @Option(help: "How many swaps there are then for each of them.") var swaps = 10
    @Flag(help: "Nothing goes wrong.") var unharmed = false
    @Option(help: "A mistake made on purpose: \(PlantedFault.allCases.map(\.rawValue).joined(separator: ", ")).")
    var fault: String?
    @Option(help: "The checker of the records.") var checker = "Hosts/soak"
    @Flag(help: "Keeps the records also of what went well.") var keep = false

    mutating func run() throws {
        let all = seed.map { [$0] } ?? (0..<seeds).map { _ in UInt64.random(in: 0..<1 << 32) }
        var failed: [UInt64] = []
        for seed in all where try !simulate(seed) { failed.append(seed) }
        if failed.isEmpty { return }
        print("simulate-hosts: a promise was broken; repeat it with HOSTS=\(hosts) SEED=\(failed[0])")
        throw ExitCode.failure
    }

    /// Returns whether every promise was kept.
    private func simulate(_ seed: UInt64) throws -> Bool {
        var settings = Simulation.Settings()
        (settings.seed, settings.hosts, settings.seconds) = (seed, hosts, seconds)
        settings.users = users ?? min(hosts, 60)
        settings.crowd = crowd ?? min(hosts, 30)
        settings.swapsOfEach = swaps
        settings.harm = !unharmed
        if let fault {
            guard let planted = PlantedFault(rawValue: fault) else {
                throw ValidationError("there is no fault \(fault)")
            }
            settings.fault = planted
        }
        let path = NSTemporaryDirectory() + "simulate-hosts-\(seed).jsonl"
        settings.path = path
        print("simulate-hosts: seed \(seed), \(hosts) hosts, \(settings.users) users")
        let start = Date()
        let report = Simulation(settings).run()
        let simulated = Date().timeIntervalSince(start)
        let crowd = report.crowd
        print(
            """
              \(report.batches) batches, revision \(report.revision), \(report.virtualSeconds) s in \(Int(simulated)) s; \
            all the same \(report.settling / 1_000) ms after what went wrong; \(crowd.hosts) hosts at once: \
            \(crowd.swaps) swaps in \(crowd.time / 1_000) ms, \(crowd.least) to \(crowd.most) each, the longest \
            \(crowd.longest / 1_000) ms, \(crowd.unreached) unreachable; a host's leases end \(report.leaseEnd / 1_000) ms after it; for each swap \(crowd.eachSwap); \
            nobody asks: \(report.quietly); the leader dies: \(report.whenTheLeaderDies); \
            \(report.keys) keys of \(report.length) bytes; digest \(String(report.digest, radix: 16))
            """)
        for (text, count) in report.said.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(5) {
            print("  \(count) times: \(text)")
        }
        for sentence in report.broken { print("  \(sentence)") }
        let violations = try RecordsChecker(checker).violations(in: path)
        for violation in violations { print(violation) }
        let isRight = violations.isEmpty && report.broken.isEmpty
        if isRight, !keep { try FileManager.default.removeItem(atPath: path) } else { print("  records: \(path)") }
        return isRight
    }
}
