import Testing

@testable import DiffableClient

/// A limited number of tasks runs at a time, in the order of their places.
@Suite struct TurnsTests {
    @Test func `turns come in the order of the places, whoever comes to them first`() async throws {
        let turns = FairSemaphore()
        let (order, continuation) = AsyncStream.makeStream(of: Int.self)
        let places = (1...20).map { _ in turns.enqueue() }
        for number in (0..<20).shuffled() {
            Task { try await turns.run(at: places[number]) { continuation.yield(number) } }
        }
        var iterator = order.makeAsyncIterator()
        var seen: [Int] = []
        while seen.count < 20, let number = await iterator.next() { seen.append(number) }
        #expect(seen == Array(0..<20))
    }

    @Test func `a task that was cancelled has no turn, and leaves its place to others`() async throws {
        let turns = FairSemaphore()
        let late = turns.enqueue()
        let place = turns.enqueue()
        let first = Task { try await turns.run(at: place) { Issue.record("it was cancelled") } }
        try await waiting(1, in: turns)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await turns.run(at: turns.enqueue()) {} }
        try await waiting(1, in: turns)
        #expect(turns.numberWorking == 0, "the first place is somebody's who has not come yet")
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await turns.run(at: late) { Issue.record("it was cancelled") }
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await second.value
    }

    @Test func `closing waits for what has begun, and nothing begins any more`() async throws {
        let turns = FairSemaphore(width: 2)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await turns.run(at: turns.enqueue()) {
                for await _ in ends { return "done" }
                return "not told"
            }
        }
        while turns.numberWorking == 0 { await Task.yield() }
        let early = turns.enqueue()
        let closing = Task { await turns.close() }
        while !turns.isClosed { await Task.yield() }
        for place in [early, turns.enqueue()] {
            await #expect(throws: CancellationError.self) { try await turns.run(at: place) {} }
        }
        end.yield()
        #expect(try await first.value == "done")
        await closing.value
    }

    private func waiting(_ count: Int, in turns: FairSemaphore) async throws {
        while turns.numberWaiting < count { await Task.yield() }
    }
}
