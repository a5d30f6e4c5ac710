import Testing

/// Runs a limited number of test cases at a time, each on its own threads (`TestThreads`).
///
/// The tests of `Integration` spend about half of their time waiting for processes. Four at a time keep two cores busy, and
/// leave each enough CPU time for its deadlines.
struct SideBySide: SuiteTrait, TestTrait, TestScoping {
    static let width = 4
    private static let gate = TestGate(width: width)

    var isRecursive: Bool { true }

    /// Applies to each case, and not to a suite, which would hold a place while its tests wait for one.
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
        // Swift Testing's own time includes the wait here.
        let time = start.duration(to: .now)
        if time > .seconds(3) { print("took \(time): \(test.displayName ?? test.name)\(isAlone ? ", alone" : "")") }
        await Self.gate.leave()
        try result.get()
    }
}

/// Marks tests that measure time, or change process-wide state (the environment, a limit of the kernel): no other test of
/// `Integration` runs at the same time.
struct Alone: SuiteTrait, TestTrait {
    var isRecursive: Bool { true }
}

/// Marks long tests that mostly wait: they start before others, so that the run does not wait for them at the end.
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
