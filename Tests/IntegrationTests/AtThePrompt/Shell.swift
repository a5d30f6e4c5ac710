import Foundation

extension Daemon {
    /// Runs a shell command in which `$ctl` is diffablectl.
    func shell(_ line: String) throws -> CompanionAnswer { try answer(of: startShell(line)) }

    /// The same at a terminal, where stdout and stderr are one, and Ctrl-D ends the input.
    func terminal(_ line: String, typing text: String = "") throws -> CompanionAnswer {
        try answer(of: startTerminal(line, typing: text))
    }

    func startTerminal(_ line: String, typing text: String = "") throws -> Program {
        let input = try directory.write(text, to: "typed-\(UUID().uuidString.prefix(8))")
        return try Program(
            "/usr/bin/script", ["--quiet", "--return", "--command", line, "/dev/null"], input: input,
            environment: promptEnvironment, in: directory)
    }

    func startShell(_ line: String) throws -> Program {
        try Program("/bin/sh", ["-c", line], environment: promptEnvironment, in: directory)
    }

    private var promptEnvironment: [String: String] {
        ["DIFFABLED_SOCKET": socket, "ctl": Binaries.companion, "TERM": "xterm", "SHELL": "/bin/sh"]
    }

    private func answer(of program: Program) throws -> CompanionAnswer {
        let status = try program.wait()
        return CompanionAnswer(status: status, output: program.output, complaints: program.complaints)
    }
}
