import SharedLog
import Testing

@Suite struct TurnQueueTests {
    private let a = TurnQueue.Ticket(host: "a", number: 5)
    private let b = TurnQueue.Ticket(host: "b", number: 3)

    @Test func theOldestTicketIsTheFirst() {
        var queue = TurnQueue()
        queue.take(.left(b, at: 3))
        queue.take(.left(a, at: 5))
        #expect(queue.first() == b)
        #expect(queue.first(without: [b]) == a)
        #expect(queue.first(without: [a, b]) == nil)
        queue.take(.gone(host: "b", at: 6))
        #expect(queue.first() == a)
        #expect(queue.has("a") && !queue.has("b"))
    }

    @Test func whatIsOlderThanWhatIsKnownChangesNothing() {
        var queue = TurnQueue()
        queue.take(.read([a], at: 7, isWhole: true))
        queue.take(.left(b, at: 3))
        queue.take(.gone(host: "a", at: 6))
        queue.take(.read([], at: 6, isWhole: true))
        #expect(queue.first() == a)
    }

    @Test func aReadingReplacesWhatWasHeardUnlessThereIsMore() {
        var queue = TurnQueue()
        queue.take(.left(b, at: 3))
        queue.take(.read([a], at: 7, isWhole: false))
        #expect(queue.has("a") && queue.has("b"))
        queue.take(.read([a], at: 7, isWhole: true))
        #expect(queue.has("a") && !queue.has("b"))
    }
}
