import TestSupport
import Testing

@testable import DiffableServer

@Suite struct FairQueueTests {
    /// A queue that scans every piece each time.
    private struct NaiveQueue {
        struct Piece {
            let number: Int
            let size: Int
            let user: Int?
            var timesPassed = 0
        }

        private var pieces: [Piece] = []
        private var turns: [Int?] = []
        private var wasAged: Set<Int?> = []

        mutating func append(_ number: Int, size: Int, of user: Int?) {
            if !turns.contains(user) { turns.append(user) }
            pieces.append(Piece(number: number, size: size, user: user))
        }

        mutating func take(sizeMax: Int, except busy: Set<Int?>) -> (piece: Int, user: Int?)? {
            for user in turns where !busy.contains(user) {
                let mine = pieces.filter { $0.user == user }
                guard let shortest = mine.min(by: { ($0.size, $0.number) < ($1.size, $1.number) }),
                    let oldest = mine.first, shortest.size <= sizeMax
                else { continue }
                let isAged =
                    !wasAged.contains(user) && oldest.timesPassed >= FairQueue<Int>.timesPassedMax
                    && oldest.size <= sizeMax
                if isAged { wasAged.insert(user) } else { wasAged.remove(user) }
                let taken = isAged ? oldest : shortest
                pieces.removeAll { $0.number == taken.number }
                for index in pieces.indices where pieces[index].user == user { pieces[index].timesPassed += 1 }
                turns.removeAll { $0 == user }
                if mine.count > 1 { turns.append(user) } else { wasAged.remove(user) }
                return (taken.number, user)
            }
            return nil
        }

        mutating func removeAll(where isUnwanted: (Int) -> Bool) {
            pieces.removeAll { isUnwanted($0.number) }
            turns.removeAll { user in !pieces.contains { $0.user == user } }
            wasAged.formIntersection(turns)
        }
    }

    @Test func `random pieces are taken in the order of a naive queue`() {
        var random = SplitMix64()
        for _ in 0..<200 {
            var queue = FairQueue<Int>()
            var naive = NaiveQueue()
            let users: [Int?] = [nil, 1, 2, 3]
            let sizeMax = [3, 1_000][Int.random(in: 0...1, using: &random)]
            for number in 0..<300 {
                switch Int.random(in: 0..<20, using: &random) {
                case 0:
                    let divisor = Int.random(in: 2...9, using: &random)
                    queue.removeAll { $0.isMultiple(of: divisor) }
                    naive.removeAll { $0.isMultiple(of: divisor) }
                case 1...9:
                    let busy = Set(users.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
                    let limit = Bool.random(using: &random) ? Int.max : Int.random(in: 0...sizeMax, using: &random)
                    let (taken, expected) = (
                        queue.take(sizeMax: limit, except: busy), naive.take(sizeMax: limit, except: busy)
                    )
                    #expect(taken?.piece == expected?.piece && taken?.user == expected?.user)
                default:
                    let (size, user) = (
                        Int.random(in: 0...sizeMax, using: &random), users.randomElement(using: &random)
                    )
                    guard let user else { continue }
                    queue.enqueue(number, size: size, of: user)
                    naive.append(number, size: size, of: user)
                }
            }
            while let expected = naive.take(sizeMax: .max, except: []) {
                let taken = queue.take()
                #expect(taken?.piece == expected.piece && taken?.user == expected.user)
            }
            #expect(queue.take() == nil && queue.count == 0)
        }
    }

    @Test func `one piece of a user waits for one piece of each other user, however many they have`() {
        var queue = FairQueue<String>()
        for _ in 0..<300 { queue.enqueue("long", size: 1_000_000, of: 1) }
        queue.enqueue("short", size: 1, of: 2)
        #expect((0..<2).map { _ in queue.take()?.piece } == ["long", "short"])
    }

    @Test func `at most every second piece is one that has waited long`() {
        var queue = FairQueue<Int>()
        for _ in 0..<20 { queue.enqueue(1_000, size: 1_000, of: 1) }
        var sizes: [Int] = []
        for _ in 0..<40 {
            queue.enqueue(1, size: 1, of: 1)
            sizes.append(queue.take()?.piece ?? 0)
        }
        #expect(sizes.prefix(8).allSatisfy { $0 == 1 })
        #expect(sizes.dropFirst(8) == (0..<16).flatMap { _ in [1_000, 1] }[...])
    }
}
