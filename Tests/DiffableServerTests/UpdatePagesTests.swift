import Diffable
import DiffableJSON
import DiffableProtocol
import TestSupport
import Testing

@testable import DiffableServer

/// Readers take the rest of updates at different speeds.
@Suite struct `The pages of an update` {
    private static let items = 300
    private let snapshot: Snapshot

    init() throws {
        let items = try (0..<Self.items).map { number in
            Item(id: try ItemID("i\(number)"), content: Content(Array("\(number * 7919)".utf8)))
        }
        snapshot = try Snapshot([Section(id: "s", items: items)])
    }

    /// A writer of lines with a hundred bytes or more.
    private var writer: NotificationWriter {
        NotificationWriter(resetOf: "l", epoch: "e", revision: 1, reason: .initial, snapshot: snapshot)
    }

    private static let lineLengthMax = 1_024

    /// Returns the lines for a subscriber that shares with no other.
    private func alone(_ subscription: Int) -> [[UInt8]] {
        var (writer, lines) = (writer, [[UInt8]]())
        while true {
            var line = ByteWriter()
            NotificationWriter.writePrefix(writer.method, subscription: subscription, into: &line)
            let progress = writer.writeRest(into: &line, lineLengthMax: Self.lineLengthMax)
            lines.append(line.bytes)
            if progress == .done { return lines }
        }
    }

    private final class Reader {
        let subscription: Int
        var rest: UpdateRemainder?
        var pages: [[UInt8]] = []

        init(_ subscription: Int, _ rest: UpdateRemainder) {
            self.subscription = subscription
            self.rest = rest
        }

        func take(from pages: UpdatePages) {
            guard let rest else { return }
            let page = pages.takePage(rest, to: subscription)
            self.pages.append(page.bytes.bytes)
            self.rest = page.rest
        }
    }

    private func readers(_ subscriptions: [Int], of rest: UpdateRemainder, from pages: UpdatePages) -> [Reader] {
        subscriptions.map {
            pages.addReader(of: rest)
            return Reader($0, rest)
        }
    }

    @Test func `are made once for a hundred who read side by side, and let go of when the last has them`() {
        let pages = UpdatePages()
        let rest = pages.makeRemainder(.lines(writer, lineLengthMax: Self.lineLengthMax))
        let readers = readers(Array(repeating: 1, count: 100), of: rest, from: pages)
        var kept = 0
        while readers.contains(where: { $0.rest != nil }) {
            for reader in readers { reader.take(from: pages) }
            kept = max(kept, pages.pagesKept)
        }
        #expect(pages.pagesKept == 0)
        let expected = alone(1)
        #expect(expected.count > 5 && pages.pagesMade == expected.count)
        #expect(readers.allSatisfy { $0.pages == expected })
        #expect(kept == 4, "of the others, the last has taken each")
    }

    @Test func `that one stops before are kept up to a limit, and made again`() {
        let pages = UpdatePages(pagesMax: 8)
        let rest = pages.makeRemainder(.lines(writer, lineLengthMax: Self.lineLengthMax))
        let readers = readers([1, 1, 1], of: rest, from: pages)
        let expected = alone(1)
        for _ in expected {
            for reader in readers.dropLast() { reader.take(from: pages) }
            #expect(pages.pagesKept <= 8)
        }
        #expect(pages.pagesMade == expected.count && pages.pagesKept == 8)
        for _ in expected { readers[2].take(from: pages) }
        #expect(pages.pagesMade == 2 * expected.count - 4)
        #expect(readers.allSatisfy { $0.pages == expected } && pages.pagesKept == 0)
    }

    @Test func `of one long line are shared by all numbers of subscriptions`() {
        let pages = UpdatePages()
        let line = LongLineWriter(snapshotOf: "l", epoch: "e", revision: 1, reason: nil, snapshot: snapshot)
        let rest = pages.makeRemainder(.line(line))
        let readers = readers([1, 2, 3], of: rest, from: pages)
        while readers.contains(where: { $0.rest != nil }) {
            for reader in readers { reader.take(from: pages) }
        }
        #expect(pages.pagesMade == readers[0].pages.count && pages.pagesKept == 0)
        #expect(Set(readers.map { Array($0.pages.joined()) }).count == 1)
    }

    @Test func `are what each would have been sent alone, whoever comes and goes`() {
        var random = SplitMix64()
        for _ in 0..<200 {
            let seed = random.next()
            if let failure = run(seed: seed) { return _ = Issue.record("seed \(seed): \(failure)") }
        }
    }

    private func run(seed: UInt64) -> String? {
        var random = SplitMix64(seed: seed)
        let limit = Int.random(in: 1..<12, using: &random)
        let pages = UpdatePages(pagesMax: limit)
        let updates = (0..<2).map { _ in pages.makeRemainder(.lines(writer, lineLengthMax: Self.lineLengthMax)) }
        let expected = (0..<3).map(alone)
        var reading: [Reader] = []
        for _ in 0..<400 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0, 1:
                let subscription = Int.random(in: 0..<3, using: &random)
                reading += readers([subscription], of: updates[Int.random(in: 0..<2, using: &random)], from: pages)
            case 2:
                guard let leaving = reading.indices.randomElement(using: &random) else { continue }
                if let rest = reading.remove(at: leaving).rest { pages.removeReader(of: rest) }
            default:
                guard let reader = reading.randomElement(using: &random) else { continue }
                reader.take(from: pages)
                if reader.pages != Array(expected[reader.subscription].prefix(reader.pages.count)) {
                    return "a page is another"
                }
                if reader.rest == nil {
                    if reader.pages.count != expected[reader.subscription].count { return "pages are missing" }
                    reading.removeAll { $0 === reader }
                }
            }
            if pages.pagesKept > limit { return "\(pages.pagesKept) pages are kept" }
        }
        for reader in reading { if let rest = reader.rest { pages.removeReader(of: rest) } }
        return pages.pagesKept == 0 ? nil : "\(pages.pagesKept) pages are left"
    }
}
