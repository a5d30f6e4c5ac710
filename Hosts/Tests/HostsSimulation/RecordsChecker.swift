import Foundation

/// The checker of `make soak-hosts`, a folder with a program in Python.
package struct RecordsChecker {
    private let path: String

    package init(_ path: String) { self.path = path }

    /// Returns a line for each broken promise in a run's records. Throws if it cannot read them.
    package func violations(in records: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B", path, "--check", records]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = said.split(separator: "\n").map(String.init)
        // A checker that cannot read the records proves nothing.
        guard process.terminationStatus == (lines.isEmpty ? 0 : 1) else {
            throw Failure(description: "the checker of \(records) ended with \(process.terminationStatus): \(said)")
        }
        return lines
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
