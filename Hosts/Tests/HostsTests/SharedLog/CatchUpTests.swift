import SharedLog
import Testing

@Suite struct CatchUpTests {
    private let head = Head(
        epoch: "E", position: Position(batch: 9, revision: 20, chain: "i"),
        checkpoint: CheckpointPlace(position: Position(batch: 6, revision: 12, chain: "f"), parts: 1), oldest: 5)

    private func lacks(_ batch: Int, _ chain: String?) -> CatchUp {
        CatchUp(Replica(batch: batch, revision: 0, chain: chain), to: head)
    }

    @Test func aReplicaAtTheHeadLacksNothing() { #expect(lacks(9, "i") == .nothing) }

    @Test func aReplicaBehindLacksBatchesWhileTheyAreThere() {
        #expect(lacks(8, "h") == .batches)
        #expect(lacks(4, "d") == .batches)
    }

    @Test func aReplicaBeforeTheLogLacksTheState() throws {
        let place = try #require(head.checkpoint)
        #expect(lacks(3, "c") == .state(place))
        #expect(lacks(0, "") == .state(place))
    }

    @Test func aReplicaThatIsFurtherOrElsewhereNeedsANewEpoch() {
        #expect(lacks(10, "j") == .newEpoch)
        #expect(lacks(9, "x") == .newEpoch)
    }

    @Test func aReplicaThatDoesNotKnowItsChainTakesTheStateOrEverything() throws {
        let place = try #require(head.checkpoint)
        #expect(lacks(2, nil) == .state(place))
        #expect(lacks(6, nil) == .anew)
        #expect(lacks(9, nil) == .anew)
    }

    @Test func aTextGoesOnWhereItsChainDoes() {
        let text = #"{"batch":3,"after":"b","revision":4}"#
        #expect(CatchUp.goesOn(text, after: Replica(batch: 2, revision: 3, chain: "b")))
        #expect(!CatchUp.goesOn(text, after: Replica(batch: 2, revision: 3, chain: "c")))
        #expect(!CatchUp.goesOn(text, after: Replica(batch: 1, revision: 3, chain: "b")))
    }
}
