import Testing

/// Runs the validators on handwritten histories: each accepts a good one and rejects its fault.
@Suite struct PromiseTests {
    @Test(arguments: Promise.all)
    func `nothing is wrong with a history that keeps every promise`(promise: Promise) {
        #expect(promise.violations(Self.good) == [])
    }

    @Test(arguments: Fault.all)
    func `a broken promise is noticed`(fault: Fault) {
        #expect(fault.promise.violations(fault.events) != [], "\(fault.promise.name)")
    }

    /// Only the promises that a fault breaks are named.
    @Test(arguments: Fault.all)
    func `a promise that is kept is not said to be broken`(fault: Fault) {
        let named = Promise.all.filter { $0.violations(fault.events) != [] }.map(\.name)
        #expect(named.count <= fault.promisesMax, "\(named)")
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var promise: Promise
        var events: [Chronicle.Event]
        /// The most promises that it breaks.
        var promisesMax = 1

        init(_ description: String, _ promise: Promise, max: Int = 1, _ events: [Chronicle.Event]) {
            testDescription = description
            self.promise = promise
            self.events = events
            promisesMax = max
        }

        static let all = [
            Fault("a group is missing", .noGap, [subscribed("a"), reset("a", 1), changes("a", 2, 3)]),
            Fault("a first group of changes from nowhere", .noGap, max: 2, [subscribed("a"), changes("a", 1, 2)]),
            Fault("changes that go nowhere", .noGap, max: 2, [subscribed("a"), reset("a", 2), changes("a", 2, 2)]),
            Fault("half a transaction", .wholeTransactions, [read("a", 2), read("b", 3, [1, 1])]),
            Fault("a transaction gone in a later state", .order, [read("a", 2, [2, 0]), read("b", 3, [1, 2])]),
            Fault(
                "two groups the wrong way round", .order, max: 2,
                [subscribed("a"), reset("a", 1), changes("a", 2, 3), changes("a", 1, 2)]),
            Fault("two states of one name", .uniqueRevisions, max: 2, [read("a", 2), read("b", 2, digest: 7)]),
            Fault(
                "a mirror that is not the state", .convergence, max: 2,
                [subscribed("a"), reset("a", 1), changes("a", 1, 2, digest: 7), audit("a", 2)]),
            Fault("operations that fit nothing", .convergence, [event("a", .misfit("there is no item"))]),
            Fault(
                "a move too many", .fewMoves,
                [subscribed("a"), reset("a", 1), changes("a", 1, 2, moves: Chronicle.Moves(made: 2, least: 1))]),
            Fault(
                "a reset without a reason for one who comes back", .resumeOrReset,
                [subscribed("a"), reset("a", 1), subscribed("a", since: 1, isResumed: false), reset("a", 2)]),
            Fault(
                "resumed somewhere else", .resumeOrReset, max: 2,
                [subscribed("a"), reset("a", 1), subscribed("a", since: 1, isResumed: true), changes("a", 2, 3)]),
            Fault(
                "resumed and yet reset", .resumeOrReset,
                [
                    subscribed("a"), reset("a", 1), subscribed("a", since: 1, isResumed: true),
                    reset("a", 2, reason: "history"),
                ]),
            Fault("no word on whether it is resumed", .resumeOrReset, [subscribed("a", since: 1, isResumed: nil)]),
            Fault(
                "acknowledged and lost", .durableFirst, max: 2,
                [acknowledged(0, 1, at: 1), read("b", 0, [0, 0], life: 2)]),
            Fault("seen and lost", .durableFirst, [read("a", 1), read("b", 0, life: 2)]),
            Fault(
                "made twice", .exactlyOnce, [acknowledged(0, 1, at: 1), acknowledged(0, 1, at: 2, isRepeated: true)]),
            Fault(
                "refused though it was made", .exactlyOnce,
                [
                    acknowledged(0, 1, at: 1),
                    event("writer 0", .refused(.init(writer: 0, number: 1), error: "duplicateItem", isRepeated: true)),
                ]),
            Fault("one revision for two", .exactlyOnce, [acknowledged(0, 1, at: 1), acknowledged(1, 1, at: 1)]),
            Fault("the revision of another", .exactlyOnce, [read("a", 3), acknowledged(0, 1, at: 3)]),
            Fault(
                "a read without what was answered", .readYourWrites,
                [acknowledged(0, 1, at: 1), read("b", 0, begun: 1)]),
            Fault(
                "the answer before the change", .ownChangeFirst,
                [subscribed("writer 0"), reset("writer 0", 0), acknowledged(0, 1, at: 1)]),
            Fault(
                "the old view after setView", .viewsFollow, max: 2,
                [subscribed("a"), reset("a", 1), event("a", .viewSet("{}")), changes("a", 1, 2)]),
            Fault(
                "setView without a group", .viewsFollow,
                [
                    subscribed("a"), reset("a", 1), event("a", .viewSet("{}")),
                    subscribed("a", since: 1, isResumed: true),
                ]),
            Fault("a bookmark ahead", .bookmarks, [subscribed("a"), reset("a", 1), bookmark("a", 2)]),
            Fault("a bookmark behind", .bookmarks, [subscribed("a"), reset("a", 2), bookmark("a", 1)]),
            Fault("a bookmark before anything", .bookmarks, [subscribed("a"), bookmark("a", 0)]),
            Fault("a bookmark of nothing", .bookmarks, [subscribed("a"), reset("a", 1), event("a", .bookmarked(nil))]),
            Fault("too many groups", .pace, [event("a", .paced(groups: 4, milliseconds: 250, minInterval: 100))]),
            Fault("a part of a lease ends", .leases, [kept(1, ["l": 2]), kept(2, ["l": 1]), kept(3, [:])]),
            Fault("a lease that stays", .leases, [kept(1, ["l": 2]), kept(2, ["l": 2, "": 1])]),
            Fault("two leases end at once", .leases, [kept(1, ["l": 2, "m": 1]), kept(2, [:])]),
            Fault("a lease takes what is not its own", .leases, [kept(1, ["l": 2, "": 1]), kept(2, [:])]),
            Fault("a lease ends with another's change", .leases, [kept(1, ["l": 2]), kept(2, ["": 1])]),
            Fault("a lease is ended by somebody", .leases, [kept(1, ["l": 2]), kept(2, [:], "writer 0")]),
            Fault(
                "a lease comes back", .leases, [kept(1, ["l": 2]), kept(2, [:]), kept(3, ["l": 2]), kept(4, [:])]),
            Fault(
                "half of what was leased", .leases, [leased("l", 2, at: 1), kept(1, ["l": 1]), kept(2, [:])]),
            Fault("the answer before the reset", .ownChangeFirst, [subscribed("writer 0"), acknowledged(0, 1, at: 1)]),
        ]
    }

    /// Two writers take turns; one subscriber sees everything, another leaves and returns after a crash.
    private static let good = [
        subscribed("writer 0"), reset("writer 0", 0), subscribed("a"), reset("a", 0),
        changes("writer 0", 0, 1), acknowledged(0, 1, at: 1), read("writer 0", 1, begun: 6),
        acknowledged(1, 1, at: 2), changes("a", 0, 2, moves: Chronicle.Moves(made: 1, least: 1)), audit("a", 2),
        subscribed("a", since: 2, isResumed: true, life: 2), changes("a", 2, 3, life: 2),
        subscribed("writer 0", life: 2), reset("writer 0", 3, life: 2),
        acknowledged(0, 2, at: 3, isRepeated: true, life: 2), acknowledged(1, 1, at: 2, isRepeated: true, life: 2),
        audit("a", 1, life: 2), subscribed("a", since: 3, isResumed: false, life: 2),
        reset("a", 4, reason: "history", life: 2), bookmark("a", 4), event("a", life: 2, .viewSet("v")),
        event("a", life: 2, .seen(state(4, digest: 40, view: "v"), .changes(from: 4), nil)),
        event("a", life: 2, .viewSet("w")), subscribed("a", since: 4, view: "v", isResumed: true, life: 3),
        event("a", life: 3, .seen(state(5, digest: 50, view: "v"), .changes(from: 4), nil)),
        event("b", life: 3, .paced(groups: 4, milliseconds: 300, minInterval: 100)),
        event("b", life: 3, .paced(groups: 5, milliseconds: 410, minInterval: 100)),
        event("b", life: 4, .paced(groups: 1, milliseconds: 0, minInterval: 100)),
        leased("l", 2, at: 2), leased("m", 1, at: 3), kept(1, [:]), kept(2, ["l": 2]), kept(3, ["l": 2, "m": 1]),
        kept(4, ["m": 1]), kept(5, ["m": 1, "": 1]), kept(6, ["m": 1, "n": 1, "": 1]),
        kept(7, ["": 1], "lease ended: restart"),
    ]
}

// Helpers for histories. At revision n, writers 0 and 1 have made n transactions in turns.

private func event(_ client: String, life: Int = 1, _ what: Chronicle.What) -> Chronicle.Event {
    Chronicle.Event(client: client, life: life, what: what)
}

private func state(
    _ revision: Int, _ numbers: [Int]? = nil, digest: UInt64? = nil, view: String = ""
) -> Chronicle.State {
    Chronicle.State(
        name: Chronicle.Name(epoch: "e", revision: revision, view: view),
        numbers: numbers ?? [(revision + 1) / 2, revision / 2],
        digest: digest ?? UInt64(revision))
}

private func subscribed(
    _ client: String, since: Int? = nil, view: String = "", isResumed: Bool? = nil, life: Int = 1
) -> Chronicle.Event {
    let since = since.map { Chronicle.Name(epoch: "e", revision: $0, view: view) }
    return event(client, life: life, .subscribed(since: since, isResumed: isResumed))
}

private func reset(_ client: String, _ revision: Int, reason: String = "initial", life: Int = 1) -> Chronicle.Event {
    event(client, life: life, .seen(state(revision), .reset(reason: reason), nil))
}

private func changes(
    _ client: String, _ from: Int, _ to: Int, digest: UInt64? = nil, moves: Chronicle.Moves? = nil, life: Int = 1
) -> Chronicle.Event {
    event(client, life: life, .seen(state(to, digest: digest), .changes(from: from), moves))
}

private func read(
    _ client: String, _ revision: Int, _ numbers: [Int]? = nil, digest: UInt64? = nil, begun: Int = 0, life: Int = 1
) -> Chronicle.Event {
    event(client, life: life, .read(state(revision, numbers, digest: digest), begun: begun))
}

private func audit(_ client: String, _ revision: Int, life: Int = 1) -> Chronicle.Event {
    event(client, life: life, .audited(state(revision)))
}

private func bookmark(_ client: String, _ revision: Int) -> Chronicle.Event {
    event(client, .bookmarked(Chronicle.Name(epoch: "e", revision: revision)))
}

private func kept(_ revision: Int, _ items: [String: Int], _ origin: String = "lease ended") -> Chronicle.Event {
    let name = Chronicle.Name(epoch: "f", revision: revision)
    return event("auditor", .kept(Chronicle.Kept(name: name, origin: origin, items: items)))
}

private func leased(_ lease: String, _ items: Int, at revision: Int) -> Chronicle.Event {
    event("leasing", .leased(lease: lease, items: items, Chronicle.Name(epoch: "f", revision: revision)))
}

private func acknowledged(
    _ writer: Int, _ number: Int, at revision: Int, isRepeated: Bool = false, life: Int = 1
) -> Chronicle.Event {
    event(
        "writer \(writer)", life: life,
        .acknowledged(
            Chronicle.Transaction(writer: writer, number: number), Chronicle.Name(epoch: "e", revision: revision),
            isRepeated: isRepeated))
}
