import TestSupport
import Testing

@testable import Diffable

@Suite struct `A map from handles` {
    /// An array for many handles, a dictionary for few, and both sides of the threshold.
    @Test(arguments: [(1_000, 1_000), (10, 1_000), (62, 1_000), (63, 1_000), (0, 1_000), (0, 0), (1, 1), (0, 1)])
    func `it holds what a dictionary holds`(count: Int, bound: Int) {
        var random = SplitMix64()
        var map = HandleMap(count: count, bound: bound)
        var expected: [Handle: UInt32] = [:]
        for _ in 0..<2 * count {
            let handle = Handle.random(in: 0..<Handle(bound), using: &random)
            let number = UInt32.random(in: 0..<9, using: &random)
            map[handle] = number
            expected[handle] = number
        }
        #expect((0..<Handle(bound)).allSatisfy { map[$0] == expected[$0] }, "seed \(random.seed)")
        #expect(map[Handle(bound)] == nil && map[Handle.max] == nil)
    }

    @Test(arguments: [4, 20, 1_000]) func `many are numbered as one by one`(count: Int) {
        let handles: [Handle?] = (0..<count).map { $0 % 3 == 1 ? nil : Handle(2 * $0) }
        var map = HandleMap(count: count, bound: 2_000)
        map.number(handles)
        for handle in 0..<Handle(2_000) {
            #expect(map[handle] == handles.firstIndex(of: handle).map { UInt32($0) })
        }
    }

    @Test func `zero is a number like any other`() {
        for count in [0, 100] {
            var map = HandleMap(count: count, bound: 100)
            map[0] = 0
            #expect(map[0] == 0 && map[1] == nil)
        }
    }
}
