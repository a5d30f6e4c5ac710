import Foundation
import Testing

extension Integration {
    /// An independent implementation of RFC 6902 agrees: PyPI's `jsonpatch` applies the `patches`.
    struct JSONPatchTests {
        /// The directory of `pip`'s installation, made once per test run; nil if it failed.
        private static let installation: ScratchDirectory? = {
            guard let directory = try? ScratchDirectory(), let python = try? PythonClient.interpreter,
                let pip = try? Program(
                    python,
                    [
                        "-m", "pip", "install", "--quiet", "--retries", "1", "--target", directory.file("packages"),
                        "jsonpatch==1.33",
                    ], in: directory),
                (try? pip.wait(within: 120)) == 0
            else { return nil }
            return directory
        }()

        @Test(
            .enabled(if: installation != nil, "pip cannot install jsonpatch here: no PyPI, or no pip for python3"))
        func `patches applied by jsonpatch make what snapshot tells, after each group`() throws {
            let packages = try #require(Self.installation)
            let daemon = try Daemon()
            let seed = ProcessInfo.processInfo.environment["DIFFABLED_SEED"] ?? "\(UInt64.random(in: 0...UInt64.max))"
            let script = "\(Binaries.repository)/Tests/IntegrationTests/Conformance/patches.py"
            let program = try Program(
                try PythonClient.interpreter, ["-B", script, daemon.socket, seed, "400"],
                environment: ["PYTHONPATH": packages.file("packages")], in: daemon.directory)
            #expect(try program.wait(within: 120) == 0, "seed \(seed): \(program.complaints)")
            print("patches: seed \(seed), \(program.output)", terminator: "")
        }
    }
}
