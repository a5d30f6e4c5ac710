import TestSupport

@testable import Diffable

extension Model {
    static func random(_ size: Int, of pool: Int, _ random: inout SplitMix64) -> Model {
        var model = Model()
        model.content = [nil, "1", "2"].randomElement(using: &random)!
        let names = ["s", "t", "u", "v"].shuffled(using: &random)
        for name in names.prefix(Int.random(in: 1...4, using: &random)) {
            model.sections.append(Node(id: name, content: Bool.random(using: &random) ? "\"\(name)\"" : nil))
        }
        for id in (0..<pool).shuffled(using: &random).prefix(size) {
            let section = model.sections.indices.randomElement(using: &random)!
            var node = Node(id: "\(id)", content: "\(Int.random(in: 0...2, using: &random))")
            node.isExpanded = Bool.random(using: &random)
            node.kind = [nil, "k", "l"].randomElement(using: &random)!
            Model.insert(node, into: &model.sections[section].children, &random)
        }
        return model
    }

    private static func insert(_ node: Node, into nodes: inout [Node], _ random: inout SplitMix64) {
        if let parent = nodes.indices.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
            insert(node, into: &nodes[parent].children, &random)
        } else {
            nodes.insert(node, at: Int.random(in: 0...nodes.count, using: &random))
        }
    }
}

extension ListOperation {
    /// Returns an operation that is often possible.
    static func random(for snapshot: Snapshot, _ random: inout SplitMix64) -> ListOperation {
        let item = snapshot.randomItem(&random)
        let other = snapshot.randomItem(&random)
        let section = snapshot.sectionIdentifiers.randomElement(using: &random)
        let new = (0..<Int.random(in: 1...8, using: &random)).map { _ in
            Item(
                id: ItemID(stringLiteral: "\(Int.random(in: 0..<2000, using: &random))"),
                isExpanded: Bool.random(using: &random),
                children: Bool.random(using: &random)
                    ? [Item(id: ItemID(stringLiteral: "\(Int.random(in: 2000..<4000, using: &random))"))] : [])
        }
        guard let section else {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: return .appendItems(new)
            case 2: return .reconfigureList(["1", nil].randomElement(using: &random)!)
            case 1: return .insertItems(new, at: .front(of: .lastSection))
            default: return .appendSections([Section(id: "first", items: new)])
            }
        }
        guard let item, let other else { return .appendItems(new, to: .section(section)) }
        let content: Content?? = [nil, .some(nil), "1", "2"].randomElement(using: &random)!
        switch Int.random(in: 0..<27, using: &random) {
        case 0:
            return .appendSections([Section(id: SectionID(stringLiteral: "\(Int.random(in: 0..<9, using: &random))"))])
        case 1: return .moveSection(section, to: .front)
        case 2: return .deleteSections([section])
        case 3, 4, 5, 6: return .insertItems(new, at: .after(item))
        case 7, 8: return .insertItems(new, at: .before(item))
        case 9, 10: return .appendItems(new, to: .parent(item))
        case 11, 12: return .moveItem(item, to: .before(other))
        case 13: return .moveItem(item, to: .end(of: .parent(other)))
        case 14: return .moveItem(item, to: .front(of: .section(section)))
        case 15: return .deleteItems([item])
        case 16: return .reconfigureItems([ItemReconfiguration(id: item, content: content)])
        case 17: return .expandItems([item])
        case 18: return .collapseItems([item])
        case 19: return .reloadSections([SectionReload(id: section, content: content)])
        case 20:
            let kind: Kind?? = [nil, .some(nil), "k", "l"].randomElement(using: &random)!
            return .reloadItems([ItemReload(id: item, kind: kind, content: content)])
        case 21: return .patchItems([ItemPatch(id: item) { _ in content ?? nil }])
        case 22: return .insertSections([Section(id: "inserted", items: new)], at: .before(section))
        case 23: return Int.random(in: 0..<20, using: &random) == 0 ? .deleteAllItems : .collapseItems([item, other])
        case 24: return .reconfigureList(content ?? nil)
        case 25: return .patchList(ListPatch { old in content ?? old })
        default: return .replaceChildren(of: item, with: new)
        }
    }
}

extension Snapshot {
    /// Returns a random item without reading all of them.
    fileprivate func randomItem(_ random: inout SplitMix64) -> ItemID? {
        let sections = sectionIdentifiers.filter { numberOfItems(inSection: $0)! > 0 }
        guard let section = sections.randomElement(using: &random) else { return nil }
        let index = Int.random(in: 0..<numberOfItems(inSection: section)!, using: &random)
        return itemIdentifier(at: index, inSection: section)
    }
}
