import Foundation
import Glibc
import TestSupport

/// A tmux server with an interactive shell.
struct Tmux {
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux") }

    let pane = "trial:0.0"
    private let socket: String

    init(rows: Int) throws {
        socket = NSTemporaryDirectory() + "diffable-tmux-\(UInt64.random(in: 0 ... .max))"
        run(
            "-f", "/dev/null", "new-session", "-d", "-s", "trial", "-x", "100", "-y", "\(rows)", "env", "-i",
            "TERM=tmux-256color", "LANG=C.UTF-8", "PATH=/usr/bin:/bin", "PS1=$ ", "SWIFT_BACKTRACE=enable=no", "bash",
            "--norc", "--noprofile", "-i")
    }

    func end() {
        run("kill-server")
        unlink(socket)
    }

    func type(_ text: String) { run("send-keys", "-t", pane, "-l", text.replacing("\n", with: "\r")) }

    var screen: String { run("capture-pane", "-p", "-t", pane) }

    /// Waits until the screen meets the condition.
    func waits(until isSo: (String) -> Bool) -> Bool {
        eventually {
            if isSo(screen) { return true }
            usleep(50_000)
            return false
        }
    }

    @discardableResult
    func run(_ arguments: String...) -> String {
        guard let child = try? Child("/usr/bin/tmux", ["-u", "-S", socket] + arguments) else { return "" }
        defer { _ = try? child.wait() }
        return child.readOutput().trimmingCharacters(in: .newlines)
    }

    /// Returns the output with its empty first and last lines.
    func output(_ arguments: String...) throws -> String {
        let child = try Child("/usr/bin/tmux", ["-u", "-S", socket] + arguments)
        defer { _ = try? child.wait() }
        return child.readOutput()
    }
}
