import Diffable
import DiffableProtocol
import Testing

@testable import DiffableServer

/// A transaction in parts is applied completely or not at all, even if one of its lines fails.
struct StagingTests {
    private var staging = TransactionAssembly()
    private var room = TransactionAssembly.Room(transactionLengthMax: 1_000, heldLengthMax: 5_000, unheld: 5_000)

    private func transact(_ item: ItemID, _ part: Request.Part, to list: ListName = "l") -> Request {
        .transact(Request.Transact(list: list, operations: [.appendItems([Item(id: item)])], part: part))
    }

    private let error = WireError(.parseError, "no JSON")

    private func line(_ text: String) -> RefusedLine { Array(text.utf8).withUnsafeBytes { RefusedLine($0) } }

    private static let refusedParts = [
        #"{"id":1,"method":"transact","params":{"operations":[7],"more":true}}"#,
        // A truncated line, or one without a bracket.
        #"{"id":1,"method":"transact","params":{"more":true,"operations":["#,
        #"{"id":1,"method":"transact","params":{"operations":[{"op":"appendItems"],"more":true}}"#,
        #"bar"}}]}],"more" : true}}"#,
    ]

    /// Returns the items that would be appended; nil when nothing is applied.
    private mutating func take(_ request: Request, length: Int = 10) -> [String]? {
        guard case .carryOut(.transact(let transact)) = staging.take(request, length: length, room) else { return nil }
        return transact.operations.flatMap { operation in
            if case .appendItems(let items, _) = operation { items.map { "\($0.id)" } } else { [String]() }
        }
    }

    @Test mutating func `a whole request is carried out at once`() {
        #expect(take(transact("a", .whole)) == ["a"])
    }

    @Test mutating func `parts are one request, and a whole one may come between them`() {
        #expect(take(transact("a", .more)) == nil)
        #expect(take(transact("x", .whole, to: "m")) == ["x"])
        #expect(take(transact("b", .more)) == nil)
        #expect(take(transact("c", .last)) == ["a", "b", "c"])
        #expect(take(transact("d", .whole)) == ["d"])
    }

    @Test(arguments: refusedParts + [#"{"id":1,"method":"transact","params":{"operations":["#])
    mutating func `a part in the middle that cannot be taken refuses the whole`(text: String) {
        #expect(take(transact("a", .more)) == nil)
        staging.fail(error, line(text))
        #expect(take(transact("c", .more)) == nil)
        #expect(take(transact("d", .last)) == nil)
        // The transaction then ends.
        #expect(take(transact("e", .more)) == nil)
        #expect(take(transact("f", .last)) == ["e", "f"])
    }

    @Test(arguments: refusedParts)
    mutating func `a first part that cannot be taken refuses the whole`(text: String) {
        staging.fail(error, line(text))
        #expect(take(transact("b", .more)) == nil)
        #expect(take(transact("c", .last)) == nil)
        staging.fail(error, line(text))
        #expect(take(transact("d", .last)) == nil, "a request of two parts, without its first")
    }

    @Test mutating func `a last part that cannot be taken ends the request`() {
        #expect(take(transact("a", .more)) == nil)
        staging.fail(error, line(#"{"method":"transact","params":{"operations":[7],"more":false}}"#))
        #expect(take(transact("b", .last)) == nil, "nothing is begun any more")
        #expect(take(transact("c", .whole)) == ["c"])
    }

    @Test(arguments: [
        #"{"id":2,"method":"ping",}"#, "hepl", #"{"method":"transact","params":{"list":"l","operations":[[[[[]]]]]}}"#,
        #"{"method":"transact","params":{"operations":[{"items":[{"id":"a","content":{"more":true}}]}]}}"#,
        #"{"method":"transact","params":{"operations":[{"items":[{"id":"a","content":""more":true"}]}]}}"#,
        #"{"method":"transact","params":{"operations":[7],"more":null}}"#,
    ])
    mutating func `a line that is wrong and no part harms nobody`(text: String) {
        staging.fail(error, line(text))
        #expect(take(transact("a", .more)) == nil)
        staging.fail(error, line(text))
        #expect(take(transact("b", .last)) == ["a", "b"])
        staging.fail(error, line(text))
        #expect(take(transact("c", .whole)) == ["c"])
    }

    @Test(arguments: [#"{"id":1,"#, "{", #"{"text":"more"#, "]"])
    mutating func `a line that is cut harms no later request if it cannot have begun one`(text: String) {
        staging.fail(error, line(text))
        #expect(take(transact("a", .more)) == nil)
        #expect(take(transact("b", .last)) == ["a", "b"])
    }

    @Test mutating func `parts of two requests that are mixed refuse both`() {
        #expect(take(transact("a", .more)) == nil)
        #expect(take(transact("x", .more, to: "m")) == nil)
        #expect(take(transact("b", .more)) == nil)
        #expect(take(transact("c", .last)) == nil)
    }

    @Test mutating func `the parts together may be so long and no longer`() {
        #expect(take(transact("a", .more), length: 500) == nil)
        #expect(take(transact("b", .last), length: 500) == ["a", "b"])
        #expect(take(transact("a", .more), length: 500) == nil)
        guard case .refuse(let error) = staging.take(transact("b", .last), length: 501, room) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .tooLarge && error.limit == WireError.Limit("transactionLengthMax", max: 1_000))
    }

    @Test mutating func `parts are kept as far as what is kept for others leaves room`() {
        // The operation and its item count 96 bytes each.
        room.unheld = 600 + 2 * 96
        #expect(take(transact("a", .more), length: 600) == nil)
        #expect(staging.length == 792)
        // The last part is not stored.
        #expect(take(transact("b", .last), length: 100) == ["a", "b"])
        #expect(take(transact("a", .more), length: 600) == nil)
        guard case .refuse(let error) = staging.take(transact("b", .more), length: 1, room) else {
            Issue.record("more than 792 bytes were kept")
            return
        }
        #expect(error.code == .tooLarge && error.limit == WireError.Limit("heldLengthMax", max: 5_000))
        #expect(staging.length == 0, "nothing of it is kept any more")
        #expect(take(transact("c", .last)) == nil)
    }
}
