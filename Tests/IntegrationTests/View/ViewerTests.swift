import Foundation
import Testing

extension Integration {
    /// `diffablectl view` in a real terminal, with a real daemon.
    struct ViewerTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        @Test func `a list is drawn, followed, and left with q`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try screen.waitForCursor(on: "Task 0.")
            try daemon.succeed("insert", "tasks", "x", "text=New here", "--before", "i1", "-q")
            try screen.waitFor("New here")
            try screen.press("q")
            try screen.waitFor("status 0")
            try screen.waitForNo("Task 0.")
        }

        @Test func `without a list all lists are shown, Enter opens one, and 0 returns`() throws {
            try daemon.fill("tasks", #"{"title":"To do"}"#)
            try daemon.succeed("create", "notes", "--volatile")
            let screen = try daemon.view("")
            try screen.waitFor("both lists") { lines in
                lines.contains { $0.contains("notes") && $0.contains("volatile") }
                    && lines.contains { $0.contains("To do") && $0.contains("40") && $0.contains("tasks") }
            }
            try screen.press("j", "Enter")
            try screen.waitFor("Task 0.")
            try screen.press("0")
            try screen.waitFor("volatile")
            try daemon.succeed("create", "later")
            try daemon.succeed("rm", "tasks", "i0")
            try screen.waitFor("later")
            try screen.waitFor("fewer items") { $0.contains { $0.contains("To do") && $0.contains("39") } }
            daemon.program.end(with: SIGKILL)
            try screen.waitFor("The connection to the daemon is lost")
            try daemon.restart()
            try daemon.succeed("create", "last")
            try screen.waitFor("last")
            try screen.press("q")
            try screen.waitFor("status 0")
            let named = try daemon.view("tasks")
            try named.waitFor("Task 1.")
            try named.press("0")
            try named.waitFor("later")
            try named.press("d", saying: "Enter opens a list")
            try named.press("/", "t", "o", "Space", "d", "o", "Enter")
            try named.waitForNo("later")
            // The search has just moved the row, so the first press can be one too early.
            try named.press("Enter", saying: "Task 1.")
        }

        @Test func `rows that others insert above move nothing on the screen`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks", rows: 12)
            try screen.waitFor("Task 0.")
            for _ in 0..<20 { try screen.press("j") }
            try screen.waitForCursor(on: "Task 20.")
            /// Returns the rows without the scroll indicator, which depends on the position.
            func rows() throws -> [String] {
                try screen.lines.dropLast(2).map { line in
                    line.replacing("▐", with: "").trimmingCharacters(in: .whitespaces)
                }
            }
            let before = try rows()
            try daemon.succeed("insert", "tasks", "n", "text=New", "--before", "i2", "-q")
            try screen.waitFor("22/41")
            #expect(try rows() == before)
        }

        @Test func `a daemon that goes is told of in a banner, and followed again when it is back`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try screen.press("j")
            daemon.program.end(with: SIGKILL)
            try screen.waitFor("The connection to the daemon is lost")
            try daemon.restart()
            try screen.waitForNo("The connection to the daemon is lost")
            try daemon.succeed("append", "tasks", "x", "text=After", "-q")
            // The last row is a different one until it has arrived.
            try screen.waitFor("/41  ")
            try screen.press("G")
            try screen.waitFor("After")
        }

        @Test func `another size is drawn at once, and the cursor stays on its row`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks", rows: 24)
            try screen.waitFor("Task 0.")
            for _ in 0..<15 { try screen.press("j") }
            try screen.waitForCursor(on: "Task 15.")
            try screen.resize(columns: 40, rows: 8)
            try screen.waitForCursor(on: "Task 15.")
            try screen.waitFor("8 lines") { $0.filter { !$0.isEmpty }.count == 8 }
            try screen.resize(columns: 120, rows: 30)
            try screen.waitForCursor(on: "Task 15.")
        }

        private static let actions = #"""
            {"kinds":{"":{"actions":[{"id":"done","title":"Done","style":"primary","patch":{"checked":true}},
              {"id":"flag","title":"Flag","key":"f","patch":{"badge":"flagged"}}]}},
             "canReorder":true,
             "trailingActions":[{"id":"delete","title":"Delete","style":"destructive","operations":[{"op":"deleteItems","items":["$item"]}]}]}
            """#

        @Test func `Enter, keys, menus and laid-open actions change the list, and u undoes`() throws {
            try daemon.fill("tasks", Self.actions)
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try screen.press("Enter")
            try screen.waitFor("☑ Task 0.")
            try screen.press("j", "f")
            try screen.waitFor("flagged")
            try screen.press("u")
            try screen.waitForNo("flagged")
            try screen.press("U")
            try screen.waitFor("flagged")
            try screen.press("u")
            try screen.waitForNo("flagged")
            try screen.press("u")
            try screen.waitForNo("☑ Task 0.")
            try screen.press("U")
            try screen.waitFor("☑ Task 0.")
            try screen.press("j", ".")
            try screen.waitFor("Delete")
            try screen.press("Down", "Enter")
            try screen.waitFor("flagged")
            try screen.press("j", "<")
            try screen.waitFor("Delete")
            try screen.press("Enter")
            try screen.waitFor("Delete “Task 3.”?")
            try screen.press("Enter")
            try screen.waitForNo("Delete “Task 3.”?")
            try screen.press("<", "Enter", "y")
            try screen.waitForNo("Task 3.")
            #expect(!(try daemon.succeed("show", "tasks")).contains("Task 3."))
        }

        @Test func `a row goes up and down by M-Up and M-Down, and the cursor with it`() throws {
            try daemon.fill("tasks", Self.actions)
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try screen.press("M-Down", "M-Down")
            try screen.waitFor("Task 0. in the third row") { lines in
                lines.firstIndex { $0.contains("Task 0.") }
                    == lines.firstIndex { $0.contains("Task 2.") }.map { $0 + 1 }
            }
            try screen.waitForCursor(on: "Task 0.")
            try screen.press("M-Up")
            try screen.waitFor("Task 0. in the second row") { lines in
                lines.firstIndex { $0.contains("Task 0.") }
                    == lines.firstIndex { $0.contains("Task 1.") }.map { $0 + 1 }
            }
        }

        @Test func `the mouse chooses, scrolls and opens menus`() throws {
            try daemon.fill("tasks", Self.actions)
            let screen = try daemon.view("tasks", rows: 12)
            try screen.waitFor("Task 0.")
            let row = try #require(try screen.row(of: "Task 4."))
            try screen.click(column: 10, row: row)
            try screen.waitForCursor(on: "Task 4.")
            try screen.send("\u{1B}[<65;10;5M")
            try screen.waitForNo("Task 2.")
            try screen.click(column: 10, row: try #require(try screen.row(of: "Task 6.")), button: 2)
            try screen.waitFor("Flag")
            try screen.click(column: 12, row: try #require(try screen.row(of: "Flag")))
            try screen.waitFor("flagged")
        }

        @Test func `a search shows what matches while it is typed`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try screen.press("/", "3", "9")
            try screen.waitForNo("Task 0.")
            try screen.waitFor("Task 39.")
            try screen.press("Escape")
            try screen.waitFor("Task 0.")
        }

        @Test func `a picker prints what is picked, or runs a command with it`() throws {
            try daemon.fill()
            let one = try daemon.view("--select tasks")
            try one.waitFor("Task 0.")
            try one.press("Down", "Enter")
            try one.waitFor("i1 and status") { $0.contains("i1") && $0.contains("status 0") }
            let several = try daemon.view("--multi tasks --exec \"echo picked\"")
            try several.waitFor("Task 0.")
            try several.press("Tab", "Tab", "Enter")
            try several.waitFor("picked i0 i1")
            let behind = try daemon.view("tasks -- printf \"<%s> \" one \"two words\" --")
            try behind.waitFor("Task 0.")
            try behind.press("C-n", "Enter")
            try behind.waitFor("<one> <two words> <--> <i1>")
            let refused = try daemon.companion("view", "tasks", "--exec", "a", "--", "b")
            #expect(refused.complaints.contains("there are two commands"), "\(refused)")
            let none = try daemon.view("--select tasks")
            try none.waitFor("Task 0.")
            try none.press("Escape")
            try none.waitFor("status 130")
        }

        @Test func `a picker writes a template, NULs and the key that picked`() throws {
            try daemon.fill()
            let screen = try daemon.view(
                "tasks --multi --format \"{list}/{section}/{id}\\\\t{.text}\" -0 --expect ctrl-y,alt-e --query \"task 39\" | tr \"\\\\0\" +"
            )
            try screen.waitFor("Task 39.")
            try screen.waitForNo("Task 0.")
            try screen.press("Tab", "C-u", "3", "8", "Tab", "M-e")
            try screen.waitFor("alt-e+tasks/main/i39\tTask 39.+tasks/main/i38\tTask 38.+".replacing("\t", with: " ")) {
                lines in
                lines.contains {
                    $0.hasPrefix("alt-e+tasks/main/i39") && $0.contains("Task 39.+tasks/main/i38")
                        && $0.contains("Task 38.+")
                }
            }
        }

        @Test func `--filter writes the matches in their order, without a screen`() throws {
            try daemon.fill()
            #expect(try daemon.succeed("view", "tasks", "--filter", "tsk3").hasPrefix("i3\ni30\n"))
            #expect(
                try daemon.succeed("view", "tasks", "--filter", "39", "--format", "{id}\\t{.text}") == "i39\tTask 39.\n"
            )
            #expect(try daemon.companion("view", "tasks", "--filter", "nothing").status == 1)
            let rows = try daemon.companion(
                "view", "-", "--filter", "bt", "--socket", "/nowhere", input: "bolt\nbread\nb-t\nabt\n")
            #expect(rows.status == 0 && rows.output == "abt\nb-t\nbolt\n", "\(rows)")
        }

        @Test func `rows of standard input are shown and picked without a daemon, and no list is made`() throws {
            let screen = try daemon.view(
                "- --socket /nowhere --from columns --id .PID --format \"{.CMD}\" --select",
                by: "printf \"PID CMD\\\\n1 init\\\\n22 sleep\\\\n\" | diffablectl"
            )
            try screen.waitFor("init")
            try screen.press("s", "l", "p")
            try screen.waitForNo("init")
            try screen.press("Enter")
            try screen.waitFor("sleep and status") { $0.contains("sleep") && $0.contains("status 0") }
            #expect(try daemon.succeed("ls") == "")
            let lines = try daemon.companion(
                "view", "-", "--plain", "--sort", "-.n", "--socket", "/nowhere",
                input: "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}\n")
            #expect(
                lines.status == 0
                    && lines.output.split(separator: "\n").map { $0.split(separator: " ").last } == ["b", "a"],
                "\(lines)")
        }

        @Test func `a row is added behind the cursor's, which goes to it, and signs for editing are shown`() throws {
            try daemon.fill(
                "tasks",
                #"{"canInsert":true,"kinds":{"":{"accessories":[{"type":"delete","displayed":"editing"}]}}}"#)
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try screen.press("j", "+")
            try screen.waitFor("Enter adds the row")
            try screen.send("Pay rent")
            try screen.press("Enter")
            try screen.waitForCursor(on: "Pay rent")
            try screen.waitFor("one below the other") { lines in
                let rows = ["Task 1.", "Pay rent", "Task 2."].compactMap { text in
                    lines.firstIndex { $0.contains(text) }
                }
                return rows.count == 3 && rows[1] == rows[0] + 1 && rows[2] == rows[1] + 1
            }
            try screen.press("E")
            try screen.waitFor("⊖ Pay rent")
            try screen.press("E", "u")
            try screen.waitForNo("Pay rent")
        }

        @Test func `a row that is dragged across shows its actions, and over a tab it is copied there`() throws {
            try daemon.fill("tasks", Self.actions)
            try daemon.succeed(
                "apply", "other", "--create", "-",
                input:
                    #"{"sections":[{"id":"s","items":[{"id":"x","content":{"text":"Only there"}}]}]}"#
            )
            let screen = try daemon.view("tasks other", rows: 12)
            try screen.waitFor("Task 0.")
            func drag(from: (column: Int, row: Int), to places: (column: Int, row: Int)...) throws {
                try screen.send("\u{1B}[<0;\(from.column + 1);\(from.row + 1)M")
                for place in places { try screen.send("\u{1B}[<32;\(place.column + 1);\(place.row + 1)M") }
                try screen.send("\u{1B}[<0;\(places.last!.column + 1);\(places.last!.row + 1)m")
            }
            let row = try #require(try screen.row(of: "Task 3."))
            try drag(from: (40, row), to: (30, row))
            try screen.waitFor("Delete") { $0[row].contains("Delete") }
            try screen.press("Escape")
            try screen.waitForNo("Delete")
            let tab = try screen.lines[0].prefix(upTo: try #require(screen.lines[0].range(of: "other")).lowerBound)
                .count
            // The other list has arrived before the drop.
            try screen.press("2")
            try screen.waitFor("Only there")
            try screen.press("1")
            try screen.waitFor("Task 3.") { $0[row].contains("Task 3.") }
            try drag(from: (10, row), to: (tab + 1, 0), (10, 1))
            try screen.waitFor("Only there")
            try screen.waitFor("Task 3.")
            #expect((try daemon.succeed("show", "other", "-o", "ids")).contains("i3"))
            #expect((try daemon.succeed("show", "tasks", "-o", "ids")).contains("i3"))
        }

        @Test
        func `while the daemon is away rows stay, nothing is done or kept for later, and it goes on when it is back`()
            throws
        {
            try daemon.fill("tasks", Self.actions)
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try screen.press("j", "j")
            try screen.waitForCursor(on: "Task 2.")
            let rows = try screen.lines.filter { $0.contains("Task") }.count
            daemon.program.end(with: SIGKILL)
            try screen.waitFor("The connection to the daemon is lost")
            try screen.press("f", saying: "There is no connection to the daemon: nothing was done")
            // The banner takes a line.
            #expect(try screen.lines.filter { $0.contains("Task") }.count >= rows - 1)
            try daemon.restart()
            try screen.waitForNo("The connection to the daemon is lost")
            try screen.waitForCursor(on: "Task 2.")
            try daemon.succeed("append", "tasks", "x", "text=Newer", "-q")
            try screen.waitFor("/41  ")
            #expect(!(try daemon.succeed("get", "tasks", "i2")).contains("flagged"))
            try screen.press("f")
            try screen.waitFor("flagged")
        }

        @Test func `a terminal that cannot place a cursor gets lines`() throws {
            try daemon.fill("tasks", #"{"appearance":"insetGrouped"}"#)
            let screen = try daemon.view("tasks", rows: 50, environment: ["TERM": "dumb"])
            try screen.waitFor("Task 39.")
            try daemon.succeed("append", "tasks", "x", "text=Newer", "-q")
            try screen.waitFor("Newer")
            #expect(try !screen.screen.contains("╭"))
        }

        @Test func `sixteen colours do for the console, and what others change is marked by a sign too`() throws {
            try daemon.fill()
            let screen = try daemon.view("--reduce-motion tasks", environment: ["TERM": "linux"])
            try screen.waitFor("Task 0.")
            let coloured = try screen.colouredScreen
            #expect(!coloured.contains("38;5;") && !coloured.contains("38;2;") && !coloured.contains("48;2;"))
            // It is visible for a second, so it is changed until it was seen.
            var number = 0
            try screen.waitFor("sign of a change") { lines in
                if lines.contains(where: {
                    $0.contains("•Task 2.") || $0.contains("• Task 2.") || $0.contains("~Task 2.")
                }) {
                    return true
                }
                number += 1
                if number % 20 == 1 { try daemon.succeed("patch", "tasks", "i2", "badge:=\(number)", "-q") }
                return false
            }
        }

        /// Texts of many scripts, including disputed widths.
        private static let difficultTexts = [
            "Größe, Übermut", "Tiếng Việt", "e\u{301}e\u{302}\u{323} n\u{303}", "Ελληνικά", "Русский язык", "漢字與繁體",
            "かな・カナ・ｶﾅ", "한국어 각", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}", "हिन्दी क्षत्रिय", "தமிழ் மொழி",
            "ภาษาไทย ที่นี่", "العَرَبِيَّة", "שָׁלוֹם", "አማርኛ", "👨‍👩‍👧‍👦 and 👩🏽‍🚀", "🇩🇪🇯🇵 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣ #️⃣", "❤ ❤️ ♥", "→ ★ ① ½ ☎",
            "∀x∈ℝ: ⌈x⌉ ≥ x", "Z̴̡̛͇̪͗a̷̧͉̾l̶̫̏g̸̨̈́o̶̱͝", "a\u{200B}b\u{FEFF}c\u{AD}d\u{2060}e",
        ]

        @Test func `whatever text stands before it, what is at the end of a row stands in its column`() throws {
            let items = Self.difficultTexts.enumerated().map {
                #"{"id":"i\#($0)","content":{"text":"\#($1)","accessories":[{"type":"label","text":"END"}]}}"#
            }
            try daemon.succeed(
                "apply", "tasks", "--create", "-",
                input: #"{"sections":[{"id":"main","items":[\#(items.joined(separator: ","))]}]}"#)
            let screen = try daemon.view("tasks", rows: items.count + 1)
            try screen.waitFor("a label in each row") { $0.filter { $0.contains("END") }.count == items.count }
            // The positions that tmux itself reports, by its own tables of widths.
            let places = try screen.places(of: "END", count: items.count)
            #expect(Set(places.map(\.row)).count == items.count, "\(places)")
            #expect(Set(places.map(\.column)) == [75], "\(places)")
        }

        @Test func `several lists are tabs`() throws {
            try daemon.fill("tasks", #"{"title":"First"}"#)
            try daemon.fill("other", #"{"title":"Second"}"#)
            let screen = try daemon.view("tasks other")
            try screen.waitFor("two tabs") { $0[0].contains("First") && $0[0].contains("Second") }
            try daemon.succeed("append", "other", "x", "text=Only there", "-q")
            try screen.press("]")
            try screen.waitFor("/41  ")
            try screen.press("G")
            try screen.waitFor("Only there")
            try screen.press("1")
            try screen.waitForNo("Only there")
        }

        @Test func `without colours nothing is coloured, and without UTF-8 all is ASCII`() throws {
            try daemon.fill("tasks", #"{"appearance":"insetGrouped","header":"Things"}"#)
            let plain = try daemon.view("tasks", environment: ["NO_COLOR": "1"])
            try plain.waitFor("Task 0.")
            let coloured = try plain.colouredScreen
            // tmux writes the colours of each cell; 39 and 49 are the terminal's own.
            #expect(try !coloured.contains(Regex("\u{1B}\\[[0-9;]*([34][0-8]|9[0-7])[;m]")))
            let ascii = try daemon.view("tasks", environment: ["LC_ALL": "C"])
            try ascii.waitFor("Task 0.")
            #expect(try ascii.screen.utf8.allSatisfy { $0 < 0x80 })
            #expect(try ascii.screen.contains("+--"))
        }

        @Test func `lines are written without a screen of their own, also where no terminal is`() throws {
            try daemon.fill("tasks", #"{"appearance":"insetGrouped","header":"Things"}"#)
            let program = try daemon.startCompanion(["view", "--plain", "tasks"])
            _ = try eventually("list; it said: \(program.complaints)") {
                program.output.contains("Task 39.") ? true : nil
            }
            #expect(!program.output.contains("╭"))
            #expect(!program.output.contains("\u{1B}"))
            try daemon.succeed("append", "tasks", "x", "text=Newer", "-q")
            _ = try eventually("change") { program.output.contains("Newer") ? true : nil }
            program.end(with: SIGTERM)
            let refused = try daemon.companion("view", "tasks")
            #expect(refused.status == 2)
            #expect(refused.complaints.contains("use --plain to print lines"))
        }

        @Test func `hostile content is drawn harmless`() throws {
            try daemon.succeed(
                "apply", "tasks", "--create", "-",
                input:
                    #"{"content":{"title":"\u001b[2J\u001b]0;gone\u0007Title"},"sections":[{"id":"s","items":[{"id":"a","content":{"text":"\u001b[31mred\u202e txt.exe","checked":"no","progress":"x","accessories":7}}]}]}"#
            )
            let screen = try daemon.view("tasks")
            try screen.waitFor("red txt.exe")
            try screen.waitFor("Title")
        }

        @Test func `text is copied to the terminal's clipboard, and an item is edited in an editor`() throws {
            try daemon.fill()
            let editor = try daemon.directory.write("#!/bin/sh\nsed -i 's/Task 1./Edited/' \"$1\"\n", to: "editor")
            chmod(editor, 0o755)
            let screen = try daemon.view("tasks", environment: ["EDITOR": editor])
            try screen.waitFor("Task 0.")
            try screen.press("j")
            try screen.press("y", saying: "Copied")
            _ = try eventually("text in the clipboard") { (try? screen.clipboard) == "Task 1." ? true : nil }
            try screen.press("e")
            try screen.waitFor("Edited")
            try screen.waitForCursor(on: "Edited")
        }

        @Test func `what is typed behind e goes to the editor, whatever standard input is`() throws {
            try daemon.fill()
            let editor = try daemon.directory.write(
                "#!/bin/sh\nread word\nsed -i \"s/Task 1./Edited $word/\" \"$1\"\n", to: "editor")
            chmod(editor, 0o755)
            let look = try daemon.directory.write(#"{"header":"As I see it"}"#, to: "look.json")
            let screen = try daemon.view("--look - tasks < \(look)", environment: ["EDITOR": editor])
            try screen.waitFor("As I see it")
            // None of these keys has an effect in the viewer afterwards: G would go to the end.
            try screen.send("jedearG\n")
            try screen.waitFor("Edited dearG")
            try screen.waitForCursor(on: "Edited dearG")
        }

        @Test func `a look is JSON itself, too`() throws {
            try daemon.fill()
            let screen = try daemon.view(#"tasks --look '{"header":"As I see it","heder":1}'"#)
            try screen.waitFor("As I see it")
            let refused = try daemon.companion("view", "tasks", "--plain", "--look", "{header}")
            #expect(refused.status == 2 && refused.complaints.contains("--look is not a JSON object"), "\(refused)")
        }

        @Test func `a picker picks what a search finds with one Enter, and changes nothing`() throws {
            try daemon.fill("tasks", Self.actions)
            let screen = try daemon.view("--select tasks")
            try screen.waitFor("Task 0.")
            try screen.press("C-o")
            try screen.press("f", saying: "Enter picks a row: this view only picks")
            try screen.send("/39\r")
            try screen.waitFor("i39 and status") { $0.contains("i39") && $0.contains("status 0") }
            #expect(!(try daemon.succeed("get", "tasks", "i0")).contains("flagged"))
        }

        @Test func `a list of many rows is opened, paged through and left at its end`() throws {
            let rows = (0..<30_000).map { #"{"id":"r\#($0)","text":"Row \#($0)."}"# }.joined(separator: "\n")
            try daemon.succeed("apply", "rows", "--create", "--from", "ndjson", "-", input: rows + "\n")
            let screen = try daemon.view("rows")
            try screen.waitFor("Row 0.")
            try screen.press("G")
            try screen.waitFor("Row 29999.")
            try screen.waitForCursor(on: "Row 29999.")
            try screen.press("NPage", "PPage", "PPage", "PPage")
            try screen.waitFor("rows of the end") { lines in
                lines.contains { $0.contains("Row 299") } && !lines.contains { $0.contains("Row 29999.") }
            }
            try screen.press("g")
            try screen.waitForCursor(on: "Row 0.")
        }

        @Test func `a deleted list, and one that is not there, are told of`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try daemon.succeed("delete", "tasks")
            try screen.waitFor("The list tasks was deleted")
            // The old rows stay visible, and cannot be changed.
            try screen.waitFor("Task 0.")
            try screen.press("e", saying: "The list was deleted or renamed: nothing was done")
            let none = try daemon.view("nothing")
            try none.waitFor("status 6")
        }

        @Test func `a deleted list is shown again when there is one of its name`() throws {
            try daemon.fill("tasks", #"{"actions":[{"id":"a","title":"First list"}]}"#)
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            try screen.press("j", "j")
            try screen.waitForCursor(on: "Task 2.")
            // Three times, because the first end belongs to a different subscription from the later ones.
            for round in 1...3 {
                try daemon.succeed("delete", "tasks")
                try screen.waitFor("The list tasks was deleted")
                try daemon.fill("tasks", #"{"header":"Round \#(round)"}"#)
                try screen.waitForNo("The list tasks was deleted")
                try screen.waitFor("Round \(round)")
                // When the item returns, the cursor is on it again.
                try screen.waitForCursor(on: "Task 2.")
            }
            try daemon.succeed("append", "tasks", "x", "text=After all", "-q")
            try screen.waitFor("/41  ")
            try screen.press("G")
            try screen.waitForCursor(on: "After all")
            try daemon.succeed("delete", "tasks")
            try screen.waitFor("The list tasks was deleted")
            try daemon.succeed("undelete", "tasks")
            try screen.waitForNo("The list tasks was deleted")
            try screen.waitForCursor(on: "After all")
        }

        @Test func `a list that is deleted while the daemon is away is waited for, too`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            daemon.program.end(with: SIGKILL)
            try screen.waitFor("The connection to the daemon is lost")
            // Before the viewer tries again, the list is deleted.
            let state = daemon.directory.file("state")
            try FileManager.default.removeItem(atPath: state)
            try daemon.restart()
            try screen.waitFor("The list tasks was deleted")
            try daemon.fill()
            try screen.waitForNo("The list tasks was deleted")
            try screen.waitForCursor(on: "Task 0.")
        }
    }
}
