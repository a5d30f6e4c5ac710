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
        if let expected = value["item"] ?? value["spoken"] {
            let item = Item(
                id: try ItemID(value["id"]?.text ?? "id"), kind: try value["kind"]?.text.map { try Kind($0) },
                content: value["content"]?.content)
            let look = looks.items(inSectionWith: section).look(item)
            #expect((value["spoken"] == nil ? look : look.spoken).json == expected.sorted)
        } else if let expected = value["sectionLook"] {
            #expect(looks.sectionLook(section).json == expected.sorted)
        } else {
            #expect(looks.listLook.json == (try #require(value["listLook"])).sorted)
        }
    }
}
