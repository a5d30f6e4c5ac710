import Foundation
import Testing

extension Integration {
    /// Arguments reach a program even if a preloaded library moved its environment before `main`.
    @Suite(.enabled(if: PreloadedLibrary.environmentMoved != nil, "needs a C compiler, /usr/bin/cc"))
    struct MovedEnvironmentTests {
        @Test(arguments: [Binaries.daemon, Binaries.companion])
        func `options count where the environment was moved`(binary: String) throws {
            let directory = try ScratchDirectory()
            let library = try #require(PreloadedLibrary.environmentMoved)
            // A program that missed it would print its usage, or serve.
            let program = try Program(
                binary, ["--no-such-option"], environment: ["LD_PRELOAD": library.path], in: directory)
            defer { program.end(with: SIGKILL) }
            let status = try program.wait()
            #expect(status == (binary == Binaries.daemon ? 64 : 2), "\(program.complaints)")
            #expect(program.complaints.contains("Unknown option '--no-such-option'"))
        }

        @Test func `the environment counts where it was moved`() throws {
            let directory = try ScratchDirectory()
            let library = try #require(PreloadedLibrary.environmentMoved)
            let environment = ["LD_PRELOAD": library.path, "DIFFABLED_ITEMS_MAX": "none"]
            let program = try Program(
                Binaries.daemon, ["--socket", directory.file("socket"), "--state-directory", directory.file("state")],
                environment: environment, in: directory)
            defer { program.end(with: SIGKILL) }
            #expect(try program.wait() == 78)
            #expect(program.complaints.contains("DIFFABLED_ITEMS_MAX"))
        }
    }
}
