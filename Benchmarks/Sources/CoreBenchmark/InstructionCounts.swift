import Instruments
import Diffable
import DiffableJSON
import DiffableProtocol

/// A few fixed workloads; Benchmarks/guard counts their instructions and compares them with the baseline.
enum InstructionCounts {
    static func run() throws {
        for size in [1_000, 100_000] {
            let list = try ListUnderTest(size: size)
            for workload in [ListWorkload.insert, .delete, .move, .reconfigure, .oneChangeApart] {
                let run = try workload.prepare(list)
                try count("\(workload.name), \(size) items", run)
            }
        }
        let lists = try UnrelatedLists.mixed(size: 10_000)
        count("difference, mix, 10000 items") { precondition(!lists.difference.isEmpty) }
        let line = TransactionLine()
        for (name, run) in line.workloads { try count(name) { for _ in 0..<1_000 { try run() } } }
        let content = try CheckedContent()
        for (name, run) in content.workloads { try count(name) { for _ in 0..<1_000 { try run() } } }
        try countTransactions(line)
    }

    /// Counts transactions on the same snapshot each time, because the id is part of the line.
    private static func countTransactions(_ line: TransactionLine) throws {
        let list = try ListUnderTest(size: 1_000)
        var framer = LineFramer()
        var sent = ByteWriter()
        try count("transaction from line to lines") {
            for _ in 0..<1_000 {
                _ = try line.carryOut(on: list.snapshot, &framer, &sent)
                sent.removeAll()
            }
        }
    }

    /// Counts a workload after running it once, so that one-time work such as making a hash key is not counted.
    private static func count(_ name: String, _ run: () throws -> Void) rethrows {
        try run()
        callgrindBegin()
        try run()
        callgrindEnd(name)
    }
}
