import TestSupport
import Testing

@testable import Diffable

@Suite struct `The index of identifiers` {
    @Test func `an empty index finds nothing`() {
        #expect(IdentifierIndex().handle(hash: 0) { _ in true } == nil)
        #expect(IdentifierIndex().count == 0)
    }

    @Test func `different identifiers with one hash are told apart`() {
        var index = IdentifierIndex()
        for handle in Handle(1)...100 { index.insert(handle, hash: 42) }
        #expect(index.count == 100)
        for handle in Handle(1)...100 { #expect(index.handle(hash: 42) { $0 == handle } == handle) }
        #expect(index.handle(hash: 42) { _ in false } == nil)
        #expect(index.handle(hash: 43) { _ in true } == nil)
        for handle in Handle(1)...99 { index.remove(handle, hash: 42) }
        #expect(index.handle(hash: 42) { _ in true } == 100)
    }

    @Test func `it asks only about identifiers with the same hash`() {
        var index = IdentifierIndex()
        for handle in Handle(1)...1_000 { index.insert(handle, hash: handle % 10) }
        var asked: Set<Handle> = []
        _ = index.handle(hash: 3) { handle in
            asked.insert(handle)
            return false
        }
        #expect(asked.count == 100 && asked.allSatisfy { $0 % 10 == 3 })
    }

    @Test func `it grows and shrinks, and finds everything at each size`() {
        var index = IdentifierIndex()
        let hashes = hashes(3_000)
        for (handle, hash) in hashes.enumerated() {
            index.insert(Handle(handle), hash: hash)
            if handle % 500 == 0 { expect(index, holds: 0...handle, of: hashes) }
        }
        expect(index, holds: 0...2_999, of: hashes)
        for handle in (1..<3_000).reversed() {
            index.remove(Handle(handle), hash: hashes[handle])
            if handle % 500 == 1 { expect(index, holds: 0...handle - 1, of: hashes) }
        }
        expect(index, holds: 0...0, of: hashes)
        index.remove(0, hash: hashes[0])
        #expect(index.count == 0)
        for (handle, hash) in hashes.prefix(100).enumerated() { index.insert(Handle(handle), hash: hash) }
        expect(index, holds: 0...99, of: hashes)
    }

    @Test func `it holds what a dictionary holds, and copies stay as they were`() {
        var random = SplitMix64()
        // Few hashes, so that many are equal.
        let hashes = (0..<800).map { _ in UInt32.random(in: 0..<200, using: &random) &* 0x9E37_79B9 }
        var index = IdentifierIndex()
        var expected: Set<Int> = []
        var versions: [(IdentifierIndex, Set<Int>)] = []
        for step in 0..<3_000 {
            let handle = Int.random(in: 0..<(step / 500 % 2 == 0 ? 800 : 40), using: &random)
            if expected.remove(handle) != nil {
                index.remove(Handle(handle), hash: hashes[handle])
            } else {
                index.insert(Handle(handle), hash: hashes[handle])
                expected.insert(handle)
            }
            if step % 250 == 0 { versions.append((index, expected)) }
        }
        for (index, expected) in versions + [(index, expected)] {
            let found = hashes.indices.filter { handle in index.handle(hash: hashes[handle]) { $0 == handle } != nil }
            #expect(Set(found) == expected && index.count == expected.count, "seed \(random.seed)")
        }
    }

    private func hashes(_ count: Int) -> [UInt32] {
        var random = SplitMix64(seed: 1)
        return (0..<count).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
    }

    private func expect(
        _ index: IdentifierIndex, holds handles: ClosedRange<Int>, of hashes: [UInt32],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = hashes.indices.filter { handle in index.handle(hash: hashes[handle]) { $0 == handle } != nil }
        #expect(found == Array(handles) && index.count == handles.count, sourceLocation: sourceLocation)
    }
}
