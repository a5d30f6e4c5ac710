import TestSupport
import Testing

@testable import Diffable

/// Applies `RowChange` to rows that know nothing else.
struct RowChangeTests {
    @Test func `rows that are told of each update are always those of the list`() throws {
        var random = SplitMix64()
        let seed = random.seed
        var list = try Model.random(15, of: 40, &random).snapshot
        var rows = VisibleRows(of: list)
        var drawn = rows.all.map { Drawn($0, in: list) }
        var told = rows.all
        var counts: [String: Int] = [:]
        for update in 0..<10_000 {
            let old = list
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                if let new = try? list.applying([ListOperation.random(for: list, &random)]) { list = new }
            }
            // So that lists stay short, and some states are unrelated to the ones before.
            if list.numberOfItems > 50 { list = try Model.random(15, of: 40, &random).snapshot }
            let difference = list.difference(from: old)
            let before = rows
            rows = rows.advanced(to: list, by: difference)
            for change in rows.changes(from: before, by: difference) {
                counts["\(change)".prefix { $0 != "(" }.description, default: 0] += 1
                told.carryOut(change)
                drawn.carryOut(change, in: list)
            }
            let expected = naiveRows(list)
            guard told == expected.map(\.row), drawn == expected else {
                Issue.record("seed \(seed), update \(update): \(told) is not \(expected)")
                return
            }
            #expect(rows.count == expected.count && rows.all == told, "seed \(seed)")
            if let index = told.indices.randomElement(using: &random) {
                #expect(rows[index] == told[index] && rows.index(of: told[index].id) == index, "seed \(seed)")
            }
        }
        #expect(["insert", "remove", "move", "reload"].allSatisfy { counts[$0, default: 0] > 500 }, "\(counts)")
    }

    @Test func `a row is reloaded when it looks different, and no other`() throws {
        let old = try Snapshot(outline: "s: a+(b c) d(e); t: f")
        for (operations, expected) in [
            ([.expandItems(["d"])], "insert e at 4; reload d at 3"),
            ([.collapseItems(["a"])], "remove 1..<3; reload a at 0"),
            // It becomes expandable, though no children are shown.
            ([.appendItems([Item(id: "g")], to: .parent("f"))], "reload f at 4"),
            ([.deleteItems(["e"])], "reload d at 3"),
            (
                [.moveItem("a", to: .end(of: .section("t")))],
                "move 0..<3 to 2; reload a at 2; reload b at 3; reload c at 4"
            ),
            ([.moveSection("t", to: .front)], "move 4..<5 to 0"),
            ([.deleteItems(["b", "c"])], "remove 1..<3; reload a at 0"),
            ([.reconfigureItems([ItemReconfiguration(id: "e", content: "1")])], ""),
            ([.reconfigureItems([ItemReconfiguration(id: "c", content: "1")])], "reload c at 2"),
            ([.deleteSections(["s"])], "remove 0..<4"),
        ] as [([ListOperation], String)] {
            let new = try old.applying(operations)
            let changes = VisibleRows(of: new).changes(from: VisibleRows(of: old))
            #expect(changes.map(words).joined(separator: "; ") == expected)
        }
    }

    private func words(_ change: RowChange) -> String {
        switch change {
        case .remove(let rows): "remove \(rows)"
        case .insert(let rows, let place): "insert \(rows.map(\.id.description).joined(separator: " ")) at \(place)"
        case .move(let rows, let place): "move \(rows) to \(place)"
        case .reload(let row, let place): "reload \(row.id) at \(place)"
        }
    }
}

/// The visible state of a row.
private struct Drawn: Equatable {
    var row: VisibleRow
    var kind: Kind?
    var content: Content?

    init(_ row: VisibleRow, in list: Snapshot) {
        self.row = row
        kind = list.item(row.id)?.kind
        content = list.item(row.id)?.content
    }
}

extension [Drawn] {
    fileprivate mutating func carryOut(_ change: RowChange, in list: Snapshot) {
        switch change {
        case .remove(let rows): for index in rows.reversed() { remove(at: index) }
        case .insert(let rows, let place): for row in rows.reversed() { insert(Drawn(row, in: list), at: place) }
        case .move(let rows, let place):
            let moved = rows.map { self[$0] }
            for index in rows.reversed() { remove(at: index) }
            for row in moved.reversed() { insert(row, at: place) }
        case .reload(let row, let place): self[place] = Drawn(row, in: list)
        }
    }
}

/// Walks the nested form.
private func naiveRows(_ list: Snapshot) -> [Drawn] {
    var rows: [Drawn] = []
    func add(_ items: [Item], _ section: SectionID, _ level: Int) {
        for item in items {
            let isExpanded = item.isExpanded ?? false
            rows.append(
                Drawn(
                    VisibleRow(
                        id: item.id, section: section, level: level, isExpanded: isExpanded,
                        hasChildren: !item.children.isEmpty), in: list))
            if isExpanded { add(item.children, section, level + 1) }
        }
    }
    for section in list.sections { add(section.items, section.id, 0) }
    return rows
}
