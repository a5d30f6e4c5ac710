import Foundation
import Testing

extension Integration {
    struct CommandFeedTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        /// Returns a feed that prints a file whenever it changes.
        private func follow(_ name: String = "rows", _ rest: String = "") -> String {
            "- list: a\n  command: [cat, \(file(name))]\n  on: \(file(name))\n  from: lines\n\(rest)"
        }

        private func write(_ text: String, to name: String = "rows") throws {
            _ = try daemon.directory.write(text, to: name)
        }

        /// Replaces the file atomically, so that a reader never gets an empty file.
        private func replace(_ name: String = "rows", with text: String) throws {
            try write(text, to: "new")
            try #require(rename(file("new"), file(name)) == 0)
        }

        @Test func `a list follows what a command says`() throws {
            try write("x\ny\n")
            let program = try daemon.startFeeds(follow("rows", "  allowEmpty: true\n"))
            try daemon.waitForIDs(["x", "y"], program)
            try write("y\nz\n")
            try daemon.waitForIDs(["y", "z"], program)
            try write("")
            try daemon.waitForIDs([], program)
            #expect(try daemon.succeed("ls", "--json").contains(#""mode":"0600""#))
            let status = try daemon.waitForStatus("a success") { $0.state == "fed" }
            #expect(status.message == nil && status.lastSuccess != nil)
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }

        @Test func `output that looks like something else is no list, and a byte order mark is no part of it`() throws {
            try write("x\n")
            let feed = "\u{FEFF}- list: a\n  command: [cat, \(file("rows"))]\n  on: \(file("rows"))\n"
            let program = try daemon.startFeeds(feed)
            try daemon.waitForIDs(["x"], program)
            try replace(with: "id,text\n")
            let failed = try daemon.waitForStatus("a refusal") { $0.state == "failing" }
            #expect(
                failed.message?.contains("use from: csv, or from: lines if each line is an item") == true, "\(failed)")
            #expect(try daemon.ids(of: "a") == ["x"])
            try replace(with: "\u{FEFF}[{\"id\":\"y\"}]\n")
            try daemon.waitForIDs(["y"], program)
            program.end(with: SIGTERM)
        }

        @Test func `who feeds what another one feeds is told so`() throws {
            try write("x\n")
            let first = try daemon.startFeeds(follow())
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" }
            let second = try daemon.startFeeds(follow())
            _ = try eventually("a warning, but: \(second.complaints)") {
                second.complaints.contains("another diffable-feed feeds one of the same lists") ? true : nil
            }
            #expect(!first.complaints.contains("another diffable-feed"), "\(first.complaints)")
            second.end(with: SIGTERM)
            first.end(with: SIGTERM)
        }

        @Test func `a feed and the list of feeds have two names`() throws {
            let refused = try daemon.feedProgram("feeds", "--every", "1h", "--", "printf", "a\\n")
            #expect(try refused.wait() == 64)
            #expect(refused.complaints.contains("use --feeds to show it in another list"), "\(refused.complaints)")
            let other = try daemon.feedProgram("feeds", "--feeds", "others", "--every", "1h", "--", "printf", "a\\n")
            try daemon.waitForIDs(["a"], of: "feeds", other)
            other.end(with: SIGTERM)
        }

        @Test func `orphans are what the prompt says`() throws {
            let program = try daemon.feedProgram(
                "a", "--every", "1h", "--from", "csv", "--parent", ".p", "--orphans", "top", "--", "printf",
                "id,p\\n1,\\n2,9\\n")
            try daemon.waitForIDs(["1", "2"], program)
            program.end(with: SIGTERM)
        }

        @Test func `only what is different is sent`() throws {
            try write((0..<1_000).map { "row\($0)\n" }.joined())
            let program = try daemon.startFeeds(follow())
            _ = try eventually("rows") { try daemon.ids(of: "a")?.count == 1_000 ? true : nil }
            try replace(with: (0..<1_000).map { $0 == 500 ? "other\n" : "row\($0)\n" }.joined())
            _ = try eventually("the other") { try daemon.ids(of: "a")?.contains("other") == true ? true : nil }
            let log = try daemon.succeed("log", "a", "--json")
            #expect(!log.contains("insertedItems\":1000,\"deleted"))
            program.end(with: SIGTERM)
        }

        @Test(arguments: [
            ("exit 3", "status 3"), ("kill -9 $$", "signal 9"), ("echo x; echo x", "has the id"),
            ("echo half; echo broken >&2; exit 1", "broken"), ("sleep 1000", "ran longer"), ("printf '\\377'", "UTF-8"),
        ])
        func `a feed that fails leaves its list as it is, and says why`(line: String, message: String) throws {
            try write("x\n")
            try write("cat \(file("rows"))", to: "script")
            let program = try daemon.startFeeds(
                """
                - list: a
                  command: [/bin/sh, \(file("script"))]
                  on: \(file("script"))
                  from: lines
                  timeout: 500ms
                """)
            try daemon.waitForIDs(["x"], program)
            try replace("script", with: line)
            let failed = try daemon.waitForStatus(message) {
                $0.state == "failing" && $0.message?.contains(message) == true && $0.lastSuccess != nil
            }
            #expect(failed.message?.contains(message) == true, "\(failed)")
            #expect(failed.lastSuccess != nil && failed.nextAttempt != nil)
            #expect(try daemon.ids(of: "a") == ["x"])
            program.end(with: SIGTERM)
        }

        @Test func `nothing at all empties no list, and the next rows count at once`() throws {
            try write("x\ny\n")
            let program = try daemon.startFeeds(
                "- list: a\n  command: cat \(file("rows")) | cat\n  shell: true\n  every: 100ms\n  from: lines\n")
            try daemon.waitForIDs(["x", "y"], program)
            try FileManager.default.removeItem(atPath: file("rows"))
            let failed = try daemon.waitForStatus("a pipe that failed") { $0.state == "failing" }
            #expect(failed.message?.contains("status 1") == true, "\(failed)")
            try write("")
            let message =
                "the source has no items now, which would delete all 2 items of \"a\"; the list stays as it is. "
                + "If the list may be empty, "
            _ = try daemon.waitForStatus("a refusal") { $0.message == message + "use allowEmpty: true" }
            #expect(try daemon.ids(of: "a") == ["x", "y"])
            let once = try daemon.feedProgram("--config", file("feeds.yaml"), "--once", "a")
            #expect(try once.wait() == 70)
            #expect(once.complaints.contains("allowEmpty: true"), "\(once.complaints)")
            try replace(with: "z\n")
            try daemon.waitForIDs(["z"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            // An empty list cannot lose items.
            try write("")
            _ = try daemon.waitForStatus("a refusal") { $0.state == "failing" }
            try daemon.succeed("delete", "a")
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" }
            try daemon.waitForIDs([], program)
            program.end(with: SIGTERM)
        }

        @Test func `a state that deletes more than the file allows is refused`() throws {
            try write((0..<10).map { "row\($0)\n" }.joined())
            let program = try daemon.startFeeds(follow("rows", "  maxDelete: 20%\n  allowEmpty: true\n"))
            _ = try eventually("rows") { try daemon.ids(of: "a")?.count == 10 ? true : nil }
            try replace(with: (3..<12).map { "row\($0)\n" }.joined())
            let refused = try daemon.waitForStatus("a refusal") { $0.state == "failing" }
            #expect(
                refused.message
                    == "the source's new items would delete 3 of the 10 items of \"a\", and maxDelete allows 20%; the list "
                    + "stays as it is. Raise the limit if this is right",
                "\(refused)")
            try replace(with: (2..<12).map { "row\($0)\n" }.joined())
            try daemon.waitForIDs((2..<12).map { "row\($0)" }, program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            program.end(with: SIGTERM)
        }

        @Test func `a line of a stream that cannot be read is left out, and said`() throws {
            let program = try daemon.startFeeds(
                """
                - list: a
                  command: "echo '{\\"id\\":\\"x\\"}'; echo '{\\"id\\":\\"Say \\"Hi\\"\\"}'; echo '{\\"id\\":\\"y\\"}'; exec sleep 1000"
                  shell: true
                  stream: ndjson
                """)
            try daemon.waitForIDs(["x", "y"], program)
            let status = try daemon.waitForStatus("a success") { $0.state == "fed" }
            #expect(status.message?.contains("line 2") == true, "\(status)")
            program.end(with: SIGTERM)
        }

        @Test func `a feed that is killed is not fed, and its list stays`() throws {
            try write("x\n")
            let program = try daemon.startFeeds(follow())
            try daemon.waitForIDs(["x"], program)
            try daemon.waitForIDs(["a"], of: "feeds", program)
            program.end(with: SIGKILL)
            try daemon.waitForIDs([], of: "feeds")
            #expect(try daemon.ids(of: "a") == ["x"])
        }

        @Test func `a daemon that restarts is fed again`() throws {
            try write("x\n")
            let program = try daemon.startFeeds(follow("rows", "  durability: volatile\n"))
            try daemon.waitForIDs(["x"], program)
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            try daemon.waitForIDs(["x"], program)
            try daemon.waitForIDs(["a"], of: "feeds", program)
            try write("y\n")
            try daemon.waitForIDs(["y"], program)
            program.end(with: SIGTERM)
        }

        @Test func `what somebody else changes goes with the next difference`() throws {
            try write("x\ny\n")
            let program = try daemon.startFeeds(follow())
            try daemon.waitForIDs(["x", "y"], program)
            try daemon.succeed("rm", "a", "x", "-q")
            try daemon.succeed("append", "a", "mine", "-q")
            try write("x\ny\nz\n")
            try daemon.waitForIDs(["x", "y", "z"], program)
            program.end(with: SIGTERM)
        }

        @Test func `a list that somebody else has filled stays as it is, unless the file says otherwise`() throws {
            try write("x\n")
            try daemon.succeed("create", "a")
            try daemon.succeed("append", "a", "mine", "-q")
            let program = try daemon.startFeeds(follow())
            let failed = try daemon.waitForStatus("a refusal") { $0.state == "failing" }
            #expect(failed.message?.contains("has 1 item that no feed added") == true, "\(failed)")
            #expect(failed.message?.contains("adopt: true") == true, "\(failed)")
            #expect(try daemon.ids(of: "a") == ["mine"])
            let once = try daemon.feedProgram("--config", file("feeds.yaml"), "--once", "a", "--dry-run")
            #expect(try once.wait() == 70)
            #expect(once.complaints.contains("adopt: true"), "\(once.complaints)")
            try daemon.writeFeeds(follow("rows", "  adopt: true\n"))
            program.signal(SIGHUP)
            try daemon.waitForIDs(["x"], program)
            program.end(with: SIGTERM)
            // The list now records that a feed has made it.
            try write("y\n")
            let again = try daemon.startFeeds(follow("rows", "  look: {title: T}\n"))
            try daemon.waitForIDs(["y"], again)
            let shown = try daemon.succeed("show", "a", "-o", "json")
            #expect(shown.contains(#""fedBy":"diffable-feed""#) && shown.contains(#""title":"T""#), "\(shown)")
            again.end(with: SIGTERM)
        }

        @Test func `a feed that has brought nothing yet asks for nothing`() throws {
            let program = try daemon.startFeeds(
                "- list: a\n  command: [sleep, \"1000\"]\n  stream: ndjson\n- list: b\n  command: [echo, x]\n  every: 100ms\n  from: lines\n"
            )
            _ = try daemon.waitForStatus("a success", of: "b") { $0.state == "fed" }
            try daemon.waitForIDs(["x"], of: "b", program)
            #expect(
                !daemon.program.complaints.contains("client=diffable-feed error=noSuchList"),
                "\(daemon.program.complaints)")
            program.end(with: SIGTERM)
        }

        @Test func `a list that is deleted or renamed is made again`() throws {
            try write("x\n")
            let program = try daemon.startFeeds(follow())
            try daemon.waitForIDs(["x"], program)
            try daemon.succeed("delete", "a")
            try daemon.waitForIDs(["x"], program)
            try daemon.succeed("rename", "a", "b")
            try daemon.waitForIDs(["x"], program)
            #expect(try daemon.ids(of: "b") == ["x"])
            try write("y\n")
            try daemon.waitForIDs(["y"], program)
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }

        @Test func `a reload changes all feeds or none, and leaves those that stay alone`() throws {
            try write("x\n")
            let program = try daemon.startFeeds(follow())
            try daemon.waitForIDs(["x"], program)
            try daemon.writeFeeds(follow() + "- list: b\n  command: [echo, one]\n  every: 1h\n  from: lines\n")
            program.signal(SIGHUP)
            try daemon.waitForIDs(["one"], of: "b", program)
            try daemon.waitForIDs(["a", "b"], of: "feeds", program)
            try daemon.writeFeeds("- list: b\n  command: [echo, one]\n  evry: 1h\n")
            program.signal(SIGHUP)
            try program.waitForComplaint("line 3: evry: unknown key; did you mean every?")
            // The file was truncated by accident.
            try daemon.writeFeeds("")
            program.signal(SIGHUP)
            try program.waitForComplaint("the file is empty: describe feeds")
            try write("y\n")
            try daemon.waitForIDs(["y"], program)
            try daemon.writeFeeds("- list: b\n  command: [echo, one]\n  every: 1h\n  from: lines\n")
            program.signal(SIGHUP)
            try daemon.waitForIDs(["b"], of: "feeds", program)
            #expect(try daemon.ids(of: "a") == ["y"])
            program.end(with: SIGTERM)
        }

        @Test func `runs never overlap, and what a run has started ends with it`() throws {
            let program = try daemon.startFeeds(
                """
                - list: a
                  command: "mkdir \(file("lock")) || echo overlap >> \(file("log")); sleep 1000 & sleep 0.02; rmdir \(file("lock")); echo run >> \(file("log")); echo $!"
                  shell: true
                  every: 100ms
                  from: lines
                """)
            _ = try eventually("runs") {
                let log = (try? String(contentsOfFile: file("log"), encoding: .utf8)) ?? ""
                return log.split(separator: "\n").count > 5 ? true : nil
            }
            let child = try eventually("its pid") { try daemon.ids(of: "a")?.first.flatMap { pid_t($0) } }
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
            _ = try eventually("end of what it started") { Program.isRunning(child) ? nil : true }
            #expect(try !String(contentsOfFile: file("log"), encoding: .utf8).contains("overlap"))
        }

        @Test func `a stream is followed, and its processes end with the program`() throws {
            let program = try daemon.startFeeds(
                """
                - list: a
                  command: "echo $$ > \(file("pid")); echo '{\\"id\\":\\"x\\",\\"n\\":1}'; echo '{\\"id\\":\\"y\\"}'; echo '{\\"id\\":\\"x\\",\\"n\\":2}'; exec sleep 1000"
                  shell: true
                  stream: ndjson
                - list: b
                  command: "echo '[{\\"id\\":\\"one\\"}]'; echo '[{\\"id\\":\\"two\\"}]'; exec sleep 1000"
                  shell: true
                  stream: states
                """)
            try daemon.waitForIDs(["x", "y"], program)
            try daemon.waitForIDs(["two"], of: "b", program)
            _ = try eventually("n") { try daemon.succeed("get", "a", "x").contains(#""n":2"#) ? true : nil }
            let child = try #require(
                pid_t(String(contentsOfFile: file("pid"), encoding: .utf8).trimmingCharacters(in: .newlines)))
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
            _ = try eventually("end of the stream") { Program.isRunning(child) ? nil : true }
        }

        @Test func `a file is checked, and one feed is run once`() throws {
            try daemon.writeFeeds("- list: a\n  command: [echo, x]\n  every: 1h\n  from: lines\n")
            let check = try daemon.feedProgram("--config", file("feeds.yaml"), "--check")
            #expect(try check.wait() == 0)
            let dry = try daemon.feedProgram("--config", file("feeds.yaml"), "--once", "a", "--dry-run")
            #expect(try dry.wait() == 0, "\(dry.complaints)")
            #expect(dry.output.contains(#""op":"#) && dry.output.contains(#""id":"x""#), "\(dry.output)")
            #expect(try daemon.ids(of: "a") == nil)
            let once = try daemon.feedProgram("--config", file("feeds.yaml"), "--once", "a")
            #expect(try once.wait() == 0, "\(once.complaints)")
            #expect(try daemon.ids(of: "a") == ["x"])
            try daemon.writeFeeds(
                """
                - {list: a, command: [echo], every: 1h, look: {titel: T, layout: tabel}, content: {tint: pink}}
                """)
            let look = try daemon.feedProgram("--config", file("feeds.yaml"), "--check")
            #expect(try look.wait() == 0)
            let words = ["the look of", "titel", #"layout cannot be "tabel""#, #"the content of "a": tint cannot be "#]
            for word in words {
                #expect(look.complaints.contains(word), "\(look.complaints)")
            }
            try daemon.writeFeeds("- list: a\n  command: [ech]\n  evry: 1h\n")
            let wrong = try daemon.feedProgram("--config", file("feeds.yaml"), "--check")
            #expect(try wrong.wait() == 78)
            #expect(wrong.complaints.contains("feeds.yaml: feed \"a\", line 3: evry: unknown key; did you mean every?"))
        }

        @Test func `the list of feeds is tried again when the daemon has refused it`() throws {
            try daemon.succeed("create", "feeds")
            _ = try daemon.directory.write(#"{"":{"required":["nobody says this"]}}"#, to: "schemas.json")
            try daemon.succeed("schema", "feeds", file("schemas.json"))
            let program = try daemon.startFeeds("- {list: a, command: [echo, x], every: 1h, from: lines}\n")
            try program.waitForComplaint("cannot show the status of the feeds")
            try daemon.succeed("schema", "feeds", "--clear")
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" }
            program.end(with: SIGTERM)
        }

        @Test func `without a daemon it waits, is reloaded, and ends`() throws {
            try write("x\n")
            daemon.program.end(with: SIGKILL)
            let program = try daemon.startFeeds(follow())
            try program.waitForComplaint("no daemon answers")
            try daemon.writeFeeds("- list: b\n  command: [echo, one]\n  every: 1h\n  from: lines\n")
            program.signal(SIGHUP)
            try program.waitForComplaint("1 feed; 1 started, 1 ended")
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }

        @Test func `a list and a command need no file`() throws {
            try write("x 1\n")
            let program = try daemon.feedProgram(
                "a", "--on", file("rows"), "--from", "columns", "--columns", "name,n", "--id", ".name", "--", "cat",
                file("rows"))
            try daemon.waitForIDs(["x"], program)
            try write("x 1\ny 2\n")
            try daemon.waitForIDs(["x", "y"], program)
            program.signal(SIGINT)
            #expect(try program.wait() == 0)
        }

        @Test func `the mode is what the file says`() throws {
            try daemon.succeed("create", "a")
            let program = try daemon.startFeeds(
                "- list: a\n  command: [echo, x]\n  every: 1h\n  from: lines\n  mode: \"0644\"\n  look: {title: T}\n  content: {icon: I}\n"
            )
            try daemon.waitForIDs(["x"], program)
            #expect(try daemon.succeed("ls", "--json").contains(#""mode":"0644""#))
            #expect(try daemon.succeed("show", "a", "-o", "json").contains(#""title":"T""#))
            #expect(try daemon.succeed("get", "a", "x").contains(#""icon":"I""#))
            _ = try daemon.waitForStatus("a next attempt") { $0.nextAttempt ?? 0 > ($0.lastSuccess ?? .max) }
            program.end(with: SIGTERM)
        }
    }
}
