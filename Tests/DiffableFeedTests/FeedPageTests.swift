import Foundation
import Testing

@testable import DiffableFeed

@Suite struct FeedPageTests {
    private let page: String
    private let reference: String

    init() throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        page = try String(contentsOf: repository.appending(path: "docs/feeds.md"), encoding: .utf8)
        reference = try String(contentsOf: repository.appending(path: "docs/feeds-reference.md"), encoding: .utf8)
    }

    @Test func `its files are read`() throws {
        let blocks = page.matches(of: /```yaml\n((?s).*?)```/).map { String($0.1) }
        #expect(blocks.count >= 5)
        for block in blocks {
            #expect(throws: Never.self, "\(block)") { try FeedFile(yaml: block, home: "/home/ada") }
        }
    }

    @Test func `it has each key, and no other`() {
        let rows = reference.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { row in row.split(separator: "|")[0].matches(of: /`(\w+)`/).map { String($0.1) } }
        #expect(Set(rows.joined()) == Set(FeedSettings.keys).subtracting(["shell"]))
    }
}
