import Foundation
import Glibc
import Testing

extension Integration {
    /// Several parts on the screen of `diffablectl view`, and commands of its user.
    struct ViewerPartsTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        @Test func `two lists are side by side, and each is changed by its own keys`() throws {
            let look = #"{"kinds":{"":{"actions":[{"id":"d","title":"Done","key":"d","patch":{"badge":"done"}}]}}}"#
            try daemon.fill("left", look)
            try daemon.fill("right", look)
            let screen = try daemon.view("left right --split", columns: 90)
            try screen.waitFor("both lists") { lines in
                lines.contains { $0.hasPrefix("  left") && $0.contains("│  right") }
                    && lines.contains { $0.components(separatedBy: "Task 1.").count == 3 }
            }
            try screen.press("j", "Tab", "j", "j", "d")
            try screen.waitFor("a badge in the right list") { lines in
                lines.contains { $0.components(separatedBy: "Task 2.").last?.contains("done") ?? false }
            }
            #expect(try daemon.succeed("get", "right", "i2", ".badge").contains("done"))
            try screen.press("Tab", "d")
            try screen.waitFor("a badge in the left list") { lines in
                lines.contains { $0.components(separatedBy: "│").first?.contains("done") ?? false }
            }
            #expect(try daemon.succeed("get", "left", "i1", ".badge").contains("done"))
            try screen.press("/", "3", "9")
            try screen.waitFor("a search in the left list alone") { lines in
                lines.contains {
                    $0.contains("Task 39.") && $0.components(separatedBy: "│").last?.contains("Task") ?? false
                }
            }
            try screen.press("Escape")
            try screen.waitForNo("/39")
            try screen.resize(columns: 50, rows: 24)
            try screen.waitForNo("│")
            try screen.press("Tab")
            try screen.waitForCursor(on: "Task 2.")
        }

        @Test func `a sidebar chooses the list beside it`() throws {
            try daemon.fill("tasks")
            try daemon.succeed(
                "apply", "other", "--create", "-",
                input: #"{"sections":[{"id":"s","items":[{"id":"o","content":{"text":"Of the other"}}]}]}"#)
            try daemon.succeed(
                "apply", "side", "--create", "-",
                input: #"{"sections":[{"id":"s","items":[{"id":"1","content":{"text":"First","list":"tasks"}},"#
                    + #"{"id":"2","content":{"text":"Second","list":"other"}},{"id":"3","content":{"text":"Third","list":"missing"}}]}]}"#
            )
            let screen = try daemon.view("--sidebar side")
            try screen.waitFor("Task 3.")
            try screen.press("j")
            try screen.waitFor("Of the other")
            try screen.press("j")
            try screen.waitForNo("Of the other")
            try screen.press("k", "Enter")
            try screen.waitForCursor(on: "Of the other")
            try screen.press("Tab", "k")
            try screen.waitFor("Task 3.")
        }

        @Test func `the members of the selected item are beside the rows, and up to date`() throws {
            try daemon.fill()
            try daemon.succeed("patch", "tasks", "i0", "note=A long story", "size:=42")
            let screen = try daemon.view("tasks", columns: 90)
            try screen.waitFor("Task 0.")
            try screen.press("I")
            try screen.waitFor("│ note     A long story")
            try daemon.succeed("patch", "tasks", "i0", "note=Another story")
            try screen.waitFor("│ note     Another story")
            try screen.resize(columns: 50, rows: 24)
            try screen.waitFor("the members below") { lines in
                lines.contains { $0.hasPrefix(" note     Another story") }
            }
            try screen.press("I")
            try screen.waitForNo("note")
        }

        @Test func `a key shows the output of a command for the row, live, and ends it`() throws {
            try daemon.fill()
            let log = try daemon.directory.write("first line\n", to: "log")
            let pids = daemon.directory.file("pids")
            let follow = try daemon.directory.write(
                "#!/bin/sh\necho $$ >>\(pids)\necho about \"$1\" of \"$DIFFABLE_LIST\"\nexec tail -n +1 -F \(log)\n",
                to: "follow")
            chmod(follow, 0o755)
            let screen = try daemon.view("tasks --pane 'L=\(follow) {id}'", columns: 90)
            try screen.waitFor("L follow")
            try screen.press("j", "L")
            try screen.waitFor("│ about i1 of tasks")
            try screen.waitFor("│ first line")
            let file = try #require(FileHandle(forWritingAtPath: log))
            try file.seekToEnd()
            try file.write(contentsOf: Data("second line\n".utf8))
            try screen.waitFor("│ second line")
            try screen.press("j", "L")
            try screen.waitFor("│ about i2 of tasks")
            try screen.press("L")
            try screen.waitForNo("│")
            let numbers = try String(contentsOfFile: pids, encoding: .utf8).split(separator: "\n").compactMap {
                Int32($0)
            }
            #expect(numbers.count == 2)
            for number in numbers {
                _ = try eventually("end of process \(number)") { kill(number, 0) != 0 ? true : nil }
            }
            try screen.press("q")
            try screen.waitFor("status 0")
        }

        @Test func `a command has the terminal until it ends, and ^C ends it and not the viewer`() throws {
            try daemon.fill()
            let ask = try daemon.directory.write(
                "#!/bin/sh\nstty -a | grep -q ' icanon' && echo cooked\nprintf 'asks about %s: ' \"$1\"\n"
                    + "read answer\necho \"$answer\" >\(daemon.directory.file("answer"))\nexit 7\n", to: "ask")
            let hang = try daemon.directory.write(
                "#!/bin/sh\nstty raw -echo\nstty sane\necho hangs\nexec sleep 600\n", to: "hang")
            for file in [ask, hang] { chmod(file, 0o755) }
            let screen = try daemon.view("tasks --run 'f3=\(ask) {.text}' --run 'f4=\(hang)'")
            try screen.waitFor("F3 ask  F4 hang")
            try screen.press("j", "F3")
            try screen.waitFor("asks about Task 1.:")
            #expect(try screen.screen.contains("cooked") && !screen.screen.contains("F3 ask"))
            try screen.press("y", "e", "s", "Enter")
            try screen.waitFor("Enter goes back to the list")
            try screen.press("Enter")
            try screen.waitFor("! ask ended with status 7")
            #expect(try String(contentsOfFile: daemon.directory.file("answer"), encoding: .utf8) == "yes\n")
            try screen.press("F4")
            try screen.waitFor("hangs")
            try screen.press("C-c")
            try screen.waitFor("! hang was ended by signal 2")
            try screen.waitForCursor(on: "Task 1.")
            // Keys and the mouse are as before.
            let row = try #require(try screen.row(of: "Task 4."))
            try screen.click(column: 8, row: row)
            try screen.waitForCursor(on: "Task 4.")
            try screen.press("q")
            try screen.waitFor("status 0")
            #expect(try screen.isCursorShown)
        }

        @Test func `a command for a row gets its content as one argument, and never as an option`() throws {
            try daemon.succeed(
                "apply", "tasks", "--create", "-",
                input:
                    #"{"sections":[{"id":"s","items":[{"id":"-rf","content":{"text":"$(id); 'x' \"y\""}},{"id":"b"}]}]}"#
            )
            let screen = try daemon.view(
                "tasks --pane 'L=printf <%s>%s. {.text} {kind}' --pane 'O=printf {id}'", columns: 90)
            try screen.waitFor("$(id)")
            try screen.press("L")
            try screen.waitFor(#"│ <$(id); 'x' "y">"#)
            try screen.press("O")
            try screen.waitFor("│ printf was not run")
            for (option, message) in [
                ("--run=f3=sh -c {.text}", "would run the content of the list as code"),
                ("--run=f3={.text}", "name the program yourself"),
                ("--pane=j=ls {id}", "the viewer uses the key j itself"),
                ("--pane=L=ls {revision}", "an item has no event"),
                ("--preview=/nowhere/x", "/nowhere/x cannot be run"),
            ] {
                let refused = try daemon.companion("view", "tasks", option)
                #expect(refused.status != 0 && refused.complaints.contains(message), "\(option): \(refused)")
            }
        }

        @Test func `M-Down at the end of a section moves a row into the next one`() throws {
            try daemon.succeed("create", "board", "--preset", "board")
            try daemon.succeed("append", "board", "a", "text=Write", "--section", "todo")
            try daemon.succeed("append", "board", "b", "text=Read", "--section", "doing")
            let screen = try daemon.view("board")
            try screen.waitFor("Write")
            try screen.press("/", "W", "r", "Enter")
            try screen.waitForNo("Read")
            try screen.press("Escape")
            try screen.waitFor("Read")
            try screen.waitForCursor(on: "Write")
            try screen.press("M-Down")
            try screen.waitFor("Write below Doing") { lines in
                let rows = ["Doing", "Write", "Read"].map { text in lines.firstIndex { $0.contains(text) } ?? -1 }
                return rows[0] >= 0 && rows == rows.sorted()
            }
            try screen.waitForCursor(on: "Write")
        }

        @Test func `R renames a row in its place`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 1.")
            let row = try #require(try screen.row(of: "Task 1."))
            try screen.press("j", "R")
            try screen.waitFor("Enter renames the row")
            try screen.press("C-u")
            try screen.send("Sweep")
            try screen.waitForCursor(on: "Sweep", line: row)
            try screen.press("Enter")
            try screen.waitForNo("Enter renames")
            #expect(try daemon.succeed("get", "tasks", "i1", ".text").contains("Sweep"))
        }
    }
}
