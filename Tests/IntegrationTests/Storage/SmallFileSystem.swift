import Foundation

/// A tmpfs of three megabytes, in a mount namespace of a child process; it disappears with that process.
final class SmallFileSystem {
    private let holder: Program
    private let path: String
    static let isPossible: Bool = {
        guard let directory = try? ScratchDirectory() else { return false }
        return (try? SmallFileSystem(at: directory.file("state"), in: directory)) != nil
    }()

    init(at path: String, in directory: ScratchDirectory) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let mount = "mount -t tmpfs -o size=3m,mode=700 none '\(path)' && : > '\(path)/mounted' && exec sleep 1000"
        let holder = try Program(
            "/usr/bin/unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", mount], in: directory)
        self.holder = holder
        let mounted = "/proc/\(holder.processID)/root\(path)/mounted"
        _ = try eventually("small file system; \(holder.complaints)") {
            if holder.exitStatus() != nil { throw Failure(holder.complaints) }
            return FileManager.default.fileExists(atPath: mounted) ? true : nil
        }
    }

    deinit { holder.end(with: SIGKILL) }

    func startDaemon(in directory: ScratchDirectory) throws -> Program {
        try? FileManager.default.removeItem(atPath: directory.file("socket"))
        return try start(
            Binaries.daemon, ["--socket", directory.file("socket"), "--state-directory", path], in: directory)
    }

    /// Starts a program that sees it at its path.
    func start(_ program: String, _ arguments: [String], in directory: ScratchDirectory) throws -> Program {
        try Program(
            "/usr/bin/nsenter",
            ["--target", "\(holder.processID)", "--user", "--mount", "--preserve-credentials", program] + arguments,
            in: directory)
    }

    private var filler: String { "/proc/\(holder.processID)/root\(path)/filler" }

    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw Failure("no filler: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var length = 1 << 16
        let zeros = [UInt8](repeating: 0, count: length)
        for _ in 0..<1_000 {
            if write(descriptor, zeros, length) > 0 { continue }
            guard length > 1 else { return }
            length /= 2
        }
        throw Failure("the small file system does not fill up")
    }

    func free() throws { try FileManager.default.removeItem(atPath: filler) }
}
