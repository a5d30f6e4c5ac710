import TestSupport
import Testing

@testable import Diffable

@Suite struct `A page that lends` {
    /// Counts its living instances.
    private final class Number {
        let value: Int
        private let census: Census

        init(_ value: Int, _ census: Census) {
            self.value = value
            self.census = census
            census.living += 1
        }

        deinit { census.living -= 1 }
    }

    private final class Census { var living = 0 }

    private func page(_ values: some Sequence<Int>, _ census: Census) -> TrieBranch {
        let page = TrieBranch.makeEmpty()
        for value in values { page.append(Number(value, census)) }
        return page
    }

    private func write(_ value: Int, to page: TrieBranch, at position: Int, _ census: Census) {
        page.writable(at: position) { $0.takeUnretainedValue() }.pointee = Number(value, census)
    }

    private func values(_ page: TrieBranch) -> [Int] {
        (0..<page.count).map { (page.elements[$0] as? Number)?.value ?? -1 }
    }

    @Test(arguments: 0...32) func `a copy of any width has the same elements and outlives the original`(width: Int) {
        let census = Census()
        var original: TrieBranch? = page(0..<width, census)
        let copy = original?.copy()
        original = nil
        #expect(copy.map(values) == Array(0..<width) && census.living == width)
    }

    @Test func `every element written in every chain of copies of a few elements`() {
        let census = Census()
        for width in 7...17 where width % 8 < 2 || width == 7 {
            for first in 0..<width {
                for second in 0..<width {
                    let one = page(0..<width, census)
                    let two = one.copy()
                    write(100, to: two, at: first, census)
                    let three = two.copy()
                    write(200, to: three, at: second, census)
                    var expected = Array(0..<width)
                    #expect(values(one) == expected)
                    expected[first] = 100
                    #expect(values(two) == expected)
                    expected[second] = 200
                    #expect(values(three) == expected)
                    #expect(census.living == width + 2)
                }
            }
        }
        #expect(census.living == 0)
    }

    @Test func `what is replaced along a chain is kept for an eighth of the elements at most`() {
        let census = Census()
        for width in [1, 3, 4, 16, 31, 32] {
            var page = page(0..<width, census)
            var most = 0
            for step in 0..<200 {
                page = page.copy()
                write(step, to: page, at: step * 7 % width, census)
                most = max(most, census.living)
            }
            #expect(most <= width + width / 8 + 1)
        }
        // All in one copy: the eighth is full before the end, and the lender is released.
        let whole = page(0..<32, census)
        let copy = whole.copy()
        for position in 0..<32 { write(-position, to: copy, at: position, census) }
        #expect(values(copy) == (0..<32).map { -$0 } && values(whole) == Array(0..<32))
        #expect(census.living == 64)
    }

    @Test func `what is replaced time after time in one place is kept once`() {
        let census = Census()
        let original = page(0..<32, census)
        var latest = original
        for step in 0..<200 {
            latest = latest.copy()
            write(step, to: latest, at: 7, census)
            #expect(census.living == 33 && values(latest)[7] == step)
        }
        #expect(values(original) == Array(0..<32))
    }

    @Test func `versions continued from anywhere hold what arrays hold, and let go of everything`() {
        var random = SplitMix64()
        let census = Census()
        var versions: [(page: TrieBranch, expected: [Int])] = [(page(0..<9, census), Array(0..<9))]
        for step in 0..<20_000 {
            let index = Int.random(in: versions.indices, using: &random)
            let page = versions[index].page.copy()
            var expected = versions[index].expected
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                change(page, &expected, step, census, &random)
            }
            // Only a few versions live at a time, so that pages lose their holders in every order.
            if versions.count < 12 {
                versions.append((page, expected))
            } else {
                versions[Int.random(in: versions.indices, using: &random)] = (page, expected)
            }
            if step % 16 == 0 {
                #expect(versions.allSatisfy { values($0.page) == $0.expected }, "seed \(random.seed), step \(step)")
            }
        }
        versions = []
        #expect(census.living == 0, "seed \(random.seed)")
    }

    private func change(
        _ page: TrieBranch, _ expected: inout [Int], _ value: Int, _ census: Census, _ random: inout SplitMix64
    ) {
        let position = Int.random(in: 0...page.count, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where page.count < pageSize:
            page.insert(Number(value, census), at: position)
            expected.insert(value, at: position)
        case 1 where position < page.count:
            let removed = page.remove(at: position)
            #expect((removed as? Number)?.value == expected.remove(at: position))
        case 2 where page.count > 1:
            let right = TrieBranch.makeEmpty()
            page.moveElements(from: position, to: right)
            #expect(values(right) == Array(expected[position...]))
            right.moveElements(from: 0, to: page)
        default:
            guard position < page.count else { return }
            write(value, to: page, at: position, census)
            expected[position] = value
        }
    }
}
