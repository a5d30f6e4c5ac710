import TestSupport
import Testing

@testable import Diffable

@Suite struct `A persistent array` {
    private typealias Numbers = PersistentArray<PageNumber>

    @Test func `what was never written is the filler`() {
        var numbers = Numbers()
        for index in [0, 15, 16, 255, 256, 1_000_000] { #expect(numbers[index] == noPage) }
        numbers[20] = 1
        for index in [0, 19, 21, 15, 16, 255, 256, 1_000_000] { #expect(numbers[index] == noPage) }
        #expect(numbers[20] == 1)
    }

    @Test(arguments: [0, 15, 16, 17, 255, 256, 4_095, 4_096, 65_536, 1_000_000])
    func `an array that grows to any index keeps what it had`(index: Int) {
        var numbers = Numbers()
        numbers[0] = 7
        numbers[index] = 8
        #expect(numbers[index] == 8 && numbers[0] == (index == 0 ? 8 : 7))
        // The same with the far end written first.
        var others = Numbers()
        others[index] = 8
        others[0] = 7
        #expect(others[0] == 7 && (index == 0 || others[index] == 8))
    }

    @Test(arguments: [16, 17, 256, 300, 5_000]) func `it holds what a dictionary holds`(bound: Int) {
        var random = SplitMix64()
        var numbers = Numbers()
        var expected: [Int: PageNumber] = [:]
        for _ in 0..<2_000 {
            let index = Int.random(in: 0..<bound, using: &random)
            let value = PageNumber.random(in: 0..<100, using: &random)
            if Bool.random(using: &random) {
                numbers[index] = value
            } else {
                numbers.writable(at: index).pointee = value
            }
            expected[index] = value
        }
        let wrong = (0..<bound + 20).filter { numbers[$0] != expected[$0] ?? noPage }
        #expect(wrong.isEmpty, "seed \(random.seed)")
    }

    @Test func `an update sees the element and leaves its neighbours`() {
        var numbers = Numbers()
        numbers[3] = 1
        numbers.writable(at: 3).pointee += 1
        #expect(numbers.writable(at: 4).pointee == noPage)
        #expect(numbers[3] == 2 && numbers[4] == noPage)
    }

    @Test func `a copy never sees what is written to the original, nor the original what is written to a copy`() {
        var random = SplitMix64()
        var versions: [(numbers: Numbers, expected: [Int: PageNumber])] = [(Numbers(), [:])]
        for step in 0..<300 {
            // Any version is continued, so that pages are shared in every way.
            var (numbers, expected) = versions.randomElement(using: &random)!
            for _ in 0..<3 {
                let index = Int.random(in: 0..<16 << (4 * (step % 3)), using: &random)
                numbers[index] = PageNumber(step)
                expected[index] = PageNumber(step)
            }
            versions.append((numbers, expected))
        }
        for (numbers, expected) in versions {
            #expect(expected.allSatisfy { numbers[$0.key] == $0.value }, "seed \(random.seed)")
            #expect((0..<40).allSatisfy { numbers[$0] == expected[$0] ?? noPage }, "seed \(random.seed)")
        }
    }

    // MARK: Differences

    @Test(arguments: [10, 16, 200, 256, 257, 4_000]) func `a difference tells every index that differs, in order`(
        bound: Int
    ) {
        var random = SplitMix64()
        for _ in 0..<40 {
            let indices = (0..<50).map { _ in Int.random(in: 0..<bound, using: &random) }
            // Far indices make a trie with more levels.
            let farIndices = (0..<10).map { _ in Int.random(in: 0..<bound * 20, using: &random) }
            var old = Numbers()
            for index in indices.prefix(Int.random(in: 0...50, using: &random)) { old[index] = PageNumber(index) }
            // The arrays may be related or not.
            var new = Bool.random(using: &random) ? old : Numbers()
            for index in farIndices { new[index] = PageNumber.random(in: 0..<9, using: &random) }
            check(from: old, to: new, indices + farIndices, "seed \(random.seed)")
            check(from: new, to: old, indices + farIndices, "seed \(random.seed)")
        }
    }

    private func check(from old: Numbers, to new: Numbers, _ written: [Int], _ comment: String) {
        var told: [Int] = []
        var isRight = true
        forEachDifference(from: old, to: new) { index, oldValue, value in
            told.append(index)
            isRight = isRight && old[index] == oldValue && new[index] == value
        }
        #expect(isRight, "\(comment)")
        #expect(told == Array(Set(told)).sorted(), "\(comment)")
        let differing = written.filter { old[$0] != new[$0] }
        #expect(Set(told).isSuperset(of: differing), "\(comment)")
    }

    @Test func `a difference opens no page that both share`() {
        var old = Numbers()
        for index in 0..<5_000 { old[index] = 0 }
        #expect(pages(from: old, to: old) == [])
        var new = old
        new[1_234] = 1
        #expect(pages(from: old, to: new) == [1_234 / pageSize])
        new[4_999] = 1
        #expect(pages(from: old, to: new) == [1_234 / pageSize, 4_999 / pageSize])
        // An additional level keeps the rest shared.
        new[70_000] = 1
        #expect(pages(from: old, to: new) == [1_234 / pageSize, 4_999 / pageSize, 70_000 / pageSize])
        #expect(pages(from: new, to: old) == [1_234 / pageSize, 4_999 / pageSize, 70_000 / pageSize])
    }

    private func forEachDifference(
        from old: Numbers, to new: Numbers, _ body: (Int, PageNumber, PageNumber) -> Void
    ) {
        new.forEachUnsharedPage(from: old) { start, oldPage, page in
            for position in 0..<pageSize {
                body(start + position, oldPage?[position] ?? noPage, page?[position] ?? noPage)
            }
        }
    }

    private func pages(from old: Numbers, to new: Numbers) -> Set<Int> {
        var pages: Set<Int> = []
        forEachDifference(from: old, to: new) { index, _, _ in pages.insert(index / pageSize) }
        return pages
    }
}
