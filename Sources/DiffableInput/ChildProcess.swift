import Dispatch
import Glibc
import Synchronization

/// A program that is found and started as a shell does it, but without a shell.
package struct ChildProcess {
    package enum Input {
        case nothing
        /// The standard input of this process, such as a terminal.
        case inherited
        case descriptor(Int32)
    }

    /// The process group, which receives signals together.
    package enum Group {
        case ours
        /// A group of its own with everything that it starts. The group has the number of the process.
        case own
    }

    package enum Ending: Equatable {
        case status(Int32)
        case signal(Int32)
    }

    /// `PROGRAM was ended by signal 15 (Terminated)`.
    package static func message(_ program: String, endedBy signal: Int32) -> String {
        "\(program) was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    }

    package let processID: pid_t

    /// `output` and `errors` are descriptors; nil for this process's own. `environment` has `NAME=value`; nil for that of
    /// this process.
    package init(
        _ words: [String], input: Input = .inherited, output: Int32? = nil, errors: Int32? = nil,
        environment: [String]? = nil, group: Group = .ours
    ) throws(InputError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        switch input {
        case .nothing: posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        case .inherited: break
        case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
        }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        // The threads of this process block signals, and SwiftNIO ignores SIGPIPE. Without this the program would inherit both.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let grouping = group == .own ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | grouping))
        let texts = words.map { strdup($0) } + [nil]
        let variables = environment.map { $0.map { strdup($0) } + [nil] }
        defer { for text in texts + (variables ?? []) { free(text) } }
        var processID: pid_t = 0
        let error = ChildProcess.inheritance.withLock { _ -> Int32 in
            guard let variables else {
                return posix_spawnp(&processID, words[0], &actions, &attributes, texts, environ)
            }
            return posix_spawnp(&processID, words[0], &actions, &attributes, texts, variables)
        }
        guard error == 0 else {
            throw InputError("\(words[0]) cannot be run: \(String(cString: strerror(error)))")
        }
        self.processID = processID
    }

    /// Makes a pipe that a program inherits only if it is passed on explicitly.
    package static func pipe() throws(InputError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        let error = inheritance.withLock { _ -> Int32 in
            guard Glibc.pipe(&ends) == 0 else { return errno }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return 0
        }
        guard error == 0 else { throw InputError("cannot create a pipe: \(String(cString: strerror(error)))") }
        return (ends[0], ends[1])
    }

    /// Held while a pipe is not marked yet, and while a program is started. Otherwise the program could inherit the pipe, and a
    /// reader of the pipe would wait for the end of the wrong program. (`pipe2` needs `_GNU_SOURCE`.)
    private static let inheritance = Mutex(())

    /// Throws if the program does not exist, with the search that starting it would use.
    package static func check(_ program: String) throws(InputError) {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let directories = path.split(separator: ":", omittingEmptySubsequences: false)
        let files = program.contains("/") ? [program] : directories.map { ($0.isEmpty ? "." : $0) + "/" + program }
        var error = ENOENT
        for file in files {
            if access(file, X_OK) == 0 { return }
            // Read at once, because other calls may set it.
            error = errno
        }
        throw InputError("\(program) cannot be run: \(String(cString: strerror(files.count == 1 ? error : ENOENT)))")
    }

    /// Blocks until the process has ended. Call it once.
    package func wait() -> Ending {
        var word: Int32 = 0
        while waitpid(processID, &word, 0) < 0, errno == EINTR {}
        let signal = word & 0x7F
        return signal == 0 ? .status(word >> 8 & 0xFF) : .signal(signal)
    }

    /// Blocks until the process has ended, without reaping it: until `wait`, no other process can have its number.
    package func waitWithoutReaping() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// Runs the program to its end. Returns its status as a shell does: 128 plus the signal for a program that was killed.
    package static func status(
        of words: [String], input: Input, environment: [String]? = nil
    ) async throws -> Int32 {
        let child = try ChildProcess(words, input: input, environment: environment)
        return await withCheckedContinuation { continuation in
            // This blocks, so it has a thread of its own.
            DispatchQueue(label: "end of a program").async {
                switch child.wait() {
                case .status(let status): continuation.resume(returning: status)
                case .signal(let signal): continuation.resume(returning: 128 + signal)
                }
            }
        }
    }

    package static func status(
        of words: [String], reading bytes: [UInt8], environment: [String]
    ) async throws -> Int32 {
        // An unnamed file: a pipe would block the writer if the program does not read.
        guard let file = tmpfile() else {
            throw InputError("cannot create a temporary file for the input: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        _ = fcntl(fileno(file), F_SETFD, FD_CLOEXEC)
        guard bytes.withUnsafeBytes({ fwrite($0.baseAddress, 1, $0.count, file) }) == bytes.count, fflush(file) == 0
        else {
            throw InputError("cannot write the input to a temporary file: \(String(cString: strerror(errno)))")
        }
        rewind(file)
        return try await status(of: words, input: .descriptor(fileno(file)), environment: environment)
    }
}
