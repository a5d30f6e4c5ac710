import Diffable
import DiffableJSON
import Testing

@testable import DiffableInput
@testable import diffablectl

struct ItemColumnTests {
    private func rows() throws -> [ItemRow] {
        ItemRow.all(
            of: try Snapshot([
                Section(
                    id: "s",
                    items: [
                        Item(id: "a", content: Content(json: #"{"n":1,"id":"own"}"#)),
                        Item(id: "b", content: Content(json: #""plain""#)),
                    ])
            ]))
    }

    @Test func `a content that is no object has a column that is empty for all others`() throws {
        let rows = try rows()
        let columns = ItemColumn.usual(for: rows)
        #expect(columns.map(\.title) == ["id", "n", ".id", "."])
        #expect(
            rows.map { row in columns.map { $0.text(in: row) } } == [["a", "1", "own", ""], ["b", "", "", "plain"]])
        #expect(try ItemColumn(checking: ".").text(in: rows[0]) == #"{"n":1,"id":"own"}"#)
    }

    @Test func `members of an object never get the name of what an item has itself`() throws {
        let names = try ["id", ".id", ".kind", "section", "/section", ".a", "a.b", "."].map {
            try ItemColumn(checking: $0).memberName
        }
        #expect(names == ["id", ".id", ".kind", "section", ".section", "a", "a.b", "."])
        #expect(try ItemColumn(checking: "/x.y").memberName == "x.y")
        #expect(
            try ["/x.y", "/.net", "/No.", ".id", ".a.b"].map { try ItemColumn(checking: $0).columnName } == [
                "x.y", ".net", "No.", ".id", ".a.b",
            ])
    }
}
