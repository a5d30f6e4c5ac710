import Instruments
import Diffable
import Glibc

/// Measures the core, with lists of growing size, and compares it with alternatives.
///
///     CoreBenchmark [--rounds N] [--items-max N]       one JSON object a line, for Benchmarks/harness
///     valgrind --tool=callgrind --instr-atstart=no CoreBenchmark --count     for Benchmarks/guard
///
/// Compared candidates are measured in turn, round by round, so that a disturbance of the machine affects all of them.
@main
struct CoreBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.contains("--count") {
            guard callgrindIsCounting() != 0 else { return stop("--count is for valgrind --tool=callgrind") }
            return try InstructionCounts.run()
        }
        let sizes = [1_000, 10_000, 100_000, 1_000_000].filter { $0 <= number(after: "--items-max", arguments, .max) }
        let rounds = number(after: "--rounds", arguments, 5)
        try measureOperations(sizes: sizes, rounds: rounds)
        try measureText(sizes: sizes, rounds: rounds)
        try measureUnrelated(sizes: sizes, rounds: rounds)
        if let size = sizes.last { try measureMemory(size: size) }
    }

    private static func number(after name: String, _ arguments: [String], _ standard: Int) -> Int {
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return standard }
        return Int(arguments[index + 1]) ?? standard
    }

    private static func stop(_ message: String) {
        print(message)
        exit(64)
    }

    // MARK: -

    private static func measureOperations(sizes: [Int], rounds: Int) throws {
        let lists = try sizes.map { try ListUnderTest(size: $0) }
        for round in 0..<rounds {
            for workload in ListWorkload.all {
                for list in lists {
                    let run = try workload.prepare(list)
                    let time = try processorTime(of: run) / Double(workload.repetitions)
                    Measurement(workload.name, items: list.size, round: round, nanoseconds: time).print()
                }
            }
        }
    }

    private static func measureText(sizes: [Int], rounds: Int) throws {
        let line = TransactionLine()
        for round in 0..<rounds {
            for (name, run) in line.workloads {
                let time = try processorTime { for _ in 0..<10_000 { try run() } } / 10_000
                Measurement(name, items: 1, round: round, nanoseconds: time).print()
            }
        }
        for size in sizes {
            let list = try ListUnderTest(size: size)
            let text = WrittenSnapshot(list.snapshot), stored = StoredSnapshot(list.snapshot)
            for round in 0..<rounds {
                // A short list is written several times, so that the time is measurable.
                let times = max(1, 100_000 / size), count = Double(times * size)
                for (name, run) in [
                    ("snapshot to operations as bytes, an item", { _ = WrittenSnapshot(list.snapshot) }),
                    ("operations as bytes to snapshot, an item", { _ = try text.snapshot() }),
                    ("checkpoint to snapshot, an item", { _ = try stored.snapshot() }),
                ] as [(String, () throws -> Void)] {
                    let time = try processorTime { for _ in 0..<times { try run() } } / count
                    Measurement(name, items: size, round: round, nanoseconds: time).print()
                }
            }
        }
    }

    private static func measureUnrelated(sizes: [Int], rounds: Int) throws {
        for size in sizes {
            for (name, lists) in [
                ("mix", try UnrelatedLists.mixed(size: size)), ("shuffled", try UnrelatedLists.shuffled(size: size)),
            ] {
                Measurement.printMoves("difference, \(name)", items: size, lists.moves)
                for round in 0..<rounds {
                    for (engine, run) in lists.engines(for: name) {
                        let times = max(1, 10_000 / size)
                        let time = processorTime { for _ in 0..<times { run() } } / Double(times)
                        Measurement("difference, \(name)", engine, items: size, round: round, nanoseconds: time).print()
                    }
                }
            }
        }
    }

    /// Measures a list's overhead besides the bytes of ids and contents, and the real and the counted size of one more version.
    private static func measureMemory(size: Int) throws {
        let text = try written(size: size)
        let before = bytesInUse()
        let snapshot = try text.snapshot()
        let whole = withExtendedLifetime(text) { bytesInUse() } - before
        Measurement.printBytes("an item", items: size, Double(whole) / Double(size) - ListUnderTest.bytesPerItem)
        let list = ListUnderTest(of: snapshot, size: size)
        var versions: [Snapshot] = [snapshot]
        let count = 1_000
        versions.reserveCapacity(count + 1)
        let held = bytesInUse()
        for number in 0..<count { versions.append(try list.inserting(number, into: versions[number])) }
        Measurement.printBytes("a version", items: size, Double(bytesInUse() - held) / Double(count))
    }

    /// Not inlined, so that the list is freed before the measurement.
    @inline(never)
    private static func written(size: Int) throws -> WrittenSnapshot {
        WrittenSnapshot(try ListUnderTest(size: size).snapshot)
    }
}
