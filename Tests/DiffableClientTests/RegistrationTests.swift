import Diffable
import DiffableJSON
import Synchronization
import Testing

@testable import DiffableClient

/// Items of several kinds, each as a value of its own type.
struct RegistrationTests {
    private struct Todo: Decodable {
        var text: String
    }

    private enum Cell: Equatable, Sendable {
        case header(String)
        case todo(String, ItemID)
        case other(ItemID)
    }

    @Test func `of members with one name the last one is decoded`() throws {
        let content = try Content(json: #"{"text":"old","more":[{"text":1,"text":2}],"text":"new"}"#)
        #expect(try content.decoded(as: Todo.self).text == "new")
        struct More: Decodable { var more: [[String: Int]] }
        #expect(try content.decoded(as: More.self).more == [["text": 2]])
    }

    private static let registrations: [Registration<Cell>] = [
        Registration("header", as: String.self) { .header($0) },
        Registration(nil, as: Todo.self) { .todo($0.text, $1.id) },
    ]

    private static func item(_ id: ItemID, _ kind: Kind?, _ json: String?) throws -> Item {
        Item(id: id, kind: kind, content: try json.map(Content.init(json:)))
    }

    /// A valid header and a valid todo, then an item with invalid content, one of another kind, and one without content.
    private static func mixed() throws -> Snapshot {
        let items = try [
            item("h", "header", #""Today""#), item("milk", nil, #"{"text":"Milk"}"#), item("bad", nil, #"{"text":1}"#),
            item("ad", "banner", #""Buy!""#), item("none", nil, nil),
        ]
        return try Snapshot([Section(id: "s", items: items)])
    }

    private static func snapshot(
        _ list: Snapshot, otherwise: OtherItems<Cell>
    ) throws -> ListSnapshot<Cell> {
        let updates = Client().list("l", registrations: registrations, otherwise: otherwise)
        return try ListSnapshot(updates.contents).applying(
            list.difference(from: Snapshot()), to: list, of: "l"
        ).0
    }

    @Test func `each kind has its own type, and something is shown of the others`() throws {
        let list = try Self.snapshot(try Self.mixed(), otherwise: .shown { .other($0.id) })
        let cells = list.sections[0].items.map(\.content)
        #expect(cells == [.header("Today"), .todo("Milk", "milk"), .other("bad"), .other("ad"), .other("none")])
    }

    @Test func `the others are passed over, and each is told of`() throws {
        let told = Mutex<[String]>([])
        let list = try Self.snapshot(
            try Self.mixed(), otherwise: .passedOver { why in told.withLock { $0.append("\(why)") } })
        #expect(list.sections[0].items.map(\.id) == ["h", "milk"])
        let expected = [
            #"the content of the item "bad" cannot be decoded as Todo: text: "#,
            #"the content of the item "ad" cannot be decoded as Cell: nothing is registered for items of kind "banner""#,
            #"the content of the item "none" cannot be decoded as Todo: "#,
        ]
        let all = told.withLock { $0 }
        #expect(all.count == expected.count)
        for (words, part) in zip(all, expected) { #expect(words.contains(part)) }
    }

    @Test func `the others end the loop when they are errors`() throws {
        #expect(throws: ClientError.self) { try Self.snapshot(try Self.mixed(), otherwise: .isError) }
    }

    @Test func `a section's own content is read as a type too`() throws {
        let list = try Snapshot([Section(id: "s", content: Content(json: #"{"text":"Today"}"#))])
        let sections = try Self.snapshot(list, otherwise: .isError).sections
        #expect(try sections[0].content?.decoded(as: Todo.self).text == "Today")
        #expect(throws: (any Error).self) { try sections[0].content?.decoded(as: [Int].self) }
    }

    @Test func `a follower of 100,000 items decodes only what changed`() throws {
        let count = Mutex(0)
        let registration = Registration<Int>(nil, as: Int.self) { number in
            count.withLock { $0 += 1 }
            return number
        }
        let updates = Client().list("l", registrations: [registration], otherwise: .isError)
        let items = (0..<100_000).map { Item(id: ItemID($0), content: Content(Array("\($0)".utf8))) }
        let first = try Snapshot([Section(id: "s", items: items), Section(id: "t")])
        var list = try ListSnapshot(updates.contents).applying(first.difference(from: Snapshot()), to: first, of: "l").0
        #expect(count.withLock { $0 } == 100_000)
        let second = try first.applying([
            .moveItem("7", to: .end(of: .section("t"))), .expandItems(["8"]), .moveSection("t", to: .front),
            .deleteItems(["9", "10", "11"]), .reconfigureItems([.init(id: "12", content: Content(json: "1"))]),
            .appendItems([Item(id: "new", content: try Content(json: "2"))], to: .section("t")),
        ])
        list = try list.applying(second.difference(from: first), to: second, of: "l").0
        #expect(count.withLock { $0 } == 100_002 && list["12"]?.content == 1 && list["99999"]?.content == 99_999)
    }
}
