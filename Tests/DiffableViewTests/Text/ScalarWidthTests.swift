import DiffableView
import Foundation
import Testing

/// Compares the widths of single characters with Python's wcwidth, which follows Unicode like new terminals (kitty, foot).
@Suite struct ScalarWidthTests {
    /// The widths of Python's wcwidth, from `wcwidth.txt`; one column for scalars that are not in it.
    private let widths: [Int]

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "wcwidth.txt")
        var widths = [Int](repeating: 1, count: 0x110000)
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            let (first, last) = (Int(parts[0], radix: 16)!, Int(parts[1], radix: 16)!)
            for value in first...last { widths[value] = Int(parts[2])! }
        }
        self.widths = widths
    }

    private var scalars: some Sequence<Unicode.Scalar> { (0..<UInt32(0x110000)).lazy.compactMap { Unicode.Scalar($0) } }

    /// A cluster with a different width is doubtful: the next one is placed absolutely, so that nothing moves.
    @Test func `a character takes as many columns as wcwidth says, or is drawn so that its width does not matter`() {
        var different: [String] = []
        for scalar in scalars {
            guard let cluster = Cluster(Character(scalar)), !cluster.isDoubtful else { continue }
            if cluster.width != widths[Int(scalar.value)] { different.append(String(scalar.value, radix: 16)) }
        }
        #expect(different.isEmpty)
    }

    @Test func `a character without a column is left out, or gets a circle to stand on`() {
        for scalar in scalars where widths[Int(scalar.value)] == 0 {
            guard let cluster = Cluster(Character(scalar)) else { continue }
            #expect(cluster.isDoubtful, "\(scalar.value)")
            // Swift's tables may be older than wcwidth's, and lack the newest marks.
            if scalar.properties.generalCategory == .unassigned { continue }
            #expect(cluster.contents == .sequence("\u{25CC}\(scalar)"), "\(scalar.value)")
        }
    }

    /// Letters of living scripts, punctuation and most symbols are drawn in the short way.
    @Test func `few characters are doubtful`() {
        var doubtful: [Unicode.GeneralCategory: Int] = [:]
        for scalar in scalars where Cluster(Character(scalar))?.isDoubtful == true && scalar.value < 0x1F000 {
            doubtful[scalar.properties.generalCategory, default: 0] += 1
        }
        for category: Unicode.GeneralCategory in [.uppercaseLetter, .lowercaseLetter, .decimalNumber, .currencySymbol] {
            // Roman numerals and the information sign are doubtful.
            #expect(doubtful[category] ?? 0 <= 3, "\(category)")
        }
        #expect(doubtful[.spacingMark] ?? 0 > 400)
    }
}
