import Testing

@testable import Diffable

@Suite struct `Cursors` {
    @Test func `a snapshot reads from the front to the back, each section and parent before what is in it`() throws {
        let snapshot = try Snapshot(outline: "s: a+(b(c)) d; t:; u: e")
        #expect(rest(of: SnapshotCursor(snapshot)) == ["s", "0 a+", "1 b", "2 c", "0 d", "t", "u", "0 e"])
        #expect(rest(of: SnapshotCursor(Snapshot())) == [])
    }

    @Test func `a cursor is continued where it stopped, whatever has become of the list`() throws {
        var snapshot = try Snapshot(outline: "s: a+(b(c)) d; t: e")
        let all = rest(of: SnapshotCursor(snapshot))
        for stop in 0...all.count {
            var cursor = SnapshotCursor(snapshot)
            for _ in 0..<stop { _ = cursor.next() }
            let kept = cursor
            snapshot = try snapshot.applying([.collapseItems(["a"]), .deleteItems(["b"])])
            #expect(rest(of: cursor) == Array(all[stop...]))
            #expect(rest(of: kept) == Array(all[stop...]))
            snapshot = try Snapshot(outline: "s: a+(b(c)) d; t: e")
        }
    }

    @Test func `it reads many pages of siblings and stays at the end`() throws {
        let items = (0..<5_000).map { Item(id: ItemID(stringLiteral: "\($0)")) }
        var cursor = SnapshotCursor(try Snapshot([Section(id: "s", items: items)]))
        var count = 0
        while cursor.next() != nil { count += 1 }
        #expect(count == 5_001)
        #expect(cursor.next() == nil)
    }

    @Test func `items that are brought read each before its children`() {
        var cursor = ItemCursor(outlined("a+(b(c) d) e"))
        var read: [String] = []
        while let (record, level, isExpanded, _) = cursor.next() {
            read.append("\(level) \(ItemID(record: record))" + (isExpanded == true ? "+" : ""))
        }
        #expect(read == ["0 a+", "1 b", "2 c", "1 d", "0 e"])
        #expect(cursor.next() == nil)
    }

    private func rest(of cursor: SnapshotCursor) -> [String] {
        var cursor = cursor
        var read: [String] = []
        while let element = cursor.next() {
            switch element {
            case .section(let record): read.append("\(SectionID(record: record))")
            case .item(let record, let level, let isExpanded, _):
                read.append("\(level) \(ItemID(record: record))" + (isExpanded ? "+" : ""))
            }
        }
        return read
    }
}
