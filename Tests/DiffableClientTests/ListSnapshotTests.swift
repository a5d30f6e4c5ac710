import Diffable
import DiffableJSON
import TestSupport
import Testing

@testable import DiffableClient

/// A list as the program sees it: with values of its own type.
@Suite struct `A typed snapshot` {
    private static func item(_ id: ItemID, _ text: String, _ children: [Item] = []) -> Item {
        Item(id: id, content: Content(Array("\"\(text)\"".utf8)), children: children)
    }

    private static func contents() -> ItemContents<String> {
        decoded { item in "\(item.id)=\(item.content?.description ?? "none")" }
    }

    private static func decoded<Value>(
        _ undecodable: UndecodableItems = .throw, by decoding: @escaping @Sendable (Item) throws -> Value
    ) -> ItemContents<Value> {
        .decoded(DecodedContents(by: decoding, undecodable))
    }

    @Test func `holds a value for each item at all times`() throws {
        var random = SplitMix64()
        let seed = random.seed
        var old = ListSnapshot(Self.contents())
        for _ in 0..<300 {
            let snapshot = try random.snapshot()
            let new = try old.applying(snapshot.difference(from: old.untyped), to: snapshot, of: "l").0
            for id in snapshot.itemIdentifiers {
                let expected = "\(id)=\(snapshot.item(id)?.content?.description ?? "none")"
                #expect(new[id]?.content == expected, "seed \(seed)")
            }
            guard case .decoded(let contents) = new.contents else { throw Failure() }
            #expect(contents.values.count == snapshot.numberOfItems, "nothing is kept that is gone: seed \(seed)")
            old = new
        }
    }

    @Test func `leaves out what cannot be decoded, with all below it, until it can be`() throws {
        var random = SplitMix64()
        let seed = random.seed
        let reports = Reports()
        let contents = Self.decoded(.skip { reports.append($0) }) { item in
            if item.content?.description == "2" { throw Failure() }
            return "\(item.id)"
        }
        var old = ListSnapshot(contents)
        var whole = Snapshot()
        for _ in 0..<300 {
            let snapshot = try random.snapshot()
            let (new, difference) = try old.applying(snapshot.difference(from: whole), to: snapshot, of: "l")
            let isUndecodable = { (id: ItemID) in snapshot.item(id)?.content?.description == "2" }
            let undecodable = snapshot.itemIdentifiers.filter(isUndecodable)
            #expect(try new.untyped == snapshot.applying([.deleteItems(undecodable, .isPassedOver)]), "seed \(seed)")
            #expect(try old.untyped.applying(difference) == new.untyped, "seed \(seed)")
            for id in new.untyped.itemIdentifiers { #expect(new[id]?.content == "\(id)", "seed \(seed)") }
            let rows = new.visibleRows(after: old.visibleRows, by: difference)
            #expect(rows.all == VisibleRows(of: new.untyped).all && new.visibleRows.all == rows.all, "seed \(seed)")
            let came = undecodable.filter {
                whole.item($0)?.content != snapshot.item($0)?.content || whole.item($0)?.kind != snapshot.item($0)?.kind
            }
            #expect(Set(reports.taken().map(\.item)).isSuperset(of: came), "each is told of: seed \(seed)")
            guard case .decoded(let contents) = new.contents else { throw Failure() }
            #expect(contents.values.count + contents.skipped.count == snapshot.numberOfItems, "seed \(seed)")
            (old, whole) = (new, snapshot)
        }
    }

    @Test func `decodes what came or looks different, and nothing else`() throws {
        let count = Counter()
        let contents = Self.decoded { _ in count.next() }
        let items = (0..<1_000).map { Self.item(ItemID(stringLiteral: "\($0)"), "a") }
        let first = try Snapshot([Section(id: "s", items: items), Section(id: "t")])
        var list = try ListSnapshot(contents).applying(first.difference(from: Snapshot()), to: first, of: "l").0
        #expect(count.value == 1_000)
        let second = try first.applying([
            .moveItem("7", to: .end(of: .section("t"))), .expandItems(["8"]), .reconfigureItems([.init(id: "9")]),
            .reconfigureItems([.init(id: "10", content: Content(json: "1"))]), .deleteItems(["11"]),
            .appendItems([Self.item("new", "n")], to: .section("t")), .moveSection("t", to: .front),
        ])
        list = try list.applying(second.difference(from: first), to: second, of: "l").0
        #expect(count.value == 1_002)
        #expect(list["10"]?.content == 1_002 || list["new"]?.content == 1_002)
        #expect(list["8"]?.isExpanded == true && list["11"] == nil)
    }

    @Test func `is read by index paths and as a whole`() throws {
        let snapshot = try Snapshot([
            Section(
                id: "s", content: Content(json: #""S""#),
                items: [
                    Self.item("a", "A", [Self.item("b", "B")]), Self.item("c", "C"),
                ]), Section(id: "t"),
        ])
        let list = try ListSnapshot(Self.contents()).applying(
            snapshot.difference(from: Snapshot()), to: snapshot, of: "l"
        ).0
        #expect(list.numberOfSections == 2 && list.numberOfItems == 3 && !list.isEmpty)
        #expect(list.numberOfItems(inSection: 0) == 3 && list.numberOfRootItems(inSection: 0) == 2)
        #expect(list.numberOfItems(inSection: 0) == list.untyped.numberOfItems(inSection: "s"))
        for section in 1...2 {
            #expect(list.numberOfItems(inSection: section) == 0 && list.numberOfRootItems(inSection: section) == 0)
        }
        #expect(list.numberOfChildren(at: [0, 0]) == 1 && list.numberOfChildren(at: [0, 1]) == 0)
        #expect(list[[0, 0, 0]]?.content == #"b="B""# && list[[0, 2]] == nil && list[[0]] == nil)
        #expect(list.section(at: 0)?.content?.description == #""S""# && list.section(at: 2) == nil)
        #expect(list.sections.map(\.id) == ["s", "t"])
        #expect(list.sections[0].items.map(\.content) == [#"a="A""#, #"c="C""#])
        #expect(list.sections[0].items[0].children.map(\.id) == ["b"])
    }

    /// Returns a line for each item below, with the raw and the decoded content.
    private static func outline(_ items: [ListItem<String>], _ level: Int = 0) -> [String] {
        items.flatMap {
            ["\(level) \($0.id) \($0.content) \($0.isExpanded)"] + outline($0.children, level + 1)
        }
    }

    private static func outline(_ items: [Item], _ level: Int = 0) -> [String] {
        items.flatMap { item in
            let content = "\(item.id)=\(item.content?.description ?? "none")"
            return ["\(level) \(item.id) \(content) \(item.isExpanded ?? false)"] + outline(item.children, level + 1)
        }
    }

    @Test func `a section has its items and an item its children, however it was read`() throws {
        var random = SplitMix64()
        let seed = random.seed
        var old = ListSnapshot(Self.contents())
        for _ in 0..<100 {
            let snapshot = try random.snapshot()
            let list = try old.applying(snapshot.difference(from: old.untyped), to: snapshot, of: "l").0
            for (index, section) in snapshot.sections.enumerated() {
                let expected = Self.outline(section.items)
                #expect(Self.outline(list.sections[index].items) == expected, "seed \(seed)")
                #expect(Self.outline(try #require(list.section(at: index)).items) == expected, "seed \(seed)")
                #expect(list.numberOfItems(inSection: index) == expected.count, "seed \(seed)")
                #expect(list.numberOfRootItems(inSection: index) == section.items.count, "seed \(seed)")
            }
            for id in snapshot.itemIdentifiers {
                let expected = Self.outline(try #require(snapshot.subtree(of: id)))
                let path = try #require(snapshot.indexPath(ofItem: id))
                #expect(Self.outline([try #require(list[id])]) == expected, "seed \(seed)")
                #expect(Self.outline([try #require(list[path])]) == expected, "seed \(seed)")
            }
            old = list
        }
    }

    @Test func `what was read can be changed, and the snapshot stays as it was`() throws {
        let snapshot = try Snapshot([Section(id: "s", items: [Self.item("a", "A", [Self.item("b", "B")])])])
        let list = try ListSnapshot(Self.contents()).applying(
            snapshot.difference(from: Snapshot()), to: snapshot, of: "l"
        ).0
        var section = try #require(list.section(at: 0))
        section.items[0].children.append(ListItem(id: "c", content: "C"))
        section.items[0].isExpanded = true
        section.items.append(ListItem(id: "d", content: "D"))
        let expected = ["0 a a=\"A\" true", "1 b b=\"B\" false", "1 c C false", "0 d D false"]
        #expect(Self.outline(section.items) == expected)
        #expect(Self.outline(list.sections[0].items) == ["0 a a=\"A\" false", "1 b b=\"B\" false"])
    }

    @Test func `an item without children does not keep its snapshot in memory`() throws {
        final class Canary: Sendable {}

        weak var canary: Canary?
        var kept: [ListItem<Int>] = []
        do {
            let other = Canary()
            canary = other
            let snapshot = try Snapshot([Section(id: "s", items: [Self.item("a", "A", [Self.item("b", "B")])])])
            // The snapshot owns the function, which holds the canary.
            let contents = Self.decoded { _ in withExtendedLifetime(other) { 1 } }
            let list = try ListSnapshot(contents).applying(snapshot.difference(from: Snapshot()), to: snapshot, of: "l")
                .0
            kept = [try #require(list["b"])]
        }
        #expect(canary == nil && kept.count == 1)
    }

    @Test func `leaves content as it is when no type is asked for`() throws {
        let snapshot = try Snapshot([Section(id: "s", items: [Self.item("a", "A"), Item(id: "b")])])
        let list = try ListSnapshot(ItemContents<Content?>.asIs { $0 }).applying(
            snapshot.difference(from: Snapshot()), to: snapshot, of: "l"
        ).0
        #expect(list["a"]?.content?.description == #""A""#)
        #expect(list.sections[0].items.map { $0.content?.description } == [#""A""#, nil])
    }
}

private struct Failure: Error {}

private final class Reports: @unchecked Sendable {
    // Unchecked, because only one thread reports.
    private var reports: [UndecodableContent] = []

    func append(_ report: UndecodableContent) { reports.append(report) }

    func taken() -> [UndecodableContent] {
        defer { reports = [] }
        return reports
    }
}

private final class Counter: @unchecked Sendable {
    // Unchecked, because only one thread counts.
    private(set) var value = 0

    func next() -> Int {
        value += 1
        return value
    }
}

extension SplitMix64 {
    /// Of at most 20 items at up to three levels, in up to three sections.
    fileprivate mutating func snapshot() throws -> Snapshot {
        var sections = (0..<Int.random(in: 1...3, using: &self)).map { Section(id: SectionID(stringLiteral: "\($0)")) }
        for number in (0..<20).shuffled(using: &self).prefix(Int.random(in: 0...20, using: &self)) {
            let content = [nil, "1", "2"].randomElement(using: &self) ?? nil
            let item = Item(
                id: ItemID(stringLiteral: "\(number)"), kind: Bool.random(using: &self) ? "k" : nil,
                content: try content.map(Content.init(json:)))
            let section = Int.random(in: 0..<sections.count, using: &self)
            insert(item, into: &sections[section].items, levels: 3)
        }
        return try Snapshot(sections)
    }

    private mutating func insert(_ item: Item, into items: inout [Item], levels: Int) {
        if levels > 1, let parent = items.indices.randomElement(using: &self), Bool.random(using: &self) {
            insert(item, into: &items[parent].children, levels: levels - 1)
        } else {
            items.insert(item, at: Int.random(in: 0...items.count, using: &self))
        }
    }
}
