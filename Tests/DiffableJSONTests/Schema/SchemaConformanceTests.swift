import DiffableJSON
import Foundation
import Testing

/// Compares verdicts with PyPI's `jsonschema` on random schemas and contents from `schemas.py`.
struct SchemaConformanceTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// `DIFFABLED_PAIRS=200000 swift test --filter SchemaConformanceTests` for more.
    private static let pairs = environment["DIFFABLED_PAIRS"].flatMap { Int($0) } ?? 3_000
    private static let seed = environment["DIFFABLED_SEED"] ?? "\(UInt32.random(in: 0...UInt32.max))"

    /// Returns nil if no Python has `jsonschema`.
    private static func lines() throws -> [Substring]? {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "schemas.py").path
        // Debian's module only works with Debian's Python.
        for python in [["/usr/bin/python3"], ["/usr/bin/env", "python3"]] {
            let process = Process()
            process.executableURL = URL(filePath: python[0])
            process.arguments = python.dropFirst() + ["-B", "-X", "utf8", script, seed, "\(pairs)"]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            if process.terminationStatus == 77 { continue }
            try #require(process.terminationStatus == 0, "schemas.py \(seed) \(pairs) fails")
            return output.split(separator: "\n")
        }
        return nil
    }

    @Test func `every pair has the same verdict`() throws {
        guard let lines = try Self.lines() else {
            return print("skipped: python3-jsonschema is not here to compare schemas with")
        }
        print("schemas beside jsonschema: DIFFABLED_SEED=\(Self.seed)")
        var verdicts: [Substring: Int] = [:]
        var schema: Schema?
        for line in lines {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            try #require(parts.count == 3)
            verdicts[parts[2], default: 0] += 1
            if parts[0] == "schema" {
                let compiled = Result { try Schema(json: String(parts[1])) }
                schema = try? compiled.get()
                #expect(
                    (schema == nil) == (parts[2] == "refused"),
                    "seed \(Self.seed): \(parts[1]) is \(parts[2]), but \(compiled.map { _ in })")
            } else if let schema {
                let violation = Array(parts[1].utf8).withUnsafeBytes { schema.check($0) }
                #expect(
                    (violation == nil) == (parts[2] == "fits"),
                    "seed \(Self.seed): \(parts[1]) \(parts[2]) \(String(decoding: schema.json, as: UTF8.self))")
            }
        }
        print("schemas beside jsonschema: \(verdicts)")
        for verdict: Substring in ["fits", "not"] { #expect(verdicts[verdict, default: 0] > Self.pairs / 10) }
        for verdict: Substring in ["taken", "refused"] { #expect(verdicts[verdict, default: 0] > Self.pairs / 1_000) }
    }
}
