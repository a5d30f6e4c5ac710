import NIOCore
import Testing

@testable import DiffableServer

struct TurnSchedulerTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func `one that sends alone has long turns, and short ones for a while after another has sent`() {
        var turns = TurnScheduler()
        turns.noteReading(1, at: start)
        #expect(turns.turnEnd(from: start + .milliseconds(200)) == start + .milliseconds(204))
        turns.finish()
        turns.noteReading(2, at: start + .seconds(1))
        turns.noteReading(2, at: start + .seconds(2))
        #expect(turns.turnEnd(from: start + .milliseconds(1_099)) == start + .microseconds(1_099_250))
        turns.finish()
        #expect(turns.turnEnd(from: start + .milliseconds(1_100)) == start + .milliseconds(1_104))
        // Who was there first is another as well.
        turns.finish()
        turns.noteReading(1, at: start + .seconds(3))
        #expect(turns.turnEnd(from: start + .seconds(3)) == start + .seconds(3) + .microseconds(250))
    }

    @Test func `the turns of a round share what it has room for, and each has a little`() {
        var turns = TurnScheduler()
        turns.noteReading(1, at: start)
        let end = turns.turnEnd(from: start)
        #expect(end == start + .microseconds(250))
        #expect(turns.turnEnd(from: start + .microseconds(100)) == end)
        #expect(turns.turnEnd(from: start + .microseconds(240)) == start + .microseconds(290))
        #expect(turns.turnEnd(from: start + .milliseconds(2)) == start + .microseconds(2_050))
        turns.finish()
        #expect(turns.turnEnd(from: start + .milliseconds(3)) == start + .microseconds(3_250))
    }

    @Test func `what is long has a millisecond between two looks at the sockets, however many rounds there are`() {
        var turns = TurnScheduler()
        func hasRoom(_ microseconds: Int64) -> Bool {
            defer { turns.finish() }
            return turns.hasRoomForMuch(at: start + .microseconds(microseconds))
        }
        #expect([0, 500, 1_000, 1_001, 5_000].map(hasRoom) == [true, true, true, false, false])
        turns.noteLook()
        #expect([6_000, 7_000, 7_001].map(hasRoom) == [true, true, false])
    }
}
