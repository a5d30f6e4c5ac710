import Foundation

/// A terminal with a program in it: a test sends keys and reads the screen.
final class Tmux {
    private let directory: ScratchDirectory
    private let socket: String

    /// - Parameter command: for a shell. It must not end: tmux then scrolls the screen by a line for its own message.
    init(
        _ command: String, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:],
        in directory: ScratchDirectory
    ) throws {
        self.directory = directory
        socket = directory.file("tmux-\(UUID().uuidString.prefix(8))")
        // Without tmux's status line, and without a delay for keys.
        let configuration = try directory.write(
            """
            set -g status off
            set -s escape-time 0
            set -g default-terminal tmux-256color
            set -g set-clipboard on
            set -g mouse off
            set -ga terminal-features "*:clipboard"

            """, to: "tmux.conf")
        let variables = environment.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
        try run(
            "-f", configuration, "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
            "env \(variables) sh -c '\(command.replacing("'", with: "'\\''"))'")
    }

    deinit { _ = try? run("kill-server") }

    @discardableResult
    private func run(_ arguments: String...) throws -> String {
        let program = try Program("/usr/bin/tmux", ["-u", "-S", socket] + arguments, in: directory)
        guard try program.wait() == 0 else {
            throw Failure("tmux \(arguments.joined(separator: " ")): \(program.complaints)")
        }
        return program.output
    }

    // MARK: - Keys

    /// Presses keys by tmux's names: `Down`, `Enter`, `M-Up`, `C-d`; anything else is typed.
    func press(_ keys: String...) throws {
        for key in keys { try run("send-keys", key) }
    }

    /// Sends bytes as the terminal would, such as a report of the mouse.
    func send(_ text: String) throws { try run("send-keys", "-l", text) }

    /// Clicks a cell, counted from 0.
    func click(column: Int, row: Int, button: Int = 0) throws {
        try send("\u{1B}[<\(button);\(column + 1);\(row + 1)M\u{1B}[<\(button);\(column + 1);\(row + 1)m")
    }

    func resize(columns: Int, rows: Int) throws {
        try run("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    // MARK: - The screen

    var screen: String { get throws { try run("capture-pane", "-p") } }

    /// The screen with the sequences of its colours.
    var colouredScreen: String { get throws { try run("capture-pane", "-p", "-e") } }

    var lines: [String] {
        get throws { try screen.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
    }

    /// The cursor's row, counted from 0.
    var cursorRow: Int {
        get throws {
            Int(try run("display-message", "-p", "#{cursor_y}").trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
        }
    }

    var isCursorShown: Bool {
        get throws { try run("display-message", "-p", "#{cursor_flag}").hasPrefix("1") }
    }

    /// Returns the positions of a text in cells, from the last to the first.
    func places(of text: String, count: Int) throws -> [(column: Int, row: Int)] {
        try run("copy-mode")
        defer { _ = try? run("send-keys", "-X", "cancel") }
        try run("send-keys", "-X", "bottom-line")
        try run("send-keys", "-X", "end-of-line")
        return try (0..<count).map { index in
            if index == 0 {
                try run("send-keys", "-X", "search-backward", text)
            } else {
                try run("send-keys", "-X", "search-again")
            }
            let numbers = try run("display-message", "-p", "#{copy_cursor_x} #{copy_cursor_y}")
                .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            guard numbers.count == 2 else { throw Failure("tmux says nothing of its cursor") }
            return (numbers[0], numbers[1])
        }
    }

    var clipboard: String { get throws { try run("show-buffer") } }

    /// Returns the row with a text; nil without one.
    func row(of text: String) throws -> Int? { try lines.firstIndex { $0.contains(text) } }

    /// Waits until the screen meets the condition.
    func waitFor(_ what: String, _ isSo: ([String]) throws -> Bool) throws {
        var last: [String] = []
        do {
            _ = try eventually(what) {
                last = try lines
                return try isSo(last) ? true : nil
            }
        } catch { throw Failure("\(error):\n\(last.joined(separator: "\n"))") }
    }

    func waitFor(_ text: String) throws { try waitFor("\"\(text)\"") { $0.contains { $0.contains(text) } } }

    /// Presses a key, and waits for a message that is visible only for seconds. On a busy machine it may be missed; then the key
    /// is pressed again, so it must give the message each time.
    func press(_ key: String, saying text: String) throws {
        var presses = 0
        var pressed: ContinuousClock.Instant?
        try waitFor("\"\(text)\"") { lines in
            if lines.contains(where: { $0.contains(text) }) { return true }
            if pressed.map({ $0.duration(to: .now) > .seconds(10) }) ?? true, presses < 20 {
                try press(key)
                presses += 1
                pressed = .now
            }
            return false
        }
    }

    func waitForNo(_ text: String) throws { try waitFor("end of \"\(text)\"") { !$0.contains { $0.contains(text) } } }

    /// Waits until the row under the cursor has a text, optionally on a given line. While the screen is being drawn, the cursor
    /// may be anywhere.
    func waitForCursor(on text: String, line: Int? = nil) throws {
        try waitFor("cursor on \"\(text)\"\(line.map { ", line \($0)" } ?? "")") { lines in
            let row = try cursorRow
            return lines.indices.contains(row) && lines[row].contains(text) && row == line ?? row
        }
    }
}
