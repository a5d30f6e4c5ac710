import Glibc
import Testing

extension Integration {
    /// `diffablectl view` without a controlling terminal, as `setsid` and `su -c` start programs.
    struct ViewerTerminalTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        @Test func `without a controlling terminal the viewer uses standard input and output`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks", by: "setsid -w diffablectl", rows: 20)
            try screen.waitForCursor(on: "Task 0.")
            try screen.press("j", "j")
            try screen.waitForCursor(on: "Task 2.")
            // No signal reports the new size.
            try screen.resize(columns: 60, rows: 10)
            try screen.waitFor("the status line in the last of ten lines") { $0.count >= 10 && $0[9].contains("3/40") }
            try screen.press("q")
            try screen.waitFor("status 0")
        }

        @Test func `without a controlling terminal a row is picked and edited`() throws {
            try daemon.fill()
            let screen = try daemon.view(
                "tasks --select | sed s/^/picked:/", by: "EDITOR=true setsid -w diffablectl")
            try screen.waitFor("Task 0.")
            try screen.press("Down", "Enter")
            try screen.waitFor("picked:i1")
            let editing = try daemon.view(
                "tasks", by: "EDITOR=\(try daemon.editor("sed -i s/Task/Edited/ \"$1\"")) setsid -w diffablectl")
            try editing.waitForCursor(on: "Task 0.")
            try editing.press("e")
            try editing.waitForCursor(on: "Edited 0.")
        }

        @Test func `the terminal's cursor is hidden while no text is typed`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks", keepsCursor: false)
            try screen.waitFor("hidden cursor") { lines in
                try lines.contains { $0.contains("Task 0.") } && !screen.isCursorShown
            }
            try screen.press("/", "3")
            try screen.waitFor("cursor in the search") { lines in
                try lines.last { !$0.isEmpty }?.hasPrefix(" /3") == true && screen.isCursorShown
                    && screen.cursorRow == 23
            }
            try screen.press("Escape")
            try screen.waitFor("hidden cursor") { _ in try !screen.isCursorShown }
            try screen.press("q")
            try screen.waitFor("the shell's cursor") { _ in try screen.isCursorShown }
        }

        @Test(arguments: ["echo before; diffablectl", "seq 40; printf typed; diffablectl"])
        func `with --height a picker draws below the command line, and leaves no trace`(program: String) throws {
            try daemon.fill()
            let screen = try daemon.view("tasks --select --height 6", by: program)
            try screen.waitFor("Task 4.")
            let before = try screen.lines.prefix { !$0.contains("Task 0.") }
            #expect(before.last == (program.contains("typed") ? "typed" : "before"), "\(before)")
            #expect(try screen.lines.filter { $0.contains("Task ") }.count == 5)
            try screen.press("3", "9")
            try screen.waitForNo("Task 3.")
            // A narrower terminal joins the line with the typed text and the first row, and breaks them elsewhere.
            try screen.resize(columns: program.contains("typed") ? 80 : 60, rows: 20)
            try screen.waitFor("Task 39.")
            try screen.press("Enter")
            try screen.waitFor("i39 and status") { lines in
                let shown = lines.filter { !$0.isEmpty }
                return shown.suffix(2) == ["i39", "status 0"] && !shown.contains { $0.contains("Task") }
            }
        }

        @Test func `--preview shows what a command says about the row, to the right of it`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks --select --preview \"printf %s:%s.\\\\n {id} {.text}\"", columns: 80)
            try screen.waitFor("│ i0:Task 0.")
            try screen.press("Down", "Down")
            try screen.waitFor("│ i2:Task 2.")
            try screen.waitForNo("i0:Task 0.")
            try screen.press("3", "9")
            try screen.waitFor("│ i39:Task 39.")
            try screen.press("x", "x")
            try screen.waitForNo("i39")
            let broken = try daemon.view("tasks --select --preview \"ls -d -- {id}\"")
            try broken.waitFor("i0")
            try broken.waitFor("No such file")
        }

        @Test func `without any terminal there is a message that says so`() throws {
            try daemon.fill()
            let program = try Program(
                "/usr/bin/setsid", ["-w", Binaries.companion, "view", "tasks", "--select"],
                environment: ["DIFFABLED_SOCKET": daemon.socket, "TERM": "xterm"], in: daemon.directory)
            #expect(try program.wait() == 2)
            #expect(program.complaints.contains("there is no terminal: /dev/tty cannot be opened"))
        }
    }

    /// `diffablectl view` of a user whose rights change.
    @Suite(.withSeveralUsers) struct ViewerAccessTests {
        private let daemon: Daemon
        /// Runs it as another user, without access to this terminal.
        private let other = "setpriv --reuid 61002 --regid 61002 --clear-groups diffablectl"

        init() throws { daemon = try Daemon.forEverybody() }

        @Test func `a list that may not be read any more says so, others go on, and it comes back`() throws {
            try daemon.fill("first")
            try daemon.fill("second")
            try daemon.succeed("chmod", "o+r", "first")
            try daemon.succeed("chmod", "o+r", "second")
            let screen = try daemon.view("first second", by: other)
            try screen.waitFor("Task 0.")
            try screen.press("j")
            // Twice, because the first end belongs to a different subscription from the second.
            for round in 1...2 {
                try daemon.succeed("chmod", "o-r", "first")
                try screen.waitFor("You may no longer read the list first")
                try screen.waitFor("not readable: first")
                try screen.press("]")
                try screen.waitForNo("You may no longer read")
                try daemon.succeed("append", "second", "new\(round)", "text=Goes on \(round)", "-q")
                // The number of rows. Before the new one arrives, G would select the row above it.
                try screen.waitFor("/\(40 + round)")
                try screen.press("G")
                try screen.waitFor("Goes on \(round)")
                try daemon.succeed("chmod", "o+r", "first")
                try screen.waitForNo("not readable")
                try screen.press("[")
                try screen.waitForCursor(on: "Task 1.")
                try daemon.succeed("patch", "first", "i1", "badge=round \(round)", "-q")
                try screen.waitFor("round \(round)")
            }
            try screen.press("q")
            try screen.waitFor("status 0")
        }

        @Test func `lines of several lists go on when one may not be read any more`() throws {
            try daemon.fill("first")
            try daemon.fill("second")
            try daemon.succeed("chmod", "o+r", "first")
            try daemon.succeed("chmod", "o+r", "second")
            let screen = try daemon.view("first second --plain", by: other, rows: 100)
            try screen.waitFor("rows of both") { $0.filter { $0.contains("Task 39.") }.count == 2 }
            try daemon.succeed("chmod", "o-r", "first")
            try screen.waitFor("you lost the right")
            try daemon.succeed("append", "second", "new", "text=Goes on", "-q")
            try screen.waitFor("Goes on")
        }

        /// As after `su -c`: the terminal is another user's.
        @Test func `a terminal that cannot be opened again is used as it was handed over`() throws {
            try daemon.fill("open")
            try daemon.succeed("chmod", "o+r", "open")
            let screen = try daemon.view("open", by: "setsid -w " + other)
            try screen.waitForCursor(on: "Task 0.")
            try screen.press("G")
            try screen.waitForCursor(on: "Task 39.")
            try screen.press("q")
            try screen.waitFor("status 0")
        }
    }
}

extension Daemon {
    /// Makes a program that edits its file.
    fileprivate func editor(_ command: String) throws -> String {
        let path = try directory.write("#!/bin/sh\n\(command)\n", to: "editor")
        chmod(path, 0o755)
        return path
    }
}
