import Testing

/// Runs so many test cases at a time, each on threads of its own (`TestThreads`).
///
/// The tests of `Integration` spend about half of their time waiting for processes. Four at a time keep two cores busy, and
/// leave each enough of them that no deadline is near.
struct SideBySide: SuiteTrait, TestTrait, TestScoping {
    static let width = 4
    private static let gate = TestGate(width: width)

    var isRecursive: Bool { true }

    /// Each case by itself, and no suite: a suite would hold a place for as long as its tests wait for one.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> SideBySide? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let isAlone = test.traits.contains { $0 is Alone }
        await Self.gate.enter(isAlone ? .alone : test.traits.contains { $0 is Early } ? .early : .sideBySide)
        let threads = TestThreads()
        let start = ContinuousClock.now
        let result: Result<Void, any Error>
        do {
            try await withTaskExecutorPreference(threads) { try await function() }
            result = .success(())
        } catch { result = .failure(error) }
        threads.finish()
        // What Swift Testing says counts the time for which it waited here.
        let time = start.duration(to: .now)
        if time > .seconds(3) { print("took \(time): \(test.displayName ?? test.name)\(isAlone ? ", alone" : "")") }
        await Self.gate.leave()
        try result.get()
    }
}

/// Marks what measures time, or changes what all tests of the process share (the environment, a limit of the kernel): no
/// other test of `Integration` runs meanwhile.
struct Alone: SuiteTrait, TestTrait {
    var isRecursive: Bool { true }
}

/// Marks what takes long, much of it waiting: it is let in before others, so that nothing waits for it at the end.
struct Early: SuiteTrait, TestTrait {
    var isRecursive: Bool { true }
}

extension Trait where Self == SideBySide {
    static var sideBySide: Self { SideBySide() }
}

extension Trait where Self == Alone {
    static var alone: Self { Alone() }
}

extension Trait where Self == Early {
    static var early: Self { Early() }
}
