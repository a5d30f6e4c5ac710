import TestSupport
import Testing

@testable import Diffable

/// Rows of siblings that fill many pages, so that pages are split, merged, shared and skipped.
@Suite struct `Laws of long rows` {
    @Test(arguments: 1...2) func `runs that come, go and move among many siblings`(round: Int) throws {
        var random = SplitMix64()
        var snapshot = try Snapshot([Section(id: "s"), Section(id: "t")])
        var history = [(snapshot, Model(snapshot))]
        var next = 0
        for step in 0..<40 {
            let operations = runs(in: snapshot, &next, &random)
            snapshot = try snapshot.applying(operations)
            snapshot.checkInvariants()
            let model = Model(snapshot)
            // Mostly a near one, sometimes one far back.
            let near = history.suffix(3).randomElement(using: &random)!
            let (old, oldModel) = step % 4 == 0 ? history.randomElement(using: &random)! : near
            let difference = snapshot.difference(from: old)
            let replayed = try old.applying(difference)
            #expect(replayed == snapshot, "seed \(random.seed), step \(step)")
            #expect(difference.moves == model.fewestMoves(from: oldModel), "seed \(random.seed), step \(step)")
            #expect(try snapshot.applying(old.difference(from: snapshot)) == old, "seed \(random.seed), step \(step)")
            replayed.checkInvariants()
            history.append((snapshot, model))
        }
        for (snapshot, model) in history { #expect(Model(snapshot) == model, "seed \(random.seed)") }
    }

    /// A leaf that is split during the move counts the children of its handles, one of which has just lost a child.
    @Test(arguments: [true, false]) func `a child that becomes a sibling of its parent is counted once`(isFirst: Bool)
        throws
    {
        var snapshot = try Snapshot([
            Section(id: "s", items: [Item(id: "parent", children: [Item(id: "child"), Item(id: "other")])])
        ])
        var next = 0
        for _ in 0..<150 {
            let position: ItemPosition = isFirst ? .after("parent") : .before("parent")
            snapshot = try snapshot.applying([.insertItems(newItems(1, &next), at: position)])
            let row = snapshot.rootItems(inSection: "s")!
            for anchor in [row[row.count / 2], "parent"] {
                let out = try snapshot.applying([.moveItem("child", to: .after(anchor))])
                out.checkInvariants()
                try out.applying([.moveItem("child", to: .front(of: .parent("parent")))]).checkInvariants()
            }
        }
    }

    /// Makes one run: neighbours that are deleted, moved or new.
    private func runs(
        in snapshot: Snapshot, _ next: inout Int, _ random: inout SplitMix64
    ) -> [ListOperation] {
        let section: SectionID = Bool.random(using: &random) ? "s" : "t"
        let row = snapshot.rootItems(inSection: section)!
        let length = [1, 3, 70, 200].randomElement(using: &random)!
        guard row.count > 20, row.count < 900 || length > 3 else {
            return [.appendItems(newItems(100, &next), to: .section(section))]
        }
        let start = Int.random(in: 0..<row.count, using: &random)
        let run = row[start...].prefix(length)
        let others = row.filter { !run.contains($0) }
        switch Int.random(in: 0..<(row.count > 600 ? 5 : 7), using: &random) {
        case 0, 1: return [.deleteItems(Array(run))]
        case 2:
            let target: SectionID = section == "s" ? "t" : "s"
            return run.map { .moveItem($0, to: .end(of: .section(target))) }
        case 3:
            guard let anchor = others.randomElement(using: &random) else { return [.deleteItems(Array(run))] }
            return run.reversed().map { .moveItem($0, to: .after(anchor)) }
        case 4:
            guard let parent = row.filter({ !snapshot.children(of: $0)!.isEmpty }).randomElement(using: &random)
            else { return [] }
            let children = snapshot.children(of: parent)!.shuffled(using: &random).prefix(length)
            return children.map { .moveItem($0, to: .before(row.randomElement(using: &random)!)) }
        case 5:
            guard let parent = others.randomElement(using: &random), snapshot.level(of: parent) == 0 else { return [] }
            let leaves = run.filter { snapshot.children(of: $0)!.isEmpty }
            return leaves.map { .moveItem($0, to: .front(of: .parent(parent))) }
        default: return [.insertItems(newItems(length, &next), at: .before(row[start]))]
        }
    }

    private func newItems(_ count: Int, _ next: inout Int) -> [Item] {
        next += count
        return (next - count..<next).map { Item(id: ItemID(stringLiteral: "\($0)")) }
    }
}
