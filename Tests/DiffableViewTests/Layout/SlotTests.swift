import Diffable
import DiffableView
import Testing

/// The parts of rows that are below each other, and the edges of sections.
@Suite struct SlotTests {
    private func lines(_ fixture: String, columns: Int = 80) throws -> [[Character]] {
        let grid = drawn(Document(try Snapshot(fixture: fixture)), Viewport(columns: columns, rows: 100))
        // A character for each column.
        return (0..<grid.rows).map { row in grid.row(row).flatMap { Array(grid.text(of: $0)) } }
    }

    private func start(of text: String, in line: [Character]) -> Int? {
        line.indices.first { line[$0...].starts(with: Array(text)) }
    }

    private static let rows = """
        {"content": {"layout": "LAYOUT"}, "sections": [{"id": "s", "items": [
          {"id": "a", "content": {"text": "Ada", "secondaryText": "first", "badge": "running",
            "accessories": [{"type": "label", "text": "5 min"}, "disclosureIndicator"]}},
          {"id": "b", "content": {"text": "A longer name", "secondaryText": "second", "badge": "dead", "progress": 0.5}},
          {"id": "c", "content": {"text": "Grace", "secondaryText": "third", "badge": 7, "progress": 1,
            "accessories": ["disclosureIndicator"]}}]}]}
        """

    @Test func `badges, bars, labels, chevrons and secondary texts are below each other`() throws {
        let lines = try lines(Self.rows.replacing("LAYOUT", with: "list"))
        func ends(_ texts: String...) -> Set<Int?> {
            Set(zip(texts, lines).map { text, line in start(of: text, in: line).map { $0 + text.count } })
        }
        #expect(ends(" running ", " dead ", " 7 ").count == 1, "\(lines.map { String($0) })")
        #expect(start(of: "›", in: lines[0]) == start(of: "›", in: lines[2]))
        #expect(start(of: "›", in: lines[0]) != nil && start(of: "›", in: lines[1]) == nil)
        #expect(start(of: "━", in: lines[1]) == start(of: "━", in: lines[2]))
        #expect(!lines.joined().contains("%"), "a label is beside the bars")
        let secondary = zip(["first", "second", "third"], lines).map { start(of: $0, in: $1) }
        #expect(Set(secondary).count == 1 && secondary[0] != nil, "\(lines.map { String($0) })")
    }

    @Test func `a percentage is next to a bar without a label`() throws {
        let rows = Self.rows.replacing("LAYOUT", with: "list").replacing(#","text":"5 min""#, with: "")
            .replacing(#", "text": "5 min""#, with: "")
        let lines = try lines(rows)
        #expect(start(of: "50%", in: lines[1]).map { $0 + 3 } == start(of: "100%", in: lines[2]).map { $0 + 4 })
        #expect(start(of: "100%", in: lines[2]) != nil)
    }

    @Test(arguments: [41, 60, 80, 120]) func `a list, a grid and a carousel have the same edges`(columns: Int) throws {
        let items = (0..<12).map { "{\"id\": \"X\($0)\", \"content\": {\"text\": \"Item\"}}" }.joined(separator: ",")
        for appearance in ["insetGrouped", "plain"] {
            let sections = ["list", "grid", "carousel"].map { layout in
                "{\"id\": \"\(layout)\", \"content\": {\"layout\": \"\(layout)\"}, \"items\": [\(items.replacing("X", with: layout))]}"
            }
            let lines = try lines(
                "{\"content\": {\"appearance\": \"\(appearance)\"}, \"sections\": [\(sections.joined(separator: ","))]}",
                columns: columns)
            let tops = lines.filter { $0.contains("╭") }
            let isBox = appearance == "insetGrouped"
            #expect(tops.count >= (isBox ? 3 : 2))
            let starts = Set(tops.map { $0.firstIndex(of: "╭") })
            #expect(starts.count == 1)
            let text = lines.compactMap { start(of: "Item", in: $0) }.first
            if !isBox { #expect(starts == [text]) }
            // The last carousel is cut off.
            let ends = Set(tops.dropLast().map { $0.lastIndex(of: "╮") })
            #expect(ends.count == 1, "\(lines.map { String($0) })")
        }
    }
}
