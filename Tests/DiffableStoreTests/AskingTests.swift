import Diffable
import Testing

@testable import DiffableStore

/// The store's part in requests to a list's handler.
struct AskingTests {
    private let bench = Bench()
    private let alice = Peer(userID: 1_001, groupID: 2_001)

    private func ask(_ place: HandlerRequestTarget?, by peer: Peer = .daemon) {
        bench.store.later { [bench] store in
            store.checkHandlerRequest("tasks", about: place, by: peer) { bench.log.append("ask: \($0.summary)") }
        }
    }

    private func consider(_ proposal: Proposal) {
        bench.store.later { [bench] store in
            store.evaluate(proposal) { result in
                bench.log.append("consider: \(result.summary)\((try? result.get().isRepeated) == true ? " again" : "")")
            }
        }
    }

    private func carryOut(
        _ proposal: Proposal, with operations: [ListOperation]? = nil, after evaluation: ProposalEvaluationID? = nil
    ) {
        bench.store.later { [bench] store in
            store.carryOut(proposal, with: operations, after: evaluation) {
                bench.log.append("carry out: \($0.summary)")
            }
        }
    }

    /// Returns the outcome of a volatile list's proposal.
    private func found(_ proposal: Proposal) async throws -> Outcome {
        try await withCheckedContinuation { continuation in
            bench.store.later { $0.evaluate(proposal) { continuation.resume(returning: $0) } }
        }.get()
    }

    private func settle(_ answer: (FakeJournal) -> Void = { $0.succeed() }) async {
        await bench.store.settle()
        if !bench.journal.waitingGroups.isEmpty { answer(bench.journal) }
        await bench.store.settle()
    }

    @Test func `it is about the newest state, and nobody is asked before that is on disk`() async {
        await bench.createDurable("tasks")
        bench.transact("tasks", [.appendSections([Section(id: "s")])])
        ask(HandlerRequestTarget(section: "s", ifRevision: 1))
        ask(HandlerRequestTarget(ifRevision: 0))
        await bench.store.settle()
        #expect(bench.log.lines == [])
        await settle()
        #expect(bench.log.lines.last { $0.hasPrefix("ask: at") } == "ask: at 1", "\(bench.log.lines)")
        #expect(bench.log.lines.last?.contains("revisionMismatch") == true, "\(bench.log.lines)")
        bench.log.clear()
        bench.transact("tasks", [.appendSections([Section(id: "t")])])
        ask(HandlerRequestTarget(section: "t"))
        await settle { $0.fail(.noSpace) }
        #expect(
            bench.log.lines.allSatisfy { $0.contains("noSpace") } && bench.log.lines.count == 2, "\(bench.log.lines)")
    }

    @Test func `who may ask proposes, and consent is the right to it`() async {
        let store = bench.store
        await store.run { store in
            store.createList("tasks", durability: .volatile, mode: AccessMode(bits: 0o605)) { _ in }
            store.transact("tasks", [.appendSections([Section(id: "s")])]) { _ in }
        }
        let append = ListOperation.appendItems([Item(id: "x")])
        bench.transact("tasks", [append], by: alice)
        var proposal = Proposal(list: "tasks", operations: [append], requestKey: "k", peer: alice)
        consider(proposal)
        carryOut(proposal, with: [.appendItems([Item(id: "y")])])
        // The repeated request is the same one, even after other changes.
        consider(proposal)
        carryOut(proposal)
        await store.settle()
        #expect(
            bench.log.lines.map { $0.contains("permissionDenied") ? "denied" : $0 }
                == ["denied", "consider: at 1", "carry out: at 2", "consider: at 2 again", "carry out: at 2"],
            "\(bench.log.lines)")
        #expect(await store.list("tasks")?.snapshot.itemIdentifiers == ["y"])
        proposal.operations = [.appendItems([Item(id: "z")])]
        bench.log.clear()
        consider(proposal)
        await store.settle()
        #expect(bench.log.lines.first?.contains("requestKeyReused") == true, "\(bench.log.lines)")
    }

    @Test func `what was found is carried out as it is, as long as the list is the one it was found for`() async throws
    {
        let store = bench.store
        await store.run { store in
            store.createList("tasks", durability: .volatile) { _ in }
            store.transact("tasks", [.appendSections([Section(id: "s")])]) { _ in }
        }
        func proposal(_ item: ItemID) -> Proposal {
            Proposal(list: "tasks", operations: [.appendItems([Item(id: item)])])
        }
        func items() async -> [ItemID]? { await store.list("tasks")?.snapshot.itemIdentifiers }
        let x = try await found(proposal("x"))
        // Applying it a second time would do this.
        carryOut(proposal("else"), after: x.evaluation)
        await store.settle()
        #expect(await items() == ["x"])
        // Another client's proposal, other operations, a change, other limits: it is applied to the current state.
        let y = try await found(proposal("y"))
        let z = try await found(proposal("z"))
        carryOut(proposal("y"), after: y.evaluation)
        carryOut(proposal("z"), after: z.evaluation)
        await store.settle()
        #expect(await items() == ["x", "y", "z"])
        let a = try await found(proposal("a"))
        carryOut(proposal("a"), with: [.appendItems([Item(id: "b")])], after: a.evaluation)
        await store.settle()
        #expect(await items() == ["x", "y", "z", "b"])
        let c = try await found(proposal("c"))
        bench.transact("tasks", [.appendItems([Item(id: "c")])])
        carryOut(proposal("c"), after: c.evaluation)
        await store.settle()
        #expect(bench.log.lines.last == "carry out: transaction", "\(bench.log.lines)")
        let d = try await found(proposal("d"))
        await store.run { store in
            var limits = store.limits
            limits.snapshot.itemsMax = 5
            store.apply(limits)
        }
        carryOut(proposal("d"), after: d.evaluation)
        await store.settle()
        #expect(await items() == ["x", "y", "z", "b", "c"], "\(bench.log.lines)")
    }

    @Test func `what was found is let go of when nothing comes of it`() async throws {
        await bench.store.run { store in store.createList("tasks", durability: .volatile) { _ in } }
        let proposal = Proposal(list: "tasks", operations: [.appendSections([Section(id: "s")])])
        let evaluation = try #require(try await found(proposal).evaluation)
        await bench.store.run { store in
            #expect(store.storedLists["tasks"]?.evaluated != nil)
            store.forget(evaluation, of: "tasks")
            #expect(store.storedLists["tasks"]?.evaluated == nil)
        }
        _ = try await found(proposal)
        bench.transact("tasks", [.appendSections([Section(id: "t")])])
        await bench.store.run { store in #expect(store.storedLists["tasks"]?.evaluated == nil) }
    }

    @Test func `who may not ask is told so, or that there is no list`() async {
        for (mode, answer) in [(0o604, "permissionDenied"), (0o600, "noSuchList"), (0o602, "at"), (0o601, "at")] {
            await bench.store.run { store in
                store.deleteList("tasks") { _ in }
                store.createList("tasks", durability: .volatile, mode: AccessMode(bits: mode)) { _ in }
            }
            bench.log.clear()
            ask(nil, by: alice)
            await bench.store.settle()
            #expect(bench.log.lines.first?.contains(answer) == true, "\(mode): \(bench.log.lines)")
        }
        // A caller without read access learns nothing about the list.
        bench.log.clear()
        ask(HandlerRequestTarget(items: ["x"]), by: alice)
        ask(HandlerRequestTarget(ifRevision: 0), by: alice)
        await bench.store.settle()
        #expect(bench.log.lines.count == 2 && bench.log.lines.allSatisfy { $0.contains("permissionDenied") })
    }
}
