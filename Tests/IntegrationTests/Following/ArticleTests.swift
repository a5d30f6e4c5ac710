import Diffable
import Foundation
import Testing

extension Integration {
    /// The articles that DocC shows, `FromNothing.md` in each catalogue.
    struct ArticleTests {
        private typealias Item = Diffable.Item
        private typealias Section = Diffable.Section

        @Test func `the article of DiffableClient has the first program of docs/swift.md`() throws {
            let article = try PageBlocks.of("Sources/DiffableClient/DiffableClient.docc/FromNothing.md", "swift")
            #expect(article.count == 2)
            #expect(article == Array(try PageBlocks.of("docs/swift.md", "swift").prefix(2)))
        }

        @Test func `the article of Diffable has a program that does what it says`() throws {
            let program = try #require(
                PageBlocks.of("Sources/Diffable/Diffable.docc/FromNothing.md", "swift").last)
            let here = PageBlocks.lines(try String(contentsOfFile: #filePath, encoding: .utf8))
            let start = "import Diffable\n@main\nstruct Hello {\nstatic func main() throws {\n"
            let lines = PageBlocks.lines(program)
            try #require(lines.hasPrefix(start) && lines.hasSuffix("\n}\n}"), "\(lines)")
            let body = lines.dropFirst(start.count).dropLast(4)
            #expect(here.contains(body), "\(body)")

            var said = ""
            func print(_ words: Any...) { said = words.map { "\($0)" }.joined(separator: " ") }

            let before = try Snapshot([Section(id: "today", items: [Item(id: "milk"), Item(id: "bread")])])

            var draft = SnapshotDraft(before)
            try draft.moveItem("bread", beforeItem: "milk")
            try draft.appendItems([Item(id: "tea")], toSection: "today")
            let after = draft.snapshot

            let difference = after.difference(from: before)
            let changes = IndexPathChanges(difference, from: before, to: after)
            print(after.visualDescription, changes.insertedItems, changes.movedItems)

            #expect(said.hasPrefix("today\n    bread\n    milk\n    tea\n [[0, 2]]"))
            #expect(changes.movedItems == [IndexPathChanges.Move(from: [0, 1], to: [0, 0])])
            #expect(try before.applying(difference) == after)
        }
    }
}
