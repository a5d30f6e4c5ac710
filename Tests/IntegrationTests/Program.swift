import Foundation
import TestSupport

/// A running program, with its input from a file and its output into files, so that nothing ever blocks on a pipe.
final class Program {
    let processID: pid_t
    private let directory: ScratchDirectory
    private let name: String
    private(set) var status: Int32?

    /// - Parameters:
    ///   - input: a file, or `nil` for none.
    ///   - environment: variables in addition to a small fixed set.
    init(
        _ path: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
        in directory: ScratchDirectory
    ) throws {
        self.directory = directory
        self.name = "program-\(UUID().uuidString.prefix(8))"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let created = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 0, input ?? "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, directory.file("\(name).out"), created, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, directory.file("\(name).err"), created, 0o600)
        SpawnedDescriptors.closeOthers(&actions)
        var variables = environment
        variables["PATH"] = "/usr/local/bin:/usr/bin:/bin"
        variables["HOME"] = directory.path
        variables["LC_ALL"] = "C.UTF-8"
        self.processID = try Program.spawn(
            path, [path] + arguments, variables.map { "\($0.key)=\($0.value)" }, &actions)
    }

    deinit { if status == nil { end(with: SIGKILL) } }

    private static func spawn(
        _ path: String, _ arguments: [String], _ variables: [String], _ actions: inout posix_spawn_file_actions_t
    ) throws -> pid_t {
        var processID: pid_t = 0
        let words = arguments.map { strdup($0) } + [nil]
        let environment = variables.map { strdup($0) } + [nil]
        defer { for word in words + environment { free(word) } }
        // Children get default signal handling, even if the test runner blocks or ignores signals.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var piped = sigset_t()
        sigemptyset(&piped)
        sigaddset(&piped, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &piped)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let result = posix_spawn(&processID, path, &actions, &attributes, words, environment)
        guard result == 0 else { throw Failure("\(path) does not start: \(String(cString: strerror(result)))") }
        return processID
    }
}

// MARK: - Its end

extension Program {
    /// The exit status, or 128 plus the signal, as in a shell; `nil` while it runs.
    @discardableResult
    func exitStatus() -> Int32? {
        if let status { return status }
        var word: Int32 = 0
        guard waitpid(processID, &word, WNOHANG) == processID else { return nil }
        status = word & 0x7F == 0 ? (word >> 8) & 0xFF : 128 + (word & 0x7F)
        return status
    }

    func wait(within seconds: Double = 240) throws -> Int32 {
        try eventually(within: seconds, "end of process \(processID); it said: \(complaints)") { exitStatus() }
    }

    func signal(_ number: Int32) { kill(processID, number) }

    func end(with number: Int32) {
        guard exitStatus() == nil else { return }
        signal(number)
        _ = try? wait()
    }
}

// MARK: - Its output

extension Program {
    var output: String { text(of: "\(name).out") }
    var complaints: String { text(of: "\(name).err") }

    /// The complete lines.
    var outputLines: [String] {
        let output = output
        guard let end = output.utf8.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return output[..<end].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether the last line is the end of an update at this revision, judged by its first bytes and its end.
    func outputEnds(afterRevision revision: Int) -> Bool {
        guard let last = outputLines.last else { return false }
        return last.prefix(400).contains("\"revision\":\(revision),") && !last.hasSuffix(#""more":true}}"#)
    }

    private func text(of file: String) -> String {
        String(decoding: (try? Data(contentsOf: URL(filePath: directory.file(file)))) ?? Data(), as: UTF8.self)
    }

    /// The resident memory in bytes, without shared pages.
    var residentLength: Int {
        let rollup = (try? String(contentsOfFile: "/proc/\(processID)/smaps_rollup", encoding: .utf8)) ?? ""
        let line = rollup.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    /// The anonymous memory in bytes, without pages of files.
    var anonymousLength: Int {
        let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    /// The kernel's flags for each part of its heap, in two letters each.
    var heapFlags: [[Substring]] {
        // `String(contentsOfFile:)` ends with the first page of such a file.
        let bytes = try? FileHandle(forReadingAtPath: "/proc/\(processID)/smaps")?.readToEnd()
        var flags: [[Substring]] = []
        var isOfHeap = false
        for line in String(decoding: bytes ?? Data(), as: UTF8.self).split(separator: "\n") {
            if !line.prefix(while: { $0 != " " }).hasSuffix(":") { isOfHeap = line.hasSuffix("[heap]") }
            if isOfHeap, line.hasPrefix("VmFlags:") { flags.append(line.split(separator: " ")) }
        }
        return flags
    }
}
