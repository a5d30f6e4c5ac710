import DiffableServer
import Foundation
import Testing

@testable import diffabled

/// Checks limits with their defaults in the pages: `65,536 (requestKeysMax)`, `4 MiB (historyLengthMax)`.
@Suite struct DocumentedLimitTests {
    private struct Mention {
        let page: String
        let limit: Limit
        let value: Int
        let text: Substring
    }

    private static func mentions() throws -> [Mention] {
        let docs = URL(filePath: #filePath).appending(path: "../../../docs").standardized
        let pages = try FileManager.default.contentsOfDirectory(atPath: docs.path).filter { $0.hasSuffix(".md") }
        return try pages.flatMap { page -> [Mention] in
            let text = try String(contentsOf: docs.appending(path: page), encoding: .utf8)
            let mention = /([0-9][0-9,]*)(?: (KiB|MiB))?[a-z *]*\(`(\w+Max)`\)/
            return text.matches(of: mention).compactMap { match -> Mention? in
                guard let limit = Limit(rawValue: String(match.3)) else { return nil }
                let number = Int(match.1.filter { $0 != "," }) ?? -1
                let factor = match.2.map { $0 == "KiB" ? 1_024 : 1_048_576 } ?? 1
                return Mention(page: page, limit: limit, value: number * factor, text: match.0)
            }
        }
    }

    @Test func `each limit that a page names with a number has that default`() throws {
        let mentions = try Self.mentions()
        #expect(mentions.count >= 10)
        for mention in mentions {
            #expect(mention.value == ServerLimits()[mention.limit], "docs/\(mention.page): \(mention.text)")
        }
    }

    @Test func `each limit's default is in its range`() {
        for limit in Limit.allCases { #expect(limit.row.range.contains(ServerLimits()[limit]), "\(limit)") }
    }
}

/// Formats a number with separators: `1,048,576`.
func grouped(_ number: Int) -> String {
    var digits = String(number)
    for place in stride(from: digits.count - 3, to: 0, by: -3) {
        digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
    }
    return digits
}
