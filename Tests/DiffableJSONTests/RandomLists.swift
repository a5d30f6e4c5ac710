import Diffable
import DiffableJSON
import TestSupport

/// Random lists and operations that keep every rule, from one seed.
struct RandomLists {
    private var generator: SplitMix64
    private var nextID = 0

    init(seed: UInt64) { self.generator = SplitMix64(seed: seed) }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    private mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    /// Returns an id, sometimes with escapes or multi-byte characters.
    private mutating func newID() -> String {
        nextID += 1
        let tails = ["", "\"", "\\", "é", "/", "𝄞"]
        return "i\(nextID)\(tails[number(0..<tails.count)])"
    }

    private mutating func content() -> Content? {
        let texts = [
            "{\"text\":\"Buy \\\"milk\\\"\"}", "[]", "1.50", "\"é\\u00e9\"", "{\"a\":{\"b\":[1,2,3]},\"c\":false}",
        ]
        guard chance(60) else { return nil }
        return Content(Array(texts[number(0..<texts.count)].utf8))
    }

    mutating func item(levels: Int = 4) throws -> Item {
        let children = levels > 1 && chance(40) ? try items(levels: levels - 1) : []
        return Item(
            id: try ItemID(newID()), kind: chance(30) ? "kind\"a\"" : nil, content: content(),
            isExpanded: [nil, true, false][number(0..<3)], children: children)
    }

    mutating func items(levels: Int = 4) throws -> [Item] {
        var items: [Item] = []
        for _ in 0..<number(0..<4) { items.append(try item(levels: levels)) }
        return items
    }

    mutating func snapshot() throws -> Snapshot { try Snapshot(sections(), content: .some(content())) }

    mutating func sections() throws -> [Section] {
        var sections: [Section] = []
        for _ in 0..<number(0..<5) {
            sections.append(
                Section(id: try SectionID(newID()), content: content(), items: chance(60) ? try items() : []))
        }
        return sections
    }

    // MARK: - Operations

    /// Returns operations that can be applied in sequence, and their result.
    mutating func operations(on snapshot: Snapshot) throws -> ([ListOperation], Snapshot) {
        var operations: [ListOperation] = []
        var snapshot = snapshot
        for _ in 0..<number(1..<10) {
            let operation = try operation(on: snapshot)
            // Some are impossible, such as moving an item under itself.
            guard let next = try? snapshot.applying([operation]) else { continue }
            operations.append(operation)
            snapshot = next
        }
        return (operations, snapshot)
    }

    private mutating func operation(on snapshot: Snapshot) throws -> ListOperation {
        let sections = snapshot.sections
        let items = sections.flatMap { Self.flatten($0.items) }
        switch number(0..<17) {
        case 0: return .appendSections(try self.sections())
        case 1: return .insertSections(try self.sections(), at: sectionPosition(sections))
        case 2 where chance(30): return .deleteSections(pick(sections.map(\.id)), chance(50) ? .isError : .isPassedOver)
        case 3 where !sections.isEmpty: return .moveSection(one(sections.map(\.id)), to: sectionPosition(sections))
        case 4:
            return .reloadSections(pick(sections.map(\.id)).map { SectionReload(id: $0, content: newContent()) })
        case 5: return .appendItems(try self.items(), to: container(sections, items))
        case 6, 7: return .insertItems(try self.items(), at: itemPosition(sections, items))
        case 8: return .deleteItems(pickApart(sections.flatMap(\.items)), chance(50) ? .isError : .isPassedOver)
        case 9 where !items.isEmpty: return .moveItem(one(items), to: itemPosition(sections, items))
        case 10:
            return .reconfigureItems(pick(items).map { ItemReconfiguration(id: $0, content: newContent()) })
        case 11:
            return .reloadItems(
                pick(items).map {
                    ItemReload(id: $0, kind: [nil, .some(nil), .some("k")][number(0..<3)], content: newContent())
                })
        case 12: return .expandItems(pick(items))
        case 13: return .collapseItems(pick(items))
        case 14 where !items.isEmpty: return .replaceChildren(of: one(items), with: try self.items())
        case 15 where chance(5): return .deleteAllItems
        case 16: return chance(50) ? .reconfigureList(content()) : .patchList(try listPatch())
        default: return .appendItems(try self.items(), to: container(sections, items))
        }
    }

    private mutating func listPatch() throws -> ListPatch {
        let text = [#"{"a":{"b":null},"d":1}"#, "null", #"{"text":"é"}"#, "7"][number(0..<4)]
        return try Array(text.utf8).withUnsafeBytes { try MergePatch(json: $0).listPatch }
    }

    private mutating func newContent() -> Content?? { [nil, .some(nil), .some(content())][number(0..<3)] }

    private mutating func one<ID>(_ ids: [ID]) -> ID { ids[number(0..<ids.count)] }

    private mutating func pick<ID>(_ ids: [ID]) -> [ID] {
        var picked: [ID] = []
        for id in ids where chance(20) { picked.append(id) }
        return picked
    }

    /// Picks items, but never an item and its descendant: in two parts, the second would already be deleted.
    private mutating func pickApart(_ items: [Item]) -> [ItemID] {
        var picked: [ItemID] = []
        for item in items { picked += chance(20) ? [item.id] : pickApart(item.children) }
        return picked
    }

    private mutating func sectionPosition(_ sections: [Section]) -> SectionPosition {
        guard !sections.isEmpty, chance(80) else { return .front }
        let anchor = one(sections.map(\.id))
        return chance(50) ? .before(anchor) : .after(anchor)
    }

    private mutating func container(_ sections: [Section], _ items: [ItemID]) -> Container {
        switch number(0..<3) {
        case 0 where !items.isEmpty: .parent(one(items))
        case 1 where !sections.isEmpty: .section(one(sections.map(\.id)))
        default: .lastSection
        }
    }

    private mutating func itemPosition(_ sections: [Section], _ items: [ItemID]) -> ItemPosition {
        switch number(0..<4) {
        case 0 where !items.isEmpty: .before(one(items))
        case 1 where !items.isEmpty: .after(one(items))
        case 2: .front(of: container(sections, items))
        default: .end(of: container(sections, items))
        }
    }

    private static func flatten(_ items: [Item]) -> [ItemID] {
        items.flatMap { [$0.id] + flatten($0.children) }
    }
}
