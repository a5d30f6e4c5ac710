import Foundation
import Testing

extension Integration {
    /// Rows that stay in place: each row of the table in docs/viewer.md, in a real terminal.
    struct ViewerStayingTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        /// Returns a screen with the cursor on the twenty-first of forty rows, away from the list's ends.
        private func middle(_ look: String = "{}", arguments: String = "tasks") throws -> Tmux {
            try daemon.fill("tasks", look)
            let screen = try daemon.view(arguments, rows: 12)
            try screen.waitFor("Task 0.")
            for _ in 0..<25 { try screen.press("j") }
            try screen.waitForCursor(on: "Task 25.")
            for _ in 0..<5 { try screen.press("k") }
            try screen.waitForCursor(on: "Task 20.")
            return screen
        }

        /// Returns the rows, without the scroll indicator and the status line.
        private func texts(_ screen: Tmux) throws -> [String] {
            try screen.lines.dropLast(2).map { $0.trimmingCharacters(in: .init(charactersIn: " ▌▐●•+~│")) }
        }

        /// Waits for the position in the status line, which shows that the change has arrived.
        private func waitForPlace(_ place: String, _ screen: Tmux) throws { try screen.waitFor(" \(place)  ") }

        @Test func `the row under the cursor keeps its line when others insert, delete and move elsewhere`() throws {
            let screen = try middle()
            let before = try texts(screen)
            for index in 0..<5 {
                try daemon.succeed("insert", "tasks", "n\(index)", "text=New", "--before", "i2", "-q")
            }
            try waitForPlace("26/45", screen)
            #expect(try texts(screen) == before)
            try daemon.succeed("rm", "tasks", "i3", "i4", "i5", "-q")
            try waitForPlace("23/42", screen)
            #expect(try texts(screen) == before)
            try daemon.succeed("move", "tasks", "i39", "--before", "i0", "-q")
            try waitForPlace("24/42", screen)
            #expect(try texts(screen) == before)
            try screen.waitForCursor(on: "Task 20.")
        }

        @Test func `the first row that is seen keeps its line while the cursor's is not seen`() throws {
            let screen = try middle()
            for _ in 0..<4 { try screen.send("\u{1B}[<65;10;5M") }
            // Each step of the wheel is drawn separately, and is three rows.
            try screen.waitFor("twelve rows farther") { $0[0].contains("Task 27.") }
            let last = try texts(screen)
            try daemon.succeed("insert", "tasks", "n", "text=New", "--before", "i2", "-q")
            try waitForPlace("22/41", screen)
            #expect(try texts(screen) == last)
        }

        @Test func `who has never left the top sees what comes there, and comes back to it with g`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks", rows: 12)
            try screen.waitFor("Task 0.")
            try daemon.succeed("insert", "tasks", "n0", "text=First news", "--before", "i0", "-q")
            try screen.waitFor("news on the first line") { $0[0].contains("First news") }
            try screen.waitForCursor(on: "Task 0.")
            try screen.press("j")
            try screen.waitForCursor(on: "Task 1.")
            try daemon.succeed("insert", "tasks", "n1", "text=Second news", "--before", "n0", "-q")
            try waitForPlace("4/42", screen)
            try screen.press("g")
            try screen.waitForCursor(on: "Second news")
            try daemon.succeed("insert", "tasks", "n2", "text=Third news", "--before", "n1", "-q")
            try screen.waitFor("news on the first line") { $0[0].contains("Third news") }
        }

        @Test func `a deleted row hands its line to the next one, the one before, the parent, what follows`() throws {
            try daemon.succeed(
                "apply", "tasks", "--create", "-",
                input: #"""
                    {"sections":[{"id":"s","content":{"header":"The header","hidesWhenEmpty":true},"items":[{"id":"p","expanded":true,
                      "content":{"text":"Parent"},"children":[{"id":"a","content":{"text":"Child A"}},
                      {"id":"b","content":{"text":"Child B"}},{"id":"c","content":{"text":"Child C"}}]}]},
                     {"id":"t","items":[{"id":"z","content":{"text":"Last"}}]}]}
                    """#)
            let screen = try daemon.view("tasks", rows: 12)
            try screen.waitFor("Parent")
            try screen.press("j", "j")
            try screen.waitForCursor(on: "Child B")
            let line = try screen.cursorRow
            for (deleted, next) in [("b", "Child C"), ("c", "Child A"), ("a", "Parent"), ("p", "Last")] {
                try daemon.succeed("rm", "tasks", deleted, "-q")
                try screen.waitForCursor(on: next, line: deleted == "b" ? line : nil)
            }
            try daemon.succeed("rm", "tasks", "z", "-q")
            try screen.waitForCursor(on: "Nothing here")
        }

        @Test func `the cursor goes with a row that others move, and its line stays`() throws {
            let screen = try middle()
            let line = try screen.cursorRow
            try daemon.succeed("move", "tasks", "i20", "--after", "i30", "-q")
            try waitForPlace("31/40", screen)
            try screen.waitForCursor(on: "Task 20.", line: line)
            #expect(try texts(screen)[line - 1].contains("Task 30."))
        }

        @Test func `the cursor goes to the next row when one's own action moves its row away`() throws {
            let screen = try middle(
                #"{"trailingActions":[{"id":"later","title":"Later","key":"x","operations":[{"op":"moveItem","item":"$item","after":"i35"}]}]}"#
            )
            let line = try screen.cursorRow
            try screen.press("x")
            try screen.waitForCursor(on: "Task 21.", line: line)
            try screen.press("u")
            try screen.waitFor("Undone")
            try screen.waitForCursor(on: "Task 21.")
        }

        @Test func `what others collapse hands the cursor to the parent`() throws {
            try daemon.succeed(
                "apply", "tasks", "--create", "-",
                input:
                    #"{"sections":[{"id":"s","items":[{"id":"p","expanded":true,"content":{"text":"Parent"},"children":[{"id":"a","content":{"text":"Child A"}}]}]}]}"#
            )
            let screen = try daemon.view("tasks", rows: 12)
            try screen.waitFor("Child A")
            try screen.press("j")
            try screen.waitForCursor(on: "Child A")
            try daemon.succeed(
                "apply", "tasks", "-",
                input:
                    #"{"sections":[{"id":"s","items":[{"id":"p","expanded":false,"content":{"text":"Parent"},"children":[{"id":"a","content":{"text":"Child A"}}]}]}]}"#
            )
            try screen.waitForCursor(on: "Parent")
            try screen.waitForNo("Child A")
        }

        @Test func `other contents leave a row on its line, however high those above become`() throws {
            let screen = try middle()
            let line = try screen.cursorRow
            let text = String(repeating: "long ", count: 40)
            try daemon.succeed("patch", "tasks", "i18", "lines:=0", "text=\(text)", "-q")
            try screen.waitFor("long")
            try screen.waitForCursor(on: "Task 20.", line: line)
            try daemon.succeed("patch", "tasks", "i20", "text=Another look", "secondaryText=a second line", "-q")
            try screen.waitForCursor(on: "Another look", line: line)
        }

        @Test func `another kind, which is drawn otherwise, leaves a row on its line`() throws {
            let screen = try middle(
                #"{"kinds":{"tall":{"lines":0,"text":"\#(String(repeating: "tall ", count: 40))","icon":"★"}}}"#)
            let line = try screen.cursorRow
            for item in ["i19", "i20"] {
                try daemon.succeed(
                    "transact", "tasks", "-", "-q",
                    input: #"[{"op":"reloadItems","items":[{"id":"\#(item)","kind":"tall"}]}]"#)
            }
            try screen.waitFor("two tall rows") { $0.filter { $0.contains("★") }.count == 2 }
            try screen.waitForCursor(on: "★", line: line)
        }

        @Test func `while a row is dragged contents change in place and the rest is counted`() throws {
            let screen = try middle(#"{"canReorder":true}"#)
            let line = try screen.cursorRow
            try screen.send("\u{1B}[<0;11;\(line + 1)M\u{1B}[<32;11;\(line)M")
            try screen.waitFor("Drop the row")
            try daemon.succeed("insert", "tasks", "n", "text=New here", "--before", "i18", "-q")
            try daemon.succeed("patch", "tasks", "i18", "text=Changed", "-q")
            try screen.waitFor("Changed")
            try screen.waitFor("1 change")
            try screen.waitForNo("New here")
            try screen.send("\u{1B}[<0;11;\(line)m")
            try screen.waitFor("New here")
            try screen.waitFor("the row before the one that it was dropped on") { lines in
                let rows = ["Task 20.", "Task 19."].map { text in lines.firstIndex { $0.contains(text) } }
                return rows[0].flatMap { upper in rows[1].map { $0 == upper + 1 } } ?? false
            }
            try screen.waitForCursor(on: "Task 20.")
        }

        @Test(arguments: [".", "x", "<", "v"])
        func `while something lies open contents change in place and the rest is counted`(key: String) throws {
            let screen = try middle(
                #"""
                {"selection":"multiple","trailingActions":[{"id":"a","title":"First"},
                 {"id":"x","title":"Burn","key":"x","style":"destructive","patch":{}}]}
                """#)
            try screen.press(key)
            try screen.waitFor("status line") { !($0.last { !$0.isEmpty } ?? "").contains("? help") }
            try daemon.succeed("insert", "tasks", "n", "text=New here", "--before", "i18", "-q")
            try daemon.succeed("rm", "tasks", "i20", "-q")
            try daemon.succeed("patch", "tasks", "i18", "text=Changed", "-q")
            try screen.waitFor("Changed")
            try screen.waitFor("2 changes")
            try screen.waitForNo("New here")
            try screen.waitFor("Task 20.")
            try screen.press("Escape")
            try screen.waitForNo("Task 20.")
            try screen.waitFor("New here")
            try screen.waitForCursor(on: "Task 21.")
        }

        @Test func `p holds the rows, and lets them go`() throws {
            let screen = try middle()
            try screen.press("p")
            try screen.waitFor("paused")
            try daemon.succeed("rm", "tasks", "i20", "-q")
            try screen.waitFor("1 change  paused")
            try screen.waitForCursor(on: "Task 20.")
            try screen.press("p")
            try screen.waitForCursor(on: "Task 21.")
        }

        @Test func `marks stay with their items, and are dropped with them`() throws {
            let screen = try middle(
                #"{"selection":"multiple","actions":[],"trailingActions":[{"id":"f","title":"Flag","key":"f","multiple":true,"patch":{"badge":"flagged"}}]}"#
            )
            try screen.press("Space", "Space", "Space")
            try screen.waitFor("3 marked")
            try daemon.succeed("move", "tasks", "i21", "--before", "i0", "-q")
            try daemon.succeed("rm", "tasks", "i22", "-q")
            try screen.waitFor("2 marked")
            try screen.press("f")
            try screen.waitFor("flagged")
            _ = try eventually("two that are flagged") {
                let shown = try daemon.succeed("show", "tasks", "--where", "badge=flagged", "-o", "ids")
                return shown.split(separator: "\n").map(String.init) == ["i21", "i20"] ? true : nil
            }
        }
    }
}
