import NIOCore
import Testing

@testable import DiffableServer

struct TimeSliceSchedulerTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func `one that sends alone has long turns, and short ones for a while after another has sent`() {
        var turns = TimeSliceScheduler()
        turns.noteReading(1, at: start)
        #expect(turns.timeSliceEnd(from: start + .milliseconds(200)) == start + .milliseconds(204))
        turns.finish()
        turns.noteReading(2, at: start + .seconds(1))
        turns.noteReading(2, at: start + .seconds(2))
        #expect(turns.timeSliceEnd(from: start + .milliseconds(1_099)) == start + .microseconds(1_099_250))
        turns.finish()
        #expect(turns.timeSliceEnd(from: start + .milliseconds(1_100)) == start + .milliseconds(1_104))
        // The first user is also a different one.
        turns.finish()
        turns.noteReading(1, at: start + .seconds(3))
        #expect(turns.timeSliceEnd(from: start + .seconds(3)) == start + .seconds(3) + .microseconds(250))
    }

    @Test func `the turns of a round share what it has room for, and each has a little`() {
        var turns = TimeSliceScheduler()
        turns.noteReading(1, at: start)
        let end = turns.timeSliceEnd(from: start)
        #expect(end == start + .microseconds(250))
        #expect(turns.timeSliceEnd(from: start + .microseconds(100)) == end)
        #expect(turns.timeSliceEnd(from: start + .microseconds(240)) == start + .microseconds(290))
        #expect(turns.timeSliceEnd(from: start + .milliseconds(2)) == start + .microseconds(2_050))
        turns.finish()
        #expect(turns.timeSliceEnd(from: start + .milliseconds(3)) == start + .microseconds(3_250))
    }

    @Test func `what is long has a millisecond between two polls of the sockets, however many rounds there are`() {
        var turns = TimeSliceScheduler()
        func hasRoom(_ microseconds: Int64) -> Bool {
            defer { turns.finish() }
            return turns.hasRoomForLongLines(at: start + .microseconds(microseconds))
        }
        #expect([0, 500, 1_000, 1_001, 5_000].map(hasRoom) == [true, true, true, false, false])
        turns.notePoll()
        #expect([6_000, 7_000, 7_001].map(hasRoom) == [true, true, false])
    }

    @Test func `all connections of a user share the user's part of a round`() {
        var turns = TimeSliceScheduler()
        let (alice, bob) = (UserShare(1), UserShare(2))
        func mayRead(_ number: Int, _ user: UserShare, _ microseconds: Int64) -> Bool {
            turns.mayRead(number, of: user, at: start + .microseconds(microseconds))
        }
        #expect(mayRead(1, alice, 0) && mayRead(2, alice, 4_000))
        #expect(!mayRead(3, alice, 4_001))
        #expect(mayRead(4, bob, 5_000), "another user's part")
        turns.finish()
        // Time slices are shorter while two users are active.
        #expect(mayRead(1, alice, 10_000) && mayRead(2, alice, 11_000) && !mayRead(3, alice, 11_001))
        turns.noteReading(3, at: start)
        #expect(mayRead(3, alice, 12_000), "what it has begun is limited by its own turn")
        turns.finish()
        #expect(mayRead(1, alice, 2_000_000) && mayRead(2, alice, 2_004_000) && !mayRead(4, alice, 2_004_001))
    }

    @Test func `long lines of one user leave room for those of another`() {
        let turns = TimeSliceScheduler()
        let (alice, bob) = (UserShare(1), UserShare(2))
        func hasRoom(_ user: UserShare, _ microseconds: Int64) -> Bool {
            var hasRoom = false
            turns.served.serve(user) { hasRoom = turns.hasRoomForLongLines(at: start + .microseconds(microseconds)) }
            return hasRoom
        }
        #expect(hasRoom(alice, 0) && hasRoom(alice, 1_000) && !hasRoom(alice, 1_001))
        #expect(hasRoom(bob, 1_001) && !hasRoom(alice, 1_002))
    }

    @Test func `a user's connections are served for one part between two polls of the sockets`() {
        var turns = TimeSliceScheduler()
        let (alice, bob) = (UserShare(1), UserShare(2))
        #expect(turns.servingEnd(of: alice, from: start) == start + .milliseconds(4))
        turns.finish()
        #expect(turns.servingEnd(of: alice, from: start + .milliseconds(3)) == start + .milliseconds(4))
        #expect(turns.servingEnd(of: bob, from: start + .milliseconds(3)) == start + .milliseconds(7))
        turns.notePoll()
        #expect(turns.servingEnd(of: alice, from: start + .milliseconds(9)) == start + .milliseconds(13))
    }

    @Test func `elements of users are taken in turns, and each user's in order`() {
        var queues = UserQueues<String>()
        for element in ["a1", "a2", "a3"] { queues.append(element, of: 1) }
        queues.append("b1", of: nil)
        var taken: [String] = []
        while let user = queues.beginTurn() {
            if let element = queues.next(of: user) { taken.append(element) }
            if taken.count == 2 { queues.append("b2", of: nil) }
            queues.endTurn(of: user)
        }
        #expect(taken == ["a1", "b1", "a2", "b2", "a3"])
        #expect(queues.isEmpty)
    }

    @Test func `a user whose lines waited counts as active`() {
        var turns = TimeSliceScheduler()
        turns.noteReading(of: UserShare(1), at: start)
        #expect(!turns.isShared(at: start))
        turns.noteReading(of: UserShare(2), at: start)
        #expect(turns.isShared(at: start + .milliseconds(999)) && !turns.isShared(at: start + .seconds(1)))
    }
}
