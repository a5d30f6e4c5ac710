import Diffable
import DiffableClient
import TestSupport
import Testing

@testable import DiffableInput
@testable import diffablectl

struct DeletionGuardTests {
    @Test func `a limit is a number of items or a share of those that there are`() {
        #expect(DeletionLimit(argument: "3") == .items(3))
        #expect(DeletionLimit(argument: "50%") == .percent(50))
        for wrong in ["", "%", "-1", "101%", "1.5", "50 %", "half"] { #expect(DeletionLimit(argument: wrong) == nil) }
        #expect(DeletionLimit.items(3).allows(3, of: 3) && !DeletionLimit.items(3).allows(4, of: 9))
        #expect(DeletionLimit.percent(50).allows(2, of: 4) && !DeletionLimit.percent(50).allows(3, of: 5))
        #expect(DeletionLimit.percent(0).allows(0, of: 0) && !DeletionLimit.percent(0).allows(1, of: 1_000))
        #expect(DeletionLimit.percent(100).allows(7, of: 7))
    }

    @Test func `what takes nothing away is made without a look`() async throws {
        let daemon = ImaginaryList(count: 10)
        var deletionGuard = DeletionGuard(to: 3)
        #expect(try await daemon.apply(&deletionGuard) == 3)
        #expect(daemon.looks == 0)
    }

    @Test func `nothing read empties no list that has items, unless that is said`() async throws {
        let daemon = ImaginaryList(count: 100)
        var deletionGuard = DeletionGuard(to: 0)
        let error = await #expect(throws: CommandError.self) { try await daemon.apply(&deletionGuard) }
        #expect(error?.description.contains(#"would delete all 100 items of "tasks""#) == true)
        #expect(error?.description.contains("--allow-empty") == true)
        #expect(daemon.count == 100)
        var allowed = DeletionGuard(to: 0, allowEmpty: true)
        #expect(try await daemon.apply(&allowed) == 0)
        var again = DeletionGuard(to: 0)
        #expect(try await daemon.apply(&again) == 0, "there is nothing to lose")
    }

    @Test func `what somebody adds between the look and the change is looked at too`() async throws {
        let daemon = ImaginaryList(count: 0)
        var deletionGuard = DeletionGuard(to: 0)
        daemon.afterLook = { daemon.change(to: 5) }
        await #expect(throws: CommandError.self) { try await daemon.apply(&deletionGuard) }
        #expect(daemon.count == 5 && daemon.looks == 2)
    }

    @Test func `a list that changes all the time is given up in the end`() async throws {
        let daemon = ImaginaryList(count: 4)
        var deletionGuard = DeletionGuard(to: 4, maxDelete: .items(0))
        daemon.afterLook = { daemon.change(to: 4) }
        await #expect(throws: ClientError.self) { try await daemon.apply(&deletionGuard) }
        #expect(daemon.looks > 2 && daemon.looks < 100)
    }

    @Test func `a change that was made before its answer was lost is not looked at again`() async throws {
        let daemon = ImaginaryList(count: 4)
        var deletionGuard = DeletionGuard(to: 2, maxDelete: .items(2))
        #expect(try await daemon.apply(&deletionGuard) == 2)
        // The request is repeated, as after a lost connection, after another client has added many items.
        daemon.change(to: 50)
        daemon.answersAsBefore = true
        #expect(try await daemon.apply(&deletionGuard) == 50)
        #expect(daemon.looks == 1)
    }

    @Test(arguments: [
        (1, 0, "delete the only item of"), (3, 0, "delete all 3 items of"), (3, 1, "delete 2 of the 3 items of"),
    ])
    func `what would go is counted as one says it`(count: Int, target: Int, words: String) async {
        let daemon = ImaginaryList(count: count)
        var deletionGuard = DeletionGuard(to: target, allowEmpty: true, maxDelete: .items(0))
        let error = await #expect(throws: CommandError.self) { try await daemon.apply(&deletionGuard) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func `one who may not see the list has to say it`() async throws {
        let daemon = ImaginaryList(count: 4)
        daemon.refusal = Refusal(.permissionDenied, "may not be read")
        var deletionGuard = DeletionGuard(to: 0)
        let blind = await #expect(throws: CommandError.self) { try await daemon.apply(&deletionGuard, sees: false) }
        #expect(blind?.description.contains("--allow-empty") == true)
        await #expect(throws: ClientError.self) { try await daemon.apply(&deletionGuard, sees: true) }
    }

    @Test func `whatever others do meanwhile, no more goes than was allowed`() async throws {
        var random = SplitMix64()
        let seed = random.seed
        for _ in 0..<2_000 {
            let daemon = ImaginaryList(count: Int.random(in: 0...6, using: &random))
            let counts = (0..<4).map { _ in Int.random(in: 0...6, using: &random) }
            var steps = counts[...]
            daemon.afterLook = { if let count = steps.popFirst(), count.isMultiple(of: 2) { daemon.change(to: count) } }
            let limit = Int.random(in: 0...6, using: &random)
            let target = Int.random(in: 0...6, using: &random)
            var deletionGuard = DeletionGuard(
                to: target, allowEmpty: Bool.random(using: &random),
                maxDelete: Bool.random(using: &random) ? .items(limit) : nil)
            let result = try? await daemon.apply(&deletionGuard)
            guard let before = daemon.countBeforeApply, result != nil else { continue }
            if deletionGuard.options.maxDelete != nil { #expect(before - target <= limit, "seed \(seed)") }
            if target == 0, before > 0 { #expect(deletionGuard.options.allowEmpty, "seed \(seed)") }
        }
    }
}

extension DeletionGuard {
    fileprivate init(to count: Int, allowEmpty: Bool = false, maxDelete: DeletionLimit? = nil) {
        var options = DeletionOptions()
        options.allowEmpty = allowEmpty
        options.maxDelete = maxDelete
        self.init(list: "tasks", section: nil, options: options, ifRevision: nil, count: count)
    }
}

/// A list reduced to its number of items. Applying keeps as many of them as possible.
private final class ImaginaryList {
    private(set) var count: Int
    private var revision = 7
    private(set) var looks = 0
    private(set) var countBeforeApply: Int?
    var afterLook: () -> Void = {}
    var refusal: Refusal?
    var answersAsBefore = false

    init(count: Int) { self.count = count }

    func change(to count: Int) {
        self.count = count
        revision += 1
    }

    /// - Returns: the number of items afterwards.
    @discardableResult
    func apply(_ deletionGuard: inout DeletionGuard, sees: Bool = true) async throws -> Int {
        let target = deletionGuard.count
        return try await deletionGuard.apply {
            looks += 1
            if let refusal { throw ClientError.refused(refusal) }
            defer { afterLook() }
            return .init(revision: revision, deleted: max(0, count - target), inserted: max(0, target - count))
        } making: { expected in
            if answersAsBefore { return count }
            if let expected, expected != revision {
                throw ClientError.refused(Refusal(.revisionMismatch, "moved on"))
            }
            countBeforeApply = count
            change(to: target)
            return count
        } seesList: {
            sees
        }
    }
}
