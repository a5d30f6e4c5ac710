import Diffable
import DiffableJSON
import DiffableView
import Foundation
import Testing

/// The table of cases in looks.json, which every viewer has to pass.
@Suite struct LookTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var value: ContentValue
        var testDescription: String { value["rule"]?.text ?? "?" }

        static let all: [Case] = {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "looks.json")
            guard let text = try? String(contentsOf: file, encoding: .utf8), let content = try? Content(json: text)
            else { fatalError("\(file.path()) cannot be read as JSON") }
            return (ContentValue(content).elements ?? []).map { Case(value: $0) }
        }()
    }

    @Test func `the table has all its cases`() { #expect(Case.all.count > 50) }

    @Test(arguments: Case.all) func `an item, a section or a list looks as the table says`(example: Case) throws {
        let value = example.value
        let looks = Looks(list: value["list"]?.content, user: value["user"]?.content)
        let section = value["section"]?.content
        let clock = WallClock(now: value["now"]?.number.map { Int($0) } ?? 0) { _ in 3_600 }
        if let format = value["format"]?.text.flatMap(Format.init) {
            for example in value["texts"]?.elements ?? [] {
                let parts = try #require(example.elements)
                let shown = format.text(parts[0], clock)
                #expect(shown.map { .text($0.text) } ?? .null == parts[1], "\(parts[0].json)")
                if parts.count > 2 { #expect(shown?.changesAt.map(Double.init) == parts[2].number, "\(parts[0].json)") }
            }
        } else if let column = value["column"] {
            let columns = looks.sectionLook(nil).columns
            let item = Item(id: "id", content: value["content"]?.content)
            let content = item.content.map { ContentValue($0) }
            let cell = TableCell(try #require(columns?.first), of: item, text: "", content: content, clock)
            #expect(cell.json == column.sorted)
        } else if let expected = value["item"] ?? value["spoken"] {
            let item = Item(
                id: try ItemID(value["id"]?.text ?? "id"), kind: try value["kind"]?.text.map { try Kind($0) },
                content: value["content"]?.content)
            let look = looks.items(inSectionWith: section).look(item, clock)
            #expect((value["spoken"] == nil ? look : look.spoken).json == expected.sorted)
        } else if let expected = value["sectionLook"] {
            #expect(looks.sectionLook(section, clock).json == expected.sorted)
        } else {
            #expect(looks.listLook.json == (try #require(value["listLook"])).sorted)
        }
    }
}
