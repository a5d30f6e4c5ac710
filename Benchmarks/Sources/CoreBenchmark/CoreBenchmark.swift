import Diffable
import Glibc

/// What one operation costs in lists of growing size, as ratios to the smallest: they should stay flat.
///
/// All sizes are measured in turn, round by round, so that a disturbance of the machine meets them alike; the medians
/// of the rounds are compared. Absolute times depend on the machine and are shown for orientation.
@main
struct CoreBenchmark {
    static let sizes = [1_000, 10_000, 100_000, 1_000_000]
    static let rounds = 7
    static let repetitions = 2_000

    static func main() throws {
        var lists: [ListUnderTest] = []
        for size in sizes { lists.append(try ListUnderTest(size: size)) }
        var times: [String: [Int: [Double]]] = [:]
        for _ in 0..<rounds {
            for (name, run) in Workload.all {
                for list in lists {
                    let time = try measure { try run(list, repetitions) }
                    times[name, default: [:]][list.size, default: []].append(time / Double(repetitions))
                }
            }
        }
        report(Workload.all.map(\.name), times)
    }

    private static func measure(_ body: () throws -> Void) rethrows -> Double {
        let start = processorTime
        try body()
        return processorTime - start
    }

    /// Of this thread, in nanoseconds: what others do on the machine counts less in it than in the time on the wall.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private static func report(_ names: [String], _ times: [String: [Int: [Double]]]) {
        print("processor time of one operation, median of \(rounds) interleaved rounds of \(repetitions), in ns")
        print(row("", sizes.map { "\($0)" }, "largest : smallest"))
        for name in names {
            let medians = sizes.map { median(times[name]?[$0] ?? []) }
            let ratio = (medians.last ?? 0) / (medians.first ?? 1)
            print(row(name, medians.map { "\(Int($0))" }, "\((ratio * 100).rounded() / 100)"))
        }
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }

    private static func row(_ name: String, _ cells: [String], _ last: String) -> String {
        padded(name, 34) + cells.map { padded($0, 10) }.joined() + last
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

/// A list of one section whose ids are known, with a shuffled choice of them.
struct ListUnderTest {
    let size: Int
    let snapshot: Snapshot
    let ids: [ItemID]
    let section: SectionID = "section"

    init(size: Int) throws {
        self.size = size
        let content = Content(Array(#"{"text":"\#(String(repeating: "x", count: 88))"}"#.utf8))
        let ids = try (0..<size).map { try ItemID(Self.name($0)) }
        self.ids = ids.shuffled()
        snapshot = try Snapshot([Section(id: "section", items: ids.map { Item(id: $0, content: content) })])
    }

    /// Of 16 bytes.
    static func name(_ number: Int) -> String {
        let digits = String(number)
        return "item-" + String(repeating: "0", count: 11 - digits.count) + digits
    }
}

/// What is measured. Each operation makes a new snapshot while the one before it is still held, as in the daemon.
enum Workload {
    typealias Run = @Sendable (ListUnderTest, Int) throws -> Void

    static let all: [(name: String, run: Run)] = [
        ("insert", insert),
        ("delete", delete),
        ("move", move),
        ("reconfigure", reconfigure),
        ("index of id", indexOfID),
        ("id at index", idAtIndex),
        ("insert and difference", insertAndDifference),
    ]

    @Sendable private static func insert(_ list: ListUnderTest, _ count: Int) throws {
        var snapshot = list.snapshot
        for number in 0..<count {
            let item = Item(id: try ItemID(ListUnderTest.name(10_000_000 + number)))
            snapshot = try snapshot.applying([.insertItems([item], at: .after(list.id(number)))])
        }
    }

    @Sendable private static func delete(_ list: ListUnderTest, _ count: Int) throws {
        // No more than half of the list, so that the smallest stays a list; then from the beginning again.
        var snapshot = list.snapshot
        for number in 0..<count {
            if number % (list.size / 2) == 0 { snapshot = list.snapshot }
            snapshot = try snapshot.applying([.deleteItems([list.id(number % (list.size / 2))])])
        }
    }

    @Sendable private static func move(_ list: ListUnderTest, _ count: Int) throws {
        var snapshot = list.snapshot
        for number in 0..<count {
            snapshot = try snapshot.applying([.moveItem(list.id(number), to: .after(list.id(number + 1)))])
        }
    }

    @Sendable private static func reconfigure(_ list: ListUnderTest, _ count: Int) throws {
        var snapshot = list.snapshot
        let content = Content(Array("true".utf8))
        for number in 0..<count {
            snapshot = try snapshot.applying([
                .reconfigureItems([ItemReconfiguration(id: list.id(number), content: content)])
            ])
        }
    }

    @Sendable private static func indexOfID(_ list: ListUnderTest, _ count: Int) {
        var sum = 0
        for number in 0..<count { sum += list.snapshot.index(ofItem: list.id(number)) ?? 0 }
        precondition(sum > 0)
    }

    @Sendable private static func idAtIndex(_ list: ListUnderTest, _ count: Int) {
        for number in 0..<count {
            let index = number * 7_919 % list.size
            precondition(list.snapshot.itemIdentifier(at: index, inSection: list.section) != nil)
        }
    }

    @Sendable private static func insertAndDifference(_ list: ListUnderTest, _ count: Int) throws {
        for number in 0..<count {
            let item = Item(id: try ItemID(ListUnderTest.name(10_000_000 + number)))
            let next = try list.snapshot.applying([.insertItems([item], at: .after(list.id(number)))])
            precondition(next.difference(from: list.snapshot).count == 1)
        }
    }
}

extension ListUnderTest {
    func id(_ number: Int) -> ItemID { ids[number % size] }
}
