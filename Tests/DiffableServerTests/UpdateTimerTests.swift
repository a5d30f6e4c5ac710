import NIOCore
import Testing

@testable import DiffableServer

struct PaceTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func `who asks for nothing has none`() {
        #expect(UpdateTimer(minInterval: nil, bookmark: nil) == nil)
    }

    @Test func `the first group is held back by nothing, and the next until the interval is over`() throws {
        var updateTimer = try #require(UpdateTimer(minInterval: 100, bookmark: nil))
        #expect(updateTimer.earliestGroup(at: start) == nil)
        updateTimer.noteGroup(at: start)
        #expect(updateTimer.earliestGroup(at: start) == start + .milliseconds(100))
        #expect(updateTimer.earliestGroup(at: start + .nanoseconds(99_999_999)) == start + .milliseconds(100))
        #expect(updateTimer.earliestGroup(at: start + .milliseconds(100)) == nil)
        #expect(updateTimer.nextBookmark == nil)
    }

    @Test func `a bookmark is due when no line came for so long`() throws {
        var updateTimer = try #require(UpdateTimer(minInterval: nil, bookmark: 50))
        #expect(updateTimer.nextBookmark == nil)
        updateTimer.begin(at: start)
        updateTimer.begin(at: start + .milliseconds(10))
        #expect(updateTimer.nextBookmark == start + .milliseconds(50))
        updateTimer.noteLine(at: start + .milliseconds(20))
        #expect(updateTimer.nextBookmark == start + .milliseconds(70))
        updateTimer.noteGroup(at: start + .milliseconds(20))
        #expect(updateTimer.earliestGroup(at: start + .milliseconds(20)) == nil)
    }
}
