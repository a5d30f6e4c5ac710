import Diffable
import Testing

struct VisibleRowsTests {
    @Test func `rows are a collection`() throws {
        let list = try Snapshot([
            Section(
                id: "s",
                items: [
                    Item(id: "a", isExpanded: true, children: [Item(id: "b")]),
                    Item(id: "c", children: [Item(id: "d")]),
                ]), Section(id: "t", items: [Item(id: "e")]),
        ])
        let rows = VisibleRows(of: list)
        var ids: [ItemID] = []
        for row in rows { ids.append(row.id) }
        #expect(ids == ["a", "b", "c", "e"])
        #expect(rows.indices.map { rows[$0] } == rows.all && rows.map(\.level) == [0, 1, 0, 0])
        #expect(rows.first?.id == "a" && rows.last?.id == "e" && rows[1...2].map(\.id) == ["b", "c"])
        #expect(rows.firstIndex { $0.section == "t" } == 3 && rows.reversed().first?.id == "e")
        #expect(VisibleRows(of: Snapshot()).isEmpty)
    }
}
