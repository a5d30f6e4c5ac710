import Testing

@testable import DiffableStore

/// Single cases that the simulation meets by chance.
struct SharingMachineTests {
    private let one = SharedPosition(batch: 1, chain: SharedChain(value: 1))
    private let other = SharedPosition(batch: 1, chain: SharedChain(value: 2))

    private func actions(
        _ machine: inout SharingMachine, _ body: (inout SharingMachine, inout [SharingMachine.Action]) -> Void
    ) -> [SharingMachine.Action] {
        var actions: [SharingMachine.Action] = []
        body(&machine, &actions)
        return actions
    }

    /// Returns a machine that has submitted a batch for request 1.
    private func appending() -> SharingMachine {
        var machine = SharingMachine(at: .beginning)
        _ = actions(&machine) { $0.setLive(true, &$1) }
        #expect(actions(&machine) { $0.addRequest(1, until: 10, &$1) } == [.build([1])])
        let built = SharingMachine.BuiltBatch(position: .beginning, next: one, requests: [1])
        #expect(actions(&machine) { $0.finishBuilding(built, &$1) } == [.append])
        return machine
    }

    @Test func `nothing is asked before the list is live, and what waits too long is told that nothing was sent`() {
        var machine = SharingMachine(at: .beginning)
        #expect(actions(&machine) { $0.addRequest(1, until: 10, &$1) } == [])
        #expect(actions(&machine) { $0.timeOutRequests(at: 9, &$1) } == [])
        #expect(actions(&machine) { $0.timeOutRequests(at: 10, &$1) } == [.refuseUnreachable([1])])
        #expect(actions(&machine) { $0.setLive(true, &$1) } == [.tellLiveness])
    }

    // The daemon's timer is set to this deadline; without a waiting caller there is none.
    @Test func `only those who are not answered have a deadline`() {
        var machine = appending()
        #expect(actions(&machine) { $0.addRequest(2, until: 20, &$1) } == [])
        #expect(machine.nextDeadline() == 10)
        #expect(actions(&machine) { $0.settle(.done, &$1) } == [.commit, .build([2])])
        #expect(machine.nextDeadline() == 20)
        machine.forget(2)
        #expect(machine.nextDeadline() == nil)
        #expect(actions(&machine) { $0.addRequest(3, &$1) } == [])
        #expect(machine.nextDeadline() == nil, "it waits as long as it takes")
    }

    @Test func `what was sent and is not answered is not known, and is the next to be sent`() {
        var machine = appending()
        #expect(actions(&machine) { $0.addRequest(2, until: 20, &$1) } == [])
        #expect(actions(&machine) { $0.settle(.unknown, &$1) } == [])
        #expect(actions(&machine) { $0.timeOutRequests(at: 10, &$1) } == [.refuseUnknown([1])])
        #expect(actions(&machine) { $0.setLive(true, &$1) } == [.append], "the same, before the request 2")
        // An unsent retry says nothing about the first attempt.
        #expect(actions(&machine) { $0.settle(.unreachable, &$1) } == [])
        #expect(actions(&machine) { $0.setLive(true, &$1) } == [.append])
        #expect(actions(&machine) { $0.settle(.done, &$1) } == [.commit, .build([2])])
        #expect(machine.position == one)
    }

    @Test func `a batch that lost is found again among those that are told, or made anew`() {
        var machine = appending()
        #expect(machine.arrival(of: 1, after: .beginning, upTo: one) == .own)
        #expect(machine.arrival(of: 1, after: .beginning, upTo: other) == .next)
        #expect(machine.arrival(of: 1, after: other.chain, upTo: one) == .misfit)
        #expect(machine.arrival(of: 2, after: one.chain, upTo: one) == .ahead)
        var lost = machine
        #expect(actions(&machine) { $0.advance(to: one, &$1) } == [.commit])
        #expect(actions(&lost) { $0.advance(to: other, &$1) } == [.discard])
        #expect(actions(&lost) { $0.buildNextBatch(&$1) } == [.build([1])])
        #expect(lost.arrival(of: 1, after: .beginning, upTo: one) == .known)
    }

    @Test func `that a batch lost without a word of what won settles nothing`() {
        var machine = appending()
        #expect(actions(&machine) { $0.settle(.lost, &$1) } == [.askForRows])
        #expect(actions(&machine) { $0.addRequest(2, until: 20, &$1) } == [])
        #expect(actions(&machine) { $0.advance(to: one, &$1) } == [.commit])
    }

    @Test func `what rests on the newest state is answered when that is known`() {
        var machine = SharingMachine(at: .beginning)
        _ = actions(&machine) { $0.setLive(true, &$1) }
        _ = actions(&machine) { $0.addRequest(1, until: 10, &$1) }
        let built = SharingMachine.BuiltBatch(position: .beginning, resting: [1])
        #expect(actions(&machine) { $0.finishBuilding(built, &$1) } == [.confirm])
        var overtaken = machine
        #expect(actions(&machine) { $0.settle(.done, &$1) } == [.answer([1])])
        _ = actions(&overtaken) { $0.advance(to: other, &$1) }
        #expect(actions(&overtaken) { $0.buildNextBatch(&$1) } == [.build([1])])
    }
}
