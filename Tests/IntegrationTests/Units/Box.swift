import Foundation

/// This machine's systemd, in its own namespaces, with diffabled installed as `make install` does (`scripts/box`).
final class Box {
    private let directory: ScratchDirectory
    private static let script = "\(Binaries.repository)/scripts/box"

    /// Returns nil, with a message, if there can be none: it needs root.
    ///
    /// - Parameter tree: files over the system's, instead of those that `make install` installs; nothing is enabled.
    init?(tree: String? = nil) throws {
        directory = try ScratchDirectory()
        let installed = try tree ?? Box.installed.get()
        let start = try Program(Box.script, ["start", directory.path, installed], in: directory)
        switch try start.wait(within: 240) {
        case 0: break
        case 77:
            print("skipped: no systemd of its own can be started here; \(start.complaints)")
            return nil
        case let status: throw Failure("scripts/box ends with \(status): \(start.complaints)")
        }
        guard tree == nil else { return }
        try succeed("systemd-sysusers")
        try succeed("systemctl", "enable", "--now", "--quiet", "diffabled.socket")
    }

    deinit {
        let stop = try? Program(Box.script, ["stop", directory.path], in: directory)
        _ = try? stop?.wait()
    }

    /// The result of `make install` into a directory, made once: each box puts a copy over the system's files. Leaves out
    /// documentation, which needs tools to make.
    private static let installed = Result {
        let tree = "\(Binaries.directory)/installed"
        if FileManager.default.fileExists(atPath: tree) { try FileManager.default.removeItem(atPath: tree) }
        let install = try Program(
            "/usr/bin/make",
            [
                "-C", Binaries.repository, "-s", "install", "built=\(Binaries.directory)",
                "DESTDIR=\(tree)", "PREFIX=/usr", "shared=",
            ], in: ScratchDirectory())
        guard try install.wait(within: 240) == 0 else { throw Failure("make install: \(install.complaints)") }
        return tree
    }

    // MARK: Inside

    func start(_ command: String..., input: String? = nil) throws -> Program { try start(command, input: input) }

    private func start(_ command: [String], input: String? = nil) throws -> Program {
        let file = try input.map { try directory.write($0, to: "input-\(UUID().uuidString.prefix(8))") }
        return try Program(Box.script, ["run", directory.path] + command, input: file, in: directory)
    }

    /// Runs a command that has to succeed, and returns its output.
    @discardableResult
    func succeed(_ command: String..., input: String? = nil) throws -> String {
        let program = try start(command, input: input)
        guard try program.wait(within: 120) == 0 else {
            throw Failure("\(command.joined(separator: " ")): \(program.complaints)\(program.output)")
        }
        return program.output
    }

    /// Copies a file from outside.
    func copy(_ file: String, to path: String) throws {
        let install = try Program(
            Box.script, ["run", directory.path, "install", "-D", "-m", "755", "/dev/stdin", path], input: file,
            in: directory)
        guard try install.wait() == 0 else { throw Failure("\(file): \(install.complaints)") }
    }

    /// Writes a file over the system's.
    func write(_ text: String, to path: String) throws {
        try succeed("install", "-D", "-m", "644", "/dev/stdin", path, input: text)
    }

    /// Returns the daemon's log once it contains the text, because the journal is written with a delay.
    func log(with text: String) throws -> String {
        var log = ""
        return try eventually("\(text) in the journal, which has \(log)") {
            log = try succeed("journalctl", "-u", "diffabled", "-o", "cat")
            return log.contains(text) ? log : nil
        }
    }

    // MARK: Users

    /// Returns their number.
    @discardableResult
    func addUser(_ name: String, _ options: String...) throws -> String {
        let add = try start(["useradd"] + options + [name])
        guard try add.wait() == 0 else { throw Failure("useradd: \(add.complaints)") }
        return try succeed("id", "-u", name).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func start(as user: String, _ command: String...) throws -> Program {
        try start(["setpriv", "--reuid", user, "--regid", user, "--init-groups"] + command)
    }

    @discardableResult
    func succeed(as user: String, _ command: String...) throws -> String {
        let program = try start(["setpriv", "--reuid", user, "--regid", user, "--init-groups"] + command)
        guard try program.wait() == 0 else {
            throw Failure("\(user): \(command.joined(separator: " ")): \(program.complaints)")
        }
        return program.output
    }

    // MARK: The service

    func property(_ name: String, of unit: String = "diffabled.service") throws -> String {
        try succeed("systemctl", "show", "--value", "--property", name, unit)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Adds a setting to the unit.
    func setProperty(_ text: String) throws {
        try write("[Service]\n\(text)\n", to: "/etc/systemd/system/diffabled.service.d/test.conf")
        try succeed("systemctl", "daemon-reload")
    }

    /// Returns the messages of `systemd-analyze verify` without settings that this systemd is too old for.
    static func withoutNewSettings(_ complaints: String) -> String {
        complaints.split(separator: "\n").filter {
            $0.firstMatch(of: #/Unknown key (name )?'(RestartSteps|RestartMaxDelaySec)'/#) == nil
        }.joined(separator: "\n")
    }

    func waitForSubscriptions(_ number: Int) throws {
        _ = try eventually("\(number) subscriptions") {
            try succeed("diffablectl", "status").contains("\nsubscriptions: \(number)\n") ? true : nil
        }
    }

    /// Waits until the daemon has another process id than before.
    func waitForAnotherProcess(than before: String) throws -> String {
        try eventually("new daemon") {
            let now = try property("MainPID")
            return try now != before && now != "0" && property("ActiveState") == "active" ? now : nil
        }
    }
}
