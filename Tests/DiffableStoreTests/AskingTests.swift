import Diffable
import DiffableStore
import Testing

/// What the store has to say about what somebody asks of a list's handler.
struct AskingTests {
    private let bench = Bench()
    private let alice = Peer(userID: 1_001, groupID: 2_001)

    private func ask(_ place: AskedPlace?, by peer: Peer = .daemon) {
        bench.store.later { [bench] store in
            store.ask("tasks", about: place, by: peer) { bench.log.append("ask: \($0.summary)") }
        }
    }

    private func consider(_ proposal: Proposal) {
        bench.store.later { [bench] store in
            store.consider(proposal) { result in
                bench.log.append("consider: \(result.summary)\((try? result.get().isRepeated) == true ? " again" : "")")
            }
        }
    }

    private func carryOut(_ proposal: Proposal, with operations: [ListOperation]? = nil) {
        bench.store.later { [bench] store in
            store.carryOut(proposal, with: operations) { bench.log.append("carry out: \($0.summary)") }
        }
    }

    private func settle(_ answer: (FakeJournal) -> Void = { $0.succeed() }) async {
        await bench.store.settle()
        if !bench.journal.waitingGroups.isEmpty { answer(bench.journal) }
        await bench.store.settle()
    }

    @Test func `it is about the newest state, and nobody is asked before that is on disk`() async {
        await bench.createDurable("tasks")
        bench.transact("tasks", [.appendSections([Section(id: "s")])])
        ask(AskedPlace(section: "s", ifRevision: 1))
        ask(AskedPlace(ifRevision: 0))
        await bench.store.settle()
        #expect(bench.log.lines == [])
        await settle()
        #expect(bench.log.lines.last { $0.hasPrefix("ask: at") } == "ask: at 1", "\(bench.log.lines)")
        #expect(bench.log.lines.last?.contains("revisionMismatch") == true, "\(bench.log.lines)")
        bench.log.clear()
        bench.transact("tasks", [.appendSections([Section(id: "t")])])
        ask(AskedPlace(section: "t"))
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
        // It comes again, and is the same one whatever was applied.
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
        // Of what is in a list that one may not see nothing is told.
        bench.log.clear()
        ask(AskedPlace(items: ["x"]), by: alice)
        ask(AskedPlace(ifRevision: 0), by: alice)
        await bench.store.settle()
        #expect(bench.log.lines.count == 2 && bench.log.lines.allSatisfy { $0.contains("permissionDenied") })
    }
}
