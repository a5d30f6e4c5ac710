import Foundation
import Testing

@Suite struct ArchitecturePageTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// All files and folders that the page may name.
    private static let paths: [String] = [
        "Sources", "Hosts/Sources", "Tests", "docs", "config", "clients", "protocol", "scripts",
    ].flatMap {
        top in
        let folder = root.appending(path: top)
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.map { "/\(top)/\($0)" }
    }

    @Test func `every file and folder that the table names is there`() throws {
        let page = try String(contentsOf: Self.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
        let table = page.components(separatedBy: "## Where do I change").last ?? ""
        let names = table.split(separator: "\n").filter { $0.hasPrefix("|") }.flatMap { row in
            // Every second piece is between two backticks.
            row.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
                .map(\.element)
        }.filter { $0.contains("/") || $0.hasSuffix(".swift") }.filter { !$0.contains("…") }
        #expect(names.count > 100)
        for name in names {
            let ending = "/" + (name.hasSuffix("/") ? name.dropLast() : name)
            #expect(Self.paths.contains { $0.hasSuffix(ending) }, "there is no \(name)")
        }
    }
}
