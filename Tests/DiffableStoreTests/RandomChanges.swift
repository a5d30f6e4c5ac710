import Diffable
import TestSupport

/// Makes operations that are possible on a given state.
struct RandomChanges {
    var generator: SplitMix64
    private var lastID = 0

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func operation(on snapshot: Snapshot) -> ListOperation {
        let items = snapshot.sections.flatMap { identifiers(in: $0.items) }
        guard let section = snapshot.sectionIdentifiers.randomElement(using: &generator) else {
            return .appendSections([Section(id: newID(), content: content())])
        }
        guard let item = items.randomElement(using: &generator) else {
            return .appendItems([newItem(), newItem()], to: .section(section))
        }
        switch Int.random(in: 0..<16, using: &generator) {
        case 0: return .insertSections([Section(id: newID(), items: [newItem()])], at: .before(section))
        case 1: return .moveSection(section, to: .front)
        case 2: return .reloadSections([SectionReload(id: section, content: .some(content()))])
        case 3 where items.count > 40: return .deleteSections([section])
        case 4, 5: return .appendItems([newItem()], to: .section(section))
        case 6: return .appendItems([newItem(), newItem()], to: .parent(item))
        case 7: return .insertItems([newItem()], at: .after(item))
        case 8 where items.count > 20: return .deleteItems([item])
        case 9: return .moveItem(item, to: .front(of: .section(section)))
        case 10: return .reloadItems([ItemReload(id: item, kind: .some("kind"), content: .some(content()))])
        case 11: return .expandItems([item])
        case 12: return .collapseItems([item])
        case 13: return .reconfigureItems([ItemReconfiguration(id: item)])
        case 14: return .reconfigureList(content())
        default: return .reconfigureItems([ItemReconfiguration(id: item, content: .some(content()))])
        }
    }

    private func identifiers(in items: [Item]) -> [ItemID] {
        items.flatMap { [$0.id] + identifiers(in: $0.children) }
    }

    private mutating func newItem() -> Item {
        Item(id: newID(), content: content(), children: Bool.random(using: &generator) ? [Item(id: newID())] : [])
    }

    private mutating func newID<Named>() -> Identifier<Named> {
        lastID += 1
        return .numbered(lastID)
    }

    private mutating func content() -> Content? {
        let length = Int.random(in: 0..<60, using: &generator)
        if length == 0 { return nil }
        // Some strings share a beginning and an end.
        let (beginning, end) = ("abcdefgh".prefix(length), String(repeating: "x", count: length / 2))
        return Content(Array("\"\(beginning)\(Int.random(in: 0..<1_000, using: &generator))\(end)\"".utf8))
    }
}
