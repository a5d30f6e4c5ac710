import Foundation

extension Daemon {
    /// What a line at a shell's prompt does, where `$ctl` is diffablectl.
    func shell(_ line: String, within seconds: Double = 60) throws -> CompanionAnswer {
        try answer(of: startShell(line), within: seconds)
    }

    /// The same at a terminal, where the output and the complaints are one, and where the end of the input is Ctrl-D.
    func terminal(_ line: String, typing text: String = "", within seconds: Double = 60) throws -> CompanionAnswer {
        let input = try directory.write(text, to: "typed-\(UUID().uuidString.prefix(8))")
        let program = try Program(
            "/usr/bin/script", ["--quiet", "--return", "--command", line, "/dev/null"], input: input,
            environment: promptEnvironment, in: directory)
        return try answer(of: program, within: seconds)
    }

    func startShell(_ line: String) throws -> Program {
        try Program("/bin/sh", ["-c", line], environment: promptEnvironment, in: directory)
    }

    private var promptEnvironment: [String: String] {
        ["DIFFABLED_SOCKET": socket, "ctl": Binaries.companion, "TERM": "xterm", "SHELL": "/bin/sh"]
    }

    private func answer(of program: Program, within seconds: Double) throws -> CompanionAnswer {
        let status = try program.wait(within: seconds)
        return CompanionAnswer(status: status, output: program.output, complaints: program.complaints)
    }
}
