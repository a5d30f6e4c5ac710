import TestSupport
import Testing

@testable import Diffable

@Suite struct `Laws of the difference` {
    @Test func `flat lists of four ids, all pairs`() throws {
        let lists = arrangements(["a", "b", "c", "d"]).map { ids in
            var model = Model()
            model.sections = [Model.Node(id: "s", children: ids.map { Model.Node(id: $0) })]
            return model
        }
        try checkAllPairs(lists)
    }

    @Test func `sections of four ids, all pairs`() throws {
        let lists = arrangements(["a", "b", "c", "d"]).map { ids in
            var model = Model()
            model.sections = ids.map { Model.Node(id: $0) }
            return model
        }
        try checkAllPairs(lists)
    }

    @Test func `outlines of three ids, all pairs`() throws {
        let lists = arrangements(["a", "b", "c"]).flatMap(outlines).map { items in
            var model = Model()
            model.sections = [Model.Node(id: "s", children: items)]
            return model
        }
        #expect(lists.count == 46)
        try checkAllPairs(lists)
    }

    @Test func `two items in up to two sections with contents, all pairs`() throws {
        var lists: Set<Model> = []
        for sections in arrangements(["s", "t"]) {
            for items in arrangements(["a", "b"]) {
                for cut in 0...items.count {
                    for content in [nil, "1"] {
                        var model = Model()
                        let nodes = items.map { Model.Node(id: $0, content: content) }
                        let parts = [Array(nodes[..<cut]), Array(nodes[cut...])]
                        for (index, section) in sections.enumerated() {
                            model.sections.append(Model.Node(id: section, content: content, children: parts[index]))
                        }
                        lists.insert(model)
                    }
                }
            }
        }
        #expect(lists.count == 65)
        try checkAllPairs(Array(lists))
    }

    @Test(arguments: 1...8) func `random outlines, unrelated`(round: Int) throws {
        var random = SplitMix64()
        for _ in 0..<100 {
            let size = Int.random(in: 0...40, using: &random)
            let old = Model.random(size, of: 50, &random)
            let new = Model.random(size, of: 50, &random)
            try checkPair((old, try old.snapshot), (new, try new.snapshot), "seed \(random.seed)")
        }
    }

    @Test(arguments: 1...6) func `random operations, related`(round: Int) throws {
        var random = SplitMix64()
        var snapshot = Snapshot()
        var history = [(snapshot, Model(snapshot))]
        for step in 0..<250 {
            let operations = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                ListOperation.random(for: snapshot, &random)
            }
            guard let next = try? snapshot.applying(operations) else { continue }
            snapshot = next
            let model = Model(snapshot)
            let (old, oldModel) = history.randomElement(using: &random)!
            let difference = snapshot.difference(from: old)
            let replayed = try old.applying(difference)
            #expect(replayed == snapshot, "seed \(random.seed), step \(step)")
            #expect(difference.moves == model.fewestMoves(from: oldModel), "seed \(random.seed), step \(step)")
            if step % 4 == 0 {
                snapshot.checkInvariants()
                replayed.checkInvariants()
            }
            history.append((snapshot, model))
        }
        #expect(history.count > 120)
    }

    @Test(arguments: [1_000, 20_000]) func `large lists, related and unrelated`(size: Int) throws {
        var random = SplitMix64()
        let ids = (0..<size).map { "item \($0)" }
        var model = Model()
        model.sections = [Model.Node(id: "s", children: ids.map { Model.Node(id: $0) })]
        let old = try model.snapshot
        var operations: [ListOperation] = []
        for step in 0..<size / 50 {
            let id = try ItemID(ids[step * 40 + Int.random(in: 0..<10, using: &random)])
            let anchor = try ItemID(ids[step * 40 + 20])
            switch step % 4 {
            case 0: operations.append(.moveItem(id, to: .after(anchor)))
            case 1: operations.append(.deleteItems([id]))
            case 2: operations.append(.insertItems([Item(id: try ItemID("new \(step)"))], at: .before(anchor)))
            default: operations.append(.reconfigureItems([ItemReconfiguration(id: id, content: Content([0x31]))]))
            }
        }
        let related = try old.applying(operations)
        related.checkInvariants()
        let unrelated = try Snapshot(related.sections)
        #expect(unrelated == related)
        for new in [related, unrelated] {
            let difference = new.difference(from: old)
            #expect(try old.applying(difference) == new, "seed \(random.seed)")
            #expect(difference.moves <= size / 200 + 1, "seed \(random.seed)")
            #expect(try new.applying(old.difference(from: new)) == old, "seed \(random.seed)")
        }
    }

    @Test func `a subtree that is shared and smaller than what passes it is what moves`() throws {
        // Two full leaves of the tree stay shared while 300 other items are moved before them, one by one.
        let ids = (0..<600).map { "\($0)" }
        let old = try Snapshot([Section(id: "s", items: try ids.map { Item(id: try ItemID($0)) })])
        let moves = try (200..<600).reversed().map {
            ListOperation.moveItem(try ItemID("\($0)"), to: .front(of: .section("s")))
        }
        let new = try old.applying(moves)
        let difference = new.difference(from: old)
        #expect(difference.moves == 200)
        #expect(try old.applying(difference) == new)
    }

    @Test func `a retained old snapshot reads back unchanged`() throws {
        var random = SplitMix64()
        var snapshot = Snapshot()
        var retained: [(Snapshot, Model)] = []
        for _ in 0..<200 {
            snapshot = (try? snapshot.applying([ListOperation.random(for: snapshot, &random)])) ?? snapshot
            retained.append((snapshot, Model(snapshot)))
        }
        for (snapshot, model) in retained {
            #expect(Model(snapshot) == model, "seed \(random.seed)")
            snapshot.checkInvariants()
        }
    }

    @Test func `in one transaction or in several, the state is the same`() throws {
        var random = SplitMix64()
        for _ in 0..<100 {
            var operations: [ListOperation] = []
            var several = Snapshot()
            for _ in 0..<12 {
                let operation = ListOperation.random(for: several, &random)
                guard let next = try? several.applying([operation]) else { continue }
                several = next
                operations.append(operation)
            }
            #expect(try Snapshot().applying(operations) == several, "seed \(random.seed)")
        }
    }

    @Test func `the difference of a thing with itself is empty`() throws {
        var random = SplitMix64()
        let snapshot = try Model.random(40, of: 50, &random).snapshot
        #expect(snapshot.difference(from: snapshot).isEmpty)
        let again = try Snapshot(snapshot.sections, content: .some(snapshot.content))
        #expect(again.difference(from: snapshot).isEmpty)
    }

    // MARK: Checking

    private func checkAllPairs(_ models: [Model]) throws {
        let lists = try models.map { (model: $0, snapshot: try $0.snapshot) }
        for old in lists { for new in lists { try checkPair(old, new, "exhaustive") } }
    }

    private func checkPair(
        _ old: (model: Model, snapshot: Snapshot), _ new: (model: Model, snapshot: Snapshot), _ comment: String
    ) throws {
        let difference = new.snapshot.difference(from: old.snapshot)
        let applied = try old.snapshot.applying(difference)
        guard applied == new.snapshot else {
            Issue.record("\(comment): \(old.model) to \(new.model) gave \(Model(applied)) by \(difference.lines)")
            return
        }
        var replayed = old.model
        for operation in difference { replayed.replay(operation) }
        #expect(replayed == new.model, "\(comment)")
        #expect(
            difference.moves == new.model.fewestMoves(from: old.model), "\(comment): \(old.model) to \(new.model)")
        #expect(difference.isEmpty == (old.model == new.model), "\(comment)")
        // The diff back from the related state works too.
        #expect(try applied.applying(old.snapshot.difference(from: applied)) == old.snapshot, "\(comment)")
    }
}

// MARK: - All tiny cases

/// Returns all ordered choices of some of these ids.
func arrangements(_ ids: [String]) -> [[String]] {
    [[]]
        + ids.indices.flatMap { index in
            var rest = ids
            let first = rest.remove(at: index)
            return arrangements(rest).map { [first] + $0 }
        }
}

/// Returns all ordered forests with these ids in depth-first order.
func outlines(_ ids: [String]) -> [[Model.Node]] {
    guard let first = ids.first else { return [[]] }
    let rest = Array(ids.dropFirst())
    return (0...rest.count).flatMap { cut in
        outlines(Array(rest[..<cut])).flatMap { children in
            outlines(Array(rest[cut...])).map { siblings in
                [Model.Node(id: first, children: children)] + siblings
            }
        }
    }
}
