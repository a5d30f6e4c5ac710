import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

@testable import DiffableClient

/// The states that a consumer receives, without a connection.
@Suite struct `A consumer` {
    private static func message(_ line: String) throws -> Message {
        try Array(line.utf8).withUnsafeBytes { try Message(line: $0) }
    }

    private static func reset(
        _ items: [String], to revision: Int, reason: String = "initial", more: Bool = false
    ) throws -> Message {
        let operations = #"[{"op":"appendSections","sections":[{"id":"s"}]},\#(append(items))]"#
        return try message(
            #"{"method":"reset","params":{"subscription":1,"list":"l","epoch":"e","revision":\#(revision),"#
                + #""reason":"\#(reason)","operations":\#(operations),"more":\#(more)}}"#)
    }

    private static func changes(_ items: [String], from: Int, to revision: Int, more: Bool = false) throws -> Message {
        try message(
            #"{"method":"changes","params":{"subscription":1,"list":"l","from":\#(from),"revision":\#(revision),"#
                + #""operations":[\#(append(items))],"more":\#(more)}}"#)
    }

    private static func append(_ items: [String]) -> String {
        let items = items.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
        return #"{"op":"appendItems","section":"s","items":[\#(items)]}"#
    }

    private static func update(_ state: inout NewestState) -> Subscription.Update? {
        if case .update(let update) = state.takeOutput(of: "l") { update } else { nil }
    }

    private static func failure(_ state: inout NewestState) -> ClientError? {
        if case .end(.failure(let error)) = state.takeOutput(of: "l") { error } else { nil }
    }

    @Test func `is given the state, then each change, and waits in between`() throws {
        var state = NewestState()
        #expect(!state.isDue && state.takeOutput(of: "l") == nil)
        state.receive(try Self.reset(["a"], to: 4))
        let first = try #require(Self.update(&state))
        #expect(first.cause == .initial && first.revision == 4 && first.previous.isEmpty)
        #expect(state.takeOutput(of: "l") == nil)
        state.receive(try Self.changes(["b"], from: 4, to: 5))
        let second = try #require(Self.update(&state))
        #expect(second.cause == .changes && second.revision == 5 && second.previous == first.snapshot)
        #expect(second.snapshot.itemIdentifiers == ["a", "b"])
    }

    @Test func `knows the pins and sections that an update does not name`() throws {
        let view = try ListView(
            window: .offset(0, limit: 5, keep: ["a"], pins: ["a", "b", "c"], allSections: true))
        var state = NewestState()
        state.setView(CurrentView.Version(number: 1, view: view.view))
        func receive(_ method: String, _ members: String, more: Bool = false) throws {
            let text = #"{"method":"\#(method)","params":{"subscription":1,"list":"l","epoch":"e","reason":"initial","#
            state.receive(try Self.message(text + #""more":\#(more),\#(members)}}"#))
        }
        let sections = #""operations":[{"op":"appendSections","sections":[{"id":"s"},{"id":"t"}]}]"#
        try receive("reset", #""revision":1,"offset":0,"total":4,"pins":{"a":1,"b":null},\#(sections)"#, more: true)
        try receive("reset", #""revision":1,"offset":0,"total":4,"pins":{"c":3},"rows":{"s":4,"t":0},"operations":[]"#)
        var window = try #require(Self.update(&state)?.window)
        #expect(window.pins == ["a": 1, "b": nil, "c": 3] && window.rows == ["s": 4, "t": 0])
        let deletion = #""operations":[{"op":"deleteSections","sections":["t"]}]"#
        try receive("changes", #""from":1,"revision":2,"offset":7,"total":5,"pins":{"a":null,"b":0},\#(deletion)"#)
        window = try #require(Self.update(&state)?.window)
        #expect(window.pins == ["a": nil, "b": 0, "c": 3] && window.rows == ["s": 4] && window.offset == 7)
        // Another connection continues with the window where it is.
        let since = try #require(state.mirror.since)
        #expect(since.revision == 2 && since.view?.window?.start == .offset(7))
    }

    @Test func `who is slow is given the newest state and one difference`() throws {
        var state = NewestState()
        state.receive(try Self.reset(["0"], to: 0))
        _ = Self.update(&state)
        for revision in 1...100 {
            state.receive(try Self.changes(["\(revision)"], from: revision - 1, to: revision))
        }
        let update = try #require(Self.update(&state))
        #expect(update.revision == 100 && update.previous.itemIdentifiers == ["0"])
        #expect(update.difference.count == 1 && update.snapshot.numberOfItems == 101)
        #expect(!state.isDue)
    }

    @Test func `never sees a group that is not whole`() throws {
        var state = NewestState()
        state.receive(try Self.reset(["a"], to: 1))
        _ = Self.update(&state)
        state.receive(try Self.changes(["b"], from: 1, to: 2, more: true))
        #expect(state.takeOutput(of: "l") == nil)
        state.receive(try Self.changes(["c"], from: 1, to: 2))
        #expect(try #require(Self.update(&state)).snapshot.itemIdentifiers == ["a", "b", "c"])
    }

    @Test func `forgets a group that was cut off, and goes on from the last whole one`() throws {
        var state = NewestState()
        state.receive(try Self.reset(["a"], to: 1))
        state.receive(try Self.changes(["b"], from: 1, to: 2, more: true))
        state.finish(.failure(.connectionLost("/nowhere")))
        // Updates from before the end are delivered first.
        #expect(try #require(Self.update(&state)).revision == 1)
        #expect(Self.failure(&state) == .connectionLost("/nowhere"))
        state.resume(.everything)
        #expect(!state.isDue && state.mirror.since == .init(epoch: "e", revision: 1, view: View()))
        state.receive(try Self.changes(["c"], from: 1, to: 3))
        let update = try #require(Self.update(&state))
        #expect(update.snapshot.itemIdentifiers == ["a", "c"] && update.cause == .changes)
        #expect(update.previous.itemIdentifiers == ["a"])
    }

    @Test func `starts over when a reset was cut off before there was a state`() throws {
        var state = NewestState()
        state.receive(try Self.reset(["a"], to: 1, more: true))
        state.finish(.failure(.connectionLost("/nowhere")))
        state.resume(.everything)
        #expect(state.mirror.since == nil)
        state.receive(try Self.reset(["b"], to: 2))
        #expect(try #require(Self.update(&state)).snapshot.itemIdentifiers == ["b"])
    }

    @Test(arguments: [
        ("history", UpdateCause.history), ("epoch", .epoch), ("reload", .reload), ("fancy", .unknown),
        // Values that are not causes of a reset.
        ("changes", .unknown), ("deleted", .unknown),
    ])
    func `is told of a reset, with its reason and all that became different`(
        reason: String, cause: UpdateCause
    ) throws {
        var state = NewestState()
        state.receive(try Self.reset(["a", "b"], to: 1))
        _ = Self.update(&state)
        state.resume(.everything)
        state.receive(try Self.reset(["b", "c"], to: 9, reason: reason))
        // The reset takes precedence over later changes until it is read.
        state.receive(try Self.changes(["d"], from: 9, to: 10))
        let update = try #require(Self.update(&state))
        #expect(update.cause == cause && update.cause.isReset && update.revision == 10)
        #expect(update.previous.itemIdentifiers == ["a", "b"] && update.snapshot.itemIdentifiers == ["b", "c", "d"])
        #expect(update.snapshot == (try update.previous.applying(update.difference)))
    }

    @Test func `has seen nothing yet, whatever the reason of the reset that it sees first`() throws {
        var state = NewestState()
        state.receive(try Self.reset(["a"], to: 1))
        state.resume(.everything)
        state.receive(try Self.reset(["b"], to: 2, reason: "epoch"))
        #expect(try #require(Self.update(&state)).cause == .initial)
    }

    @Test func `is told that the list is gone, and of the next one of that name`() throws {
        let deleted = try Self.message(#"{"method":"listDeleted","params":{"subscription":1,"list":"l"}}"#)
        var state = NewestState(ifAbsent: .isAwaited)
        // The consumer saw nothing of the first reset.
        state.receive(try Self.reset(["a"], to: 1))
        state.receive(deleted)
        #expect(state.takeOutput(of: "l") == nil && !state.isDue)
        state.receive(try Self.reset(["b"], to: 3, reason: "epoch"))
        #expect(Self.update(&state)?.cause == .initial)
        state.receive(try Self.changes(["c"], from: 3, to: 4))
        state.receive(deleted)
        let gone = try #require(Self.update(&state))
        #expect(gone.cause == .deleted && !gone.cause.isReset && gone.snapshot.isEmpty && gone.revision == 4)
        #expect(gone.previous.itemIdentifiers == ["b"] && state.mirror.since == nil)
        // After a reconnection, the daemon treats it as a first state.
        state.resume(.everything)
        state.receive(try Self.reset(["d"], to: 1))
        let next = try #require(Self.update(&state))
        #expect(next.cause == .epoch && next.snapshot.itemIdentifiers == ["d"] && next.previous.isEmpty)
        state.receive(deleted)
        state.receive(try Self.reset(["e"], to: 0, reason: "epoch"))
        #expect(Self.update(&state)?.cause == .epoch)
    }

    @Test func `sees through another view after the group that is under way`() throws {
        let (first, second) = (
            CurrentView.Version(number: 1, view: View()), CurrentView.Version(number: 2, view: View())
        )
        var state = NewestState()
        state.receive(try Self.reset(["a"], to: 1))
        state.setView(first)
        #expect(state.mirror.view.number == 0)
        state.receive(try Self.changes(["b"], from: 1, to: 1, more: true))
        state.setView(second)
        state.receive(try Self.changes(["c"], from: 1, to: 1))
        #expect(state.mirror.view.number == 1)
        // Unanswered requests are forgotten with the connection.
        state.resume(state.mirror.view)
        state.receive(try Self.changes(["d"], from: 1, to: 2))
        #expect(state.mirror.view.number == 1)
        state.setView(second)
        state.receive(try Self.changes(["e"], from: 2, to: 2))
        #expect(state.mirror.view.number == 2)
    }

    @Test func `is told when what comes does not fit`() throws {
        for line in [
            try Self.changes(["b"], from: 2, to: 3), try Self.changes(["a"], from: 1, to: 2),
        ] {
            var state = NewestState()
            state.receive(try Self.reset(["a"], to: 1))
            _ = Self.update(&state)
            state.receive(line)
            guard case .unintelligible = Self.failure(&state) else {
                Issue.record("nothing is wrong with \(line)")
                continue
            }
        }
        var state = NewestState()
        state.receive(try Self.changes(["a"], from: 0, to: 1))
        guard case .unintelligible = Self.failure(&state) else { throw Failure() }
    }

    private struct Failure: Error {}
}

extension SocketPath: ExpressibleByStringLiteral {
    public init(stringLiteral: String) { self.init(stringLiteral) }
}
