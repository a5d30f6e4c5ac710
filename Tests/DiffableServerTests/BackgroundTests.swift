import Synchronization
import Testing

@testable import DiffableServer

@Suite struct BackgroundTests {
    private let bench = WorkBench()
    private let alice = UserShare(1)
    private let bob = UserShare(2)

    @Test func `a user's work begins while a piece of another user is being done`() {
        let background = bench.background
        var order: [String] = []
        for _ in 0..<300 {
            background.compute(for: alice, size: 1 << 20, while: { true }, {}, use: { order.append("long") })
        }
        background.compute(for: bob, size: 1, while: { true }, {}, use: { order.append("short") })
        #expect(bench.piecesBegun == 2)
        #expect(bench.doNext() && bench.doNext())
        #expect(order == ["long", "short"])
        // The next piece of the first user.
        #expect(bench.piecesBegun == 3)
    }

    @Test func `the last free thread takes only short pieces, and users take turns`() {
        let background = bench.background
        var order: [Int] = []
        for user in 1...5 {
            background.compute(for: UserShare(user), size: 1 << 20, while: { true }, {}, use: { order.append(user) })
        }
        #expect(bench.piecesBegun == Background.threads - 1)
        for user in 6...7 {
            background.compute(for: UserShare(user), size: 1, while: { true }, {}, use: { order.append(user) })
        }
        #expect(bench.piecesBegun == Background.threads)
        while bench.doNext() {}
        #expect(order == [1, 2, 3, 6, 7, 4, 5])
    }

    @Test func `the pieces of a user that is on hold wait until its release`() {
        let background = bench.background
        var order: [String] = []
        func find(_ name: String, for user: UserShare) {
            background.compute(for: user, size: 1, while: { true }, {}, use: { order.append(name) })
        }
        find("begun", for: alice)
        background.hold(alice.id)
        find("held", for: alice)
        find("of another user", for: bob)
        while bench.doNext() {}
        #expect(order == ["begun", "of another user"])
        find("held too", for: alice)
        #expect(bench.piecesBegun == 2)
        background.release(alice.id)
        while bench.doNext() {}
        #expect(order == ["begun", "of another user", "held", "held too"])
    }

    @Test func `work belongs to the user that is served, and so does the work that follows from it`() {
        let background = bench.background
        var users: [Int?] = []
        background.served.serve(alice) {
            background.compute(size: 1, while: { true }, {}) {
                users.append(background.served.current.id)
                background.compute(size: 1, while: { true }, {}, use: { users.append(background.served.current.id) })
            }
        }
        while bench.doNext() {}
        #expect(users == [1, 1])
        #expect(background.served.current.id == nil)
    }

    @Test func `pieces that nobody waits for are not kept`() {
        let background = bench.background
        background.compute(for: alice, size: 1, while: { true }, {}, use: {})
        var isWanted = true
        let count = ReferenceCount()
        for _ in 0..<10 { keep(count.reference(), while: { isWanted }, in: background) }
        #expect(count.value == 10)
        isWanted = false
        for _ in 0..<200 { background.compute(for: alice, size: 1, while: { false }, {}, use: {}) }
        #expect(count.value == 0 && bench.piecesBegun == 1)
        while bench.doNext() {}
        #expect(bench.piecesBegun == 1)
    }

    private func keep(
        _ reference: ReferenceCount.Reference, while isWanted: @escaping () -> Bool, in background: Background
    ) {
        background.compute(for: alice, size: 1, while: isWanted, { reference }, use: { _ in })
    }

    private final class ReferenceCount: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }

        func reference() -> Reference { Reference(self) }

        final class Reference: Sendable {
            private let owner: ReferenceCount

            init(_ owner: ReferenceCount) {
                self.owner = owner
                owner.count.withLock { $0 += 1 }
            }

            deinit { owner.count.withLock { $0 -= 1 } }
        }
    }
}
