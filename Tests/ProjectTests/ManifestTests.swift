import Foundation
import Testing

/// The compiler settings of Package.swift, in our own builds and in builds of a program that depends on this package.
@Suite struct ManifestTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the manifest as SwiftPM reads it with this environment. It is read from another directory, because the
    /// repository's is locked while tests run.
    private static func manifest(_ environment: [String: String]) throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.copyItem(
            at: repository.appending(path: "Package.swift"), to: directory.appending(path: "Package.swift"))
        let said = directory.appending(path: "said")
        try Data().write(to: said)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", directory.path, "--manifest-cache", "none", "dump-package",
        ]
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("DIFFABLED_") && $0.key != "SWIFT_EXEC" }
            .merging(environment) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: said)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try String(contentsOf: said, encoding: .utf8)
    }

    @Test func `a program that depends on this package is not refused for a warning in it`() throws {
        let manifest = try Self.manifest([:])
        #expect(manifest.contains(#""name" : "DiffableClient""#))
        #expect(!manifest.contains("treatAllWarnings"))
        // SwiftPM refuses a dependency with such flags.
        #expect(!manifest.contains("unsafeFlags"))
    }

    @Test func `our own builds refuse warnings`() throws {
        #expect(try Self.manifest(["DIFFABLED_STRICT": "1"]).contains("treatAllWarnings"))
        for (file, line) in [
            ("Makefile", "export DIFFABLED_STRICT = 1"),
            ("scripts/test", "export DIFFABLED_OPTIMIZED=1 DIFFABLED_STRICT=1"),
        ] {
            let text = try String(contentsOf: Self.repository.appending(path: file), encoding: .utf8)
            #expect(text.split(separator: "\n").contains { $0 == line }, "\(file)")
        }
        let ci = try String(contentsOf: Self.repository.appending(path: ".ci/run"), encoding: .utf8)
        #expect(!ci.contains("swift build") && !ci.contains("swift test"), "CI builds by make alone")
    }
}
