import Foundation
import Testing

/// Each claim of the security pages names the test that shows it.
@Suite struct SecurityPageTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    private var tests: String {
        let folder = Self.root.appending(path: "Tests")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".swift") && !$0.hasSuffix("SecurityPageTests.swift") }.compactMap {
            try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }.joined()
    }

    @Test func `every test that the security page names exists`() throws {
        let page = try ["security.md", "security-claims.md"].map {
            try String(contentsOf: Self.root.appending(path: "docs/\($0)"), encoding: .utf8)
        }.joined()
        // Each table of claims, without the line under its head.
        let rows = page.components(separatedBy: "| claim | test |\n").dropFirst().flatMap { table in
            table.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("|") }.dropFirst()
        }
        #expect(rows.count > 20)
        let tests = tests
        for row in rows {
            let names = row.split(separator: "|").last.map { $0.matches(of: /`([^`]+)`/).map(\.1) } ?? []
            #expect(!names.isEmpty, "\(row) names no test")
            for name in names { #expect(tests.contains("func `\(name)`("), "there is no test \(name)") }
        }
    }
}
