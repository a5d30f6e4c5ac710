import NIOCore
import Testing

@testable import DiffableServer

struct PaceTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func `who asks for nothing has none`() {
        #expect(Pace(minInterval: nil, bookmark: nil) == nil)
    }

    @Test func `the first group is held back by nothing, and the next until the interval is over`() throws {
        var pace = try #require(Pace(minInterval: 100, bookmark: nil))
        #expect(pace.earliestGroup(at: start) == nil)
        pace.noteGroup(at: start)
        #expect(pace.earliestGroup(at: start) == start + .milliseconds(100))
        #expect(pace.earliestGroup(at: start + .nanoseconds(99_999_999)) == start + .milliseconds(100))
        #expect(pace.earliestGroup(at: start + .milliseconds(100)) == nil)
        #expect(pace.nextBookmark == nil)
    }

    @Test func `a bookmark is due when no line came for so long`() throws {
        var pace = try #require(Pace(minInterval: nil, bookmark: 50))
        #expect(pace.nextBookmark == nil)
        pace.begin(at: start)
        pace.begin(at: start + .milliseconds(10))
        #expect(pace.nextBookmark == start + .milliseconds(50))
        pace.noteLine(at: start + .milliseconds(20))
        #expect(pace.nextBookmark == start + .milliseconds(70))
        pace.noteGroup(at: start + .milliseconds(20))
        #expect(pace.earliestGroup(at: start + .milliseconds(20)) == nil)
    }
}
