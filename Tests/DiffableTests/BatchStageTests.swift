import Diffable
import Testing
import TestSupport

/// Applies `Snapshot.batchStages` to a table with UIKit's restrictions.
struct BatchStageTests {
    @Test func `a table that refuses what UIKit refuses takes every stage, and ends with the same rows`() throws {
        var random = SplitMix64()
        var moves = 0
        for _ in 0..<10_000 {
            var rows = FlatList.random(&random)
            let old = try rows.snapshot()
            var table = Table(old)
            for _ in 0..<3 { rows.change(&random) }
            let new = try rows.snapshot()
            let stages = old.batchStages(to: new, new.difference(from: old))
            for stage in stages {
                try table.perform(stage.changes, stage.snapshot)
                moves += stage.changes.movedSections.count
            }
            #expect(table == Table(new))
            #expect(stages.last?.snapshot == new && stages.count <= 2)
        }
        #expect(moves > 1_000)
    }

    /// The test above depends on these refusals of the table.
    @Test func `the table refuses what a difference has that no batch takes`() throws {
        let one = try FlatList(sections: [("s", ["a", "b"]), ("t", ["c"])]).snapshot()
        for other: [(String, [String])] in [
            [("t", ["c", "a"])], [("s", ["b"]), ("t", ["c"]), ("u", ["a"])], [("t", ["d"]), ("s", ["a", "b"])],
        ] {
            let new = try FlatList(sections: other).snapshot()
            var table = Table(one)
            #expect(throws: Refused.self) {
                try table.perform(IndexPathChanges(new.difference(from: one), from: one, to: new), new)
            }
        }
    }
}

private struct Refused: Error, CustomStringConvertible {
    let description: String
}

private struct FlatList {
    var sections: [(id: String, items: [String])]
    /// The contents of items.
    var contents: [String: Int] = [:]

    static func random(_ random: inout SplitMix64) -> FlatList {
        var list = FlatList(sections: ["s", "t", "u", "v"].shuffled(using: &random).map { ($0, []) })
        for item in (0..<30).shuffled(using: &random).prefix(12) { list.insert("\(item)", &random) }
        for _ in 0..<Int.random(in: 0...4, using: &random) { list.change(&random) }
        return list
    }

    /// Makes one kind of change, sometimes a large one.
    mutating func change(_ random: inout SplitMix64) {
        let place = sections.indices.randomElement(using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
            let known = Set(sections.map(\.id))
            guard let id = ["s", "t", "u", "v", "w", "x"].filter({ !known.contains($0) }).randomElement(using: &random)
            else { return }
            sections.insert((id, []), at: Int.random(in: 0...sections.count, using: &random))
        case 2:
            // The section's items are deleted too, or moved.
            guard let place else { return }
            let items = sections.remove(at: place).items
            guard Bool.random(using: &random), !sections.isEmpty else { return }
            for item in items { insert(item, &random) }
        case 3:
            guard let place else { return }
            let section = sections.remove(at: place)
            sections.insert(section, at: Int.random(in: 0...sections.count, using: &random))
        case 4, 5, 6:
            guard !sections.isEmpty else { return }
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let item = "\(Int.random(in: 0..<30, using: &random))"
                remove(item)
                insert(item, &random)
            }
        case 7:
            for _ in 0..<Int.random(in: 1...5, using: &random) { remove("\(Int.random(in: 0..<30, using: &random))") }
        default:
            contents["\(Int.random(in: 0..<30, using: &random))"] = Int.random(in: 0..<3, using: &random)
        }
    }

    private mutating func remove(_ item: String) {
        for index in sections.indices { sections[index].items.removeAll { $0 == item } }
    }

    private mutating func insert(_ item: String, _ random: inout SplitMix64) {
        let section = sections.indices.randomElement(using: &random)!
        sections[section].items.insert(item, at: Int.random(in: 0...sections[section].items.count, using: &random))
    }

    func snapshot() throws -> Snapshot {
        try Snapshot().applying([
            .appendSections(
                sections.map { section in
                    Section(
                        id: SectionID(stringLiteral: section.id),
                        items: section.items.map {
                            Item(
                                id: ItemID(stringLiteral: $0), content: Content(Array("\(contents[$0] ?? 0)".utf8)))
                        })
                })
        ])
    }
}

/// A table view's rows: it gets positions, asks its data source for new rows, and knows no ids.
private struct Table: Equatable {
    private var rows: [[String]]

    init(_ source: Snapshot) {
        rows = source.sectionIdentifiers.indices.map { Self.rows(source, $0) }
    }

    private static func rows(_ source: Snapshot, _ section: Int) -> [String] {
        let id = source.sectionIdentifier(at: section)!
        return (0..<source.numberOfRootItems(inSection: id)!).map { Self.row(source, [section, $0]) }
    }

    private static func row(_ source: Snapshot, _ path: [Int]) -> String {
        let item = source.item(source.itemIdentifier(at: path)!)!
        return "\(item.id) \(item.content!)"
    }

    mutating func perform(_ changes: IndexPathChanges, _ source: Snapshot) throws(Refused) {
        try check(changes)
        // For each position afterwards, the old row or section; nil for new ones.
        var sections = [[String?]?](repeating: nil, count: source.numberOfSections)
        let goneSections = Set(changes.deletedSections + changes.movedSections.map { $0.from[0] })
        let takenSections = Set(changes.insertedSections + changes.movedSections.map { $0.to[0] })
        var (old, new) = (rows.indices.filter { !goneSections.contains($0) }[...], 0)
        var origins: [Int: Int] = [:]
        for move in changes.movedSections { origins[move.to[0]] = move.from[0] }
        while new < sections.count {
            if !takenSections.contains(new) {
                guard let next = old.popFirst() else { throw Refused(description: "too few sections") }
                origins[new] = next
            }
            new += 1
        }
        guard old.isEmpty else { throw Refused(description: "too many sections") }
        for (section, origin) in origins { sections[section] = try kept(changes, source, section, origin) }
        for section in changes.insertedSections { sections[section] = Self.rows(source, section) }
        rows = try sections.enumerated().map { section, rows throws(Refused) in
            guard let rows else { throw Refused(description: "a section from nowhere") }
            return rows.enumerated().map { $1 ?? Self.row(source, [section, $0]) }
        }
        for path in changes.reconfiguredItems + changes.reloadedItems {
            rows[path[0]][path[1]] = Self.row(source, path)
        }
    }

    /// Returns the kept rows of a section.
    private func kept(
        _ changes: IndexPathChanges, _ source: Snapshot, _ section: Int, _ origin: Int
    ) throws(Refused) -> [String?] {
        let gone = Set((changes.deletedItems + changes.movedItems.map(\.from)).filter { $0[0] == origin }.map { $0[1] })
        var stay = rows[origin].indices.filter { !gone.contains($0) }[...]
        let inserted = Set(changes.insertedItems.filter { $0[0] == section }.map { $0[1] })
        var moved: [Int: [Int]] = [:]
        for move in changes.movedItems where move.to[0] == section { moved[move.to[1]] = move.from }
        let count = source.numberOfRootItems(inSection: source.sectionIdentifier(at: section)!)!
        guard stay.count + inserted.count + moved.count == count else {
            throw Refused(description: "\(rows[origin].count) rows cannot become \(count)")
        }
        return (0..<count).map { row in
            if inserted.contains(row) { return nil }
            if let from = moved[row] { return rows[from[0]][from[1]] }
            let next = stay.removeFirst()
            return rows[origin][next]
        }
    }

    /// Throws in the cases in which `performBatchUpdates` does.
    private func check(_ changes: IndexPathChanges) throws(Refused) {
        let (deleted, inserted) = (Set(changes.deletedSections), Set(changes.insertedSections))
        let movedFrom = Set(changes.movedSections.map { $0.from[0] })
        let movedTo = Set(changes.movedSections.map { $0.to[0] })
        for path in changes.deletedItems + changes.movedItems.map(\.from) {
            if deleted.contains(path[0]) { throw Refused(description: "row \(path) leaves a deleted section") }
            if movedFrom.contains(path[0]) { throw Refused(description: "row \(path) changes in a moved section") }
        }
        for path in changes.insertedItems + changes.movedItems.map(\.to) {
            if inserted.contains(path[0]) { throw Refused(description: "row \(path) enters an inserted section") }
            if movedTo.contains(path[0]) { throw Refused(description: "row \(path) changes in a moved section") }
        }
        let leaving = changes.deletedItems + changes.movedItems.map(\.from)
        let entering = changes.insertedItems + changes.movedItems.map(\.to)
        guard Set(leaving).count == leaving.count, Set(entering).count == entering.count else {
            throw Refused(description: "a row is named twice")
        }
    }
}
