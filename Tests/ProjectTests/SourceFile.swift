import Foundation

/// A Swift file under Sources, as text for the tidy tests.
struct SourceFile: CustomStringConvertible {
    /// The path relative to Sources.
    let path: String
    let lines: [Substring]

    var module: String { String(path.prefix { $0 != "/" }) }
    var description: String { path }

    /// The lines without comments, which may name anything.
    var code: [Substring] {
        lines.filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
    }

    static let all: [SourceFile] = {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
            .standardizedFileURL
        guard let paths = FileManager.default.enumerator(atPath: sources.path) else { return [] }
        // WebFiles.swift is JavaScript in string literals.
        return paths.compactMap { $0 as? String }.filter {
            $0.hasSuffix(".swift") && $0 != "DiffableWeb/WebFiles.swift"
        }.sorted().compactMap { path in
            guard let text = try? String(contentsOf: sources.appending(path: path), encoding: .utf8) else { return nil }
            return SourceFile(path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
        }
    }()
}
