import Foundation

/// A library of Tests/Shim, built for this test run, to be loaded into a program with LD_PRELOAD.
struct PreloadedLibrary: Sendable {
    let path: String
    /// The directory; the library is deleted with it.
    private let directory: ScratchDirectory

    static let environmentMoved = PreloadedLibrary("environment_moved")

    /// Returns nil without a C compiler.
    init?(_ name: String) {
        let compilers = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"]
        guard let compiler = compilers.first(where: { FileManager.default.isExecutableFile(atPath: $0) }),
            let directory = try? ScratchDirectory()
        else { return nil }
        self.directory = directory
        path = directory.file("\(name).so")
        let source = "\(Binaries.repository)/Tests/Shim/\(name).c"
        let arguments = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", path, source, "-ldl"]
        guard let program = try? Program(compiler, arguments, in: directory), (try? program.wait()) == 0 else {
            return nil
        }
    }
}
