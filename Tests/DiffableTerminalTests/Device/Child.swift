import CVterm
import Foundation
import Glibc
import TestSupport

/// A program with no signal blocked or ignored, even if the test runner blocks or ignores some.
final class Child {
    /// The trial program, next to the test bundle.
    static let trial =
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path + "/TerminalTrial"

    struct Failure: Error { let reason: String }

    let processID: pid_t
    private var ended: Int32?
    private let output: Int32

    init(_ path: String, _ arguments: [String]) throws {
        var pipes: [Int32] = [-1, -1]
        _ = open_pipe(&pipes)
        defer { close(pipes[1]) }
        output = pipes[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        SpawnedDescriptors.closeOthers(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let variables = ["TERM=xterm-256color", "LANG=C.UTF-8", "PATH=/usr/bin:/bin", "SWIFT_BACKTRACE=enable=no"]
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let environment = variables.map { strdup($0) } + [nil]
        defer { for word in words + environment { free(word) } }
        var processID: pid_t = 0
        let result = posix_spawn(&processID, path, &actions, &attributes, words, environment)
        self.processID = processID
        guard result == 0 else { throw Failure(reason: "\(path): \(String(cString: strerror(result)))") }
    }

    deinit {
        close(output)
        if status() == nil {
            kill(processID, SIGKILL)
            var word: Int32 = 0
            waitpid(processID, &word, 0)
        }
    }

    /// Returns the exit status, the negative number of the signal that ended it, or nil while it runs.
    func status() -> Int32? {
        if let ended { return ended }
        var word: Int32 = 0
        guard waitpid(processID, &word, WNOHANG) == processID else { return nil }
        ended = word & 0x7F == 0 ? (word >> 8) & 0xFF : -(word & 0x7F)
        return ended
    }

    func wait() throws -> Int32 {
        guard eventually({ status() != nil }), let status = status() else {
            throw Failure(reason: "process \(processID) does not end")
        }
        return status
    }

    /// Reads all output until every writer has closed it.
    func readOutput() -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(output, &part, part.count), count > 0 { bytes += part.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
