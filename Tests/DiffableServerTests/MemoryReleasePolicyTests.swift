import DiffableStore
import NIOCore
import Testing

@testable import DiffableServer

struct MemoryReturnTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func noted(
        _ memory: MemoryReleasePolicy = MemoryReleasePolicy(), itemsFreed: Int = 0, length: Int = 0,
        isShrinking: Bool = false
    ) -> MemoryReleasePolicy {
        var memory = memory
        memory.note(isShrinking ? .much : .little, itemsFreed: itemsFreed, length: length)
        return memory
    }

    @Test func `nothing is given back while little has changed`() {
        var memory = noted(itemsFreed: 1_000, length: 4 << 20)
        #expect(memory.next(at: start) == .nothing)
    }

    @Test func `memory is given back when lists shrink, when much is freed, and when the process has grown`() {
        for memory in [noted(isShrinking: true), noted(itemsFreed: 10_000), noted(length: 5 << 20)] {
            var memory = memory
            #expect(memory.next(at: start) == .now)
        }
    }

    @Test func `a large process has to grow by an eighth`() {
        var memory = noted(length: 100 << 20)
        #expect(memory.next(at: start) == .now)
        let isDueAgain1 = memory.finish(length: 80 << 20, itemsFreed: 0, after: .milliseconds(1), at: start)
        #expect(!isDueAgain1)
        var little = noted(memory, length: 89 << 20)
        #expect(little.next(at: start + .seconds(60)) == .nothing)
        var much = noted(memory, length: 91 << 20)
        #expect(much.next(at: start + .seconds(60)) == .now)
    }

    @Test func `after lists have gone it is done once more, and never before the last time is over`() {
        var memory = noted(isShrinking: true)
        #expect(memory.next(at: start) == .now)
        memory = noted(memory, isShrinking: true)
        #expect(memory.next(at: start + .seconds(60)) == .later)
        let isDueAgain2 = memory.finish(length: 0, itemsFreed: 0, after: .milliseconds(1), at: start)
        #expect(isDueAgain2)
        #expect(memory.next(at: start + .seconds(2)) == .later)
        #expect(memory.next(at: start + .seconds(3)) == .now)
    }

    @Test func `it takes no more than a hundredth of the time`() {
        var memory = noted(itemsFreed: 10_000)
        #expect(memory.next(at: start) == .now)
        let isDueAgain3 = memory.finish(length: 0, itemsFreed: 10_000, after: .milliseconds(100), at: start)
        #expect(isDueAgain3)
        #expect(memory.next(at: start + .seconds(9)) == .later)
        #expect(memory.next(at: start + .seconds(10)) == .now)
        let isDueAgain4 = memory.finish(
            length: 0, itemsFreed: 10_000, after: .milliseconds(1), at: start + .seconds(10))
        #expect(!isDueAgain4)
        #expect(memory.next(at: start + .seconds(60)) == .nothing)
    }
}
