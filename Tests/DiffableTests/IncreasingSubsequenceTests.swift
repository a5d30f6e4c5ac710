import TestSupport
import Testing

@testable import Diffable

@Suite struct `A heaviest increasing subsequence` {
    @Test func `of nothing, of one, of none that can stay`() {
        #expect(staying([], weights: []) == [])
        #expect(staying([0], weights: [1]) == [0])
        #expect(staying([-1, -1], weights: [1, 9]) == [])
    }

    @Test func `in order all stay, and in reverse the heaviest`() {
        #expect(staying([0, 1, 2, 7], weights: [1, 1, 1, 1]) == [0, 1, 2, 7])
        #expect(staying([2, 1, 0], weights: [1, 5, 2]) == [1])
    }

    @Test func `one heavy element outweighs several light ones, and not as many as it weighs`() {
        #expect(staying([3, 0, 1, 2], weights: [4, 1, 1, 1]) == [3])
        #expect(staying([3, 0, 1, 2], weights: [2, 1, 1, 1]) == [0, 1, 2])
    }

    private func staying(_ ordinals: [Int32], weights: [UInt32]) -> [Int32] {
        zip(ordinals, heaviestIncreasingSubsequence(ordinals: ordinals, weights: weights)).filter(\.1).map(\.0)
    }

    @Test func `all orders of six, with one weight and with many, some of them new`() {
        var random = SplitMix64()
        var wrong = 0
        for order in arrangements(["0", "1", "2", "3", "4", "5"]) where order.count == 6 {
            var ordinals = order.map { Int32($0)! }
            wrong += isHeaviest(ordinals, [1, 1, 1, 1, 1, 1]) ? 0 : 1
            let weights = ordinals.map { _ in UInt32.random(in: 1...5, using: &random) }
            wrong += isHeaviest(ordinals, weights) ? 0 : 1
            ordinals[Int.random(in: 0..<6, using: &random)] = -1
            wrong += isHeaviest(ordinals, weights) ? 0 : 1
        }
        #expect(wrong == 0, "seed \(random.seed)")
    }

    @Test func `random orders of ten out of a hundred`() {
        var random = SplitMix64()
        for _ in 0..<10 {
            let ordinals = Array((0..<100 as Range<Int32>).shuffled(using: &random).prefix(10))
            let weights = ordinals.map { _ in UInt32.random(in: 1...64, using: &random) }
            #expect(isHeaviest(ordinals, weights), "\(ordinals) \(weights)")
        }
    }

    @Test func `a long one is as long as a search by length says`() {
        var random = SplitMix64()
        let ordinals = (0..<2_000 as Range<Int32>).shuffled(using: &random)
        let stays = heaviestIncreasingSubsequence(
            ordinals: ordinals, weights: [UInt32](repeating: 1, count: ordinals.count))
        // Patience sorting: the smallest end for each length.
        var ends: [Int32] = []
        for ordinal in ordinals {
            let pile = ends.firstIndex { $0 >= ordinal } ?? ends.endIndex
            ends.replaceSubrange(pile..<min(pile + 1, ends.endIndex), with: [ordinal])
        }
        #expect(stays.count { $0 } == ends.count, "seed \(random.seed)")
    }

    @Test func `a longest one increases, and is as long as a heaviest one where all weigh the same`() {
        var random = SplitMix64()
        for count in 0..<200 {
            var ordinals = (0..<Int32(count)).shuffled(using: &random)
            for index in ordinals.indices where Int.random(in: 0..<5, using: &random) == 0 { ordinals[index] = -1 }
            let stays = longestIncreasingSubsequence(ordinals: ordinals)
            let staying = zip(ordinals, stays).filter(\.1).map(\.0)
            #expect(stays.count == count && staying == staying.sorted(), "seed \(random.seed)")
            let heaviest = heaviestIncreasingSubsequence(
                ordinals: ordinals, weights: [UInt32](repeating: 1, count: count))
            #expect(staying.count == heaviest.count { $0 } && !staying.contains(-1), "seed \(random.seed)")
        }
    }

    /// Whether the choice increases, and no other increasing one weighs more.
    private func isHeaviest(_ ordinals: [Int32], _ weights: [UInt32]) -> Bool {
        let stays = heaviestIncreasingSubsequence(ordinals: ordinals, weights: weights)
        var choice = 0
        for index in stays.indices where stays[index] { choice |= 1 << index }
        guard stays.count == ordinals.count, let weight = weight(of: choice, ordinals, weights) else { return false }
        return (0..<1 << ordinals.count).allSatisfy { (self.weight(of: $0, ordinals, weights) ?? 0) <= weight }
    }

    /// Returns nil for a choice that does not increase or contains an element without an ordinal.
    private func weight(of choice: Int, _ ordinals: [Int32], _ weights: [UInt32]) -> UInt32? {
        var last: Int32 = -1
        var weight: UInt32 = 0
        var index = 0
        while index < ordinals.count {
            if choice >> index & 1 == 1 {
                guard ordinals[index] > last else { return nil }
                last = ordinals[index]
                weight += weights[index]
            }
            index += 1
        }
        return weight
    }
}
