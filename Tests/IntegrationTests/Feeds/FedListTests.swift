import Foundation
import Testing

extension Integration {
    /// The owner of a fed list: the feed itself, an earlier feed, or another program.
    struct FedListTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon(configured: "listsMax: 2\n") }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        private func createMine(_ list: String = "a") throws {
            try daemon.succeed("create", list)
            try daemon.succeed("append", list, "mine", "-q")
        }

        @Test func `a feed that only adds does not say that it has made the list`() throws {
            try createMine()
            let program = try daemon.startFeeds(
                """
                - list: a
                  command: "echo '{\\"id\\":\\"x\\"}'; while [ ! -e \(file("go")) ]; do sleep 0.05; done; echo '{\\"id\\":\\"y\\"}'; exec sleep 1000"
                  shell: true
                  stream: ndjson
                """)
            try daemon.waitForIDs(["mine", "x"], program)
            _ = try daemon.directory.write("", to: "go")
            try daemon.waitForIDs(["mine", "x", "y"], program)
            #expect(try !daemon.succeed("show", "a", "-o", "json").contains("fedBy"))
            // The feed keeps items that appeared while it was stopped.
            program.signal(SIGSTOP)
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            try daemon.succeed("append", "a", "more", "-q")
            program.signal(SIGCONT)
            try daemon.waitForIDs(["a"], of: "feeds", program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" }
            #expect(try daemon.ids(of: "a") == ["mine", "x", "y", "more"])
            #expect(try !daemon.succeed("show", "a", "-o", "json").contains("fedBy"))
            program.end(with: SIGTERM)
        }

        @Test func `a list that somebody else has filled keeps its mode, too`() throws {
            try createMine()
            let before = try daemon.succeed("ls", "--json")
            let program = try daemon.startFeeds(
                "- {list: a, command: [echo, x], every: 1h, from: lines, mode: \"0644\"}\n")
            _ = try daemon.waitForStatus("a refusal") {
                $0.message?.contains("has 1 item that no feed added") == true
            }
            #expect(try before.contains(#""mode":"0600""#) && !daemon.succeed("ls", "--json").contains("0644"))
            let once = try daemon.feedProgram("--config", file("feeds.yaml"), "--once", "a")
            #expect(try once.wait() == 70)
            #expect(try !daemon.succeed("ls", "--json").contains("0644"))
            program.end(with: SIGTERM)
        }

        @Test func `a list of somebody else in the place of one that was lost is not overwritten`() throws {
            let program = try daemon.startFeeds(
                "- {list: a, command: [echo, x], every: 1h, from: lines, durability: volatile}\n")
            try daemon.waitForIDs(["x"], program)
            program.signal(SIGSTOP)
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            try createMine()
            program.signal(SIGCONT)
            _ = try daemon.waitForStatus("a refusal") {
                $0.message?.contains("has 1 item that no feed added") == true
            }
            #expect(try daemon.ids(of: "a") == ["mine"])
            program.end(with: SIGTERM)
        }

        @Test func `a list whose configured owner is another user is not used`() throws {
            let daemon = try Daemon(configured: "access: [{prefix: theirs, owner: 61002}]\n")
            let program = try daemon.startFeeds("- {list: theirs, command: [echo, x], every: 1h, from: lines}\n")
            _ = try daemon.waitForStatus("a refusal", of: "theirs") {
                $0.message?.contains("belongs to the user 61002") == true
            }
            #expect(try daemon.ids(of: "theirs") == [])
            program.end(with: SIGTERM)
        }

        @Test func `a list that cannot be made again is tried less and less often, until it can`() throws {
            let program = try daemon.startFeeds("- {list: a, command: [echo, x], every: 1h, from: lines}\n")
            try daemon.waitForIDs(["x"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" }
            // With the list of feeds, the limit on lists is reached.
            program.signal(SIGSTOP)
            try daemon.succeed("delete", "a")
            try daemon.succeed("create", "b")
            program.signal(SIGCONT)
            _ = try daemon.waitForStatus("a third attempt") { status in
                guard status.message?.contains("listsMax") == true, let next = status.nextAttempt else { return false }
                return Double(next) / 1_000 - Date.now.timeIntervalSince1970 > 4.1
            }
            try daemon.succeed("delete", "b")
            try daemon.waitForIDs(["x"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            program.end(with: SIGTERM)
        }
    }

    /// Another user creates a list before a feed of root does.
    @Suite(.withSeveralUsers)
    struct ForeignListTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon.forEverybody() }

        private func createTheirs(_ lists: String...) throws {
            for list in lists { #expect(try daemon.companion(as: .bob, "create", list).status == 0) }
        }

        private func owners() throws -> String { try daemon.succeed("ls", "--json") }

        /// The lists that have a handler, apart from root's list `feeds`.
        private func handled() throws -> [String] {
            struct Lists: Decodable {
                var lists: [List]

                struct List: Decodable {
                    var list: String
                    var owner: Int
                    var handles: [String]?
                }
            }
            return try JSONDecoder().decode(Lists.self, from: Data(owners().utf8)).lists
                .filter { $0.handles != nil && ($0.list != "feeds" || $0.owner != 0) }.map(\.list)
        }

        private func expectComplaint(about list: String, of program: Program) throws {
            let complaint = "the list \"\(list)\" belongs to the user 61002, so diffable-feed does not use it"
            _ = try eventually("complaint about \(list); it said: \(program.complaints)") {
                program.complaints.replacing("\\\"", with: "\"").contains(complaint) ? () : nil
            }
        }

        @Test func `a list of another user is not used until root takes it over or the feed adopts it`() throws {
            try createTheirs("a", "feeds")
            let text = "- {list: a, command: [echo, secret], every: 100ms, from: lines, mode: \"0644\""
            let program = try daemon.startFeeds("\(text)}\n")
            try expectComplaint(about: "a", of: program)
            try expectComplaint(about: "feeds", of: program)
            for arguments in [["--once", "a"], ["--once", "a", "--dry-run"]] {
                let once = try Program(
                    Binaries.feed,
                    ["--socket", daemon.socket, "--config", daemon.directory.file("feeds.yaml")] + arguments,
                    in: daemon.directory)
                #expect(try once.wait() == 70)
                #expect(
                    once.complaints.contains("belongs to the user 61002") && once.complaints.contains("adopt: true"))
            }
            for list in ["a", "feeds"] { #expect(try daemon.ids(of: list) == []) }
            #expect(try !owners().contains("0644"))
            // The commands in the message work.
            try daemon.succeed("chown", "0:0", "feeds")
            try daemon.succeed("chmod", "0600", "feeds")
            let failed = try daemon.waitForStatus("a refusal") { $0.state == "failing" }
            #expect(failed.message?.contains("`diffablectl chown 0:0 \"a\"`") == true, "\(failed)")
            try daemon.succeed("delete", "a")
            try daemon.waitForIDs(["secret"], program)
            let now = try owners()
            #expect(now.contains(#""list":"a""#) && !now.contains("61002"))
            program.end(with: SIGTERM)
            try daemon.succeed("delete", "a")
            try createTheirs("a")
            let adopting = try daemon.startFeeds("\(text), adopt: true}\n")
            try daemon.waitForIDs(["secret"], adopting)
            #expect(try owners().contains("61002"))
            adopting.end(with: SIGTERM)
        }

        @Test func `no handler is registered for a list of another user`() throws {
            try createTheirs("a")
            mkdir(daemon.directory.file("d"), 0o700)
            mkdir(daemon.directory.file("d/secret"), 0o700)
            let program = try daemon.startFeeds("- {list: a, directory: \(daemon.directory.file("d"))}\n")
            try expectComplaint(about: "a", of: program)
            #expect(try handled().isEmpty && daemon.ids(of: "a") == [])
            let asked = try daemon.companion(as: .bob, "perform", "a", "stop")
            #expect(asked.status != 0 && asked.complaints.contains("no program handles"), "\(asked.complaints)")
            #expect(try handled().isEmpty)
            try daemon.succeed("delete", "a")
            try daemon.waitForIDs(["secret"], program)
            _ = try eventually("a handler") { try owners().contains(#""handles":["expand"]"#) ? () : nil }
            program.end(with: SIGTERM)
        }

        @Test func `a list that another user creates while the feed runs is not used`() throws {
            let program = try daemon.startFeeds(
                """
                - {list: a, command: [date, +%N], every: 100ms, from: lines, durability: volatile}
                - {list: b, directory: \(daemon.directory.path), durability: volatile}

                """)
            _ = try eventually("a handler; it said: \(program.complaints)") {
                try owners().contains(#""handles":["expand"]"#) && daemon.status()?.state == "fed" ? () : nil
            }
            // Over the same connection.
            program.signal(SIGSTOP)
            for list in ["a", "b", "feeds"] { try daemon.succeed("delete", list) }
            try createTheirs("a", "b", "feeds")
            for item in ["a", "b"] {
                #expect(try daemon.companion(as: .bob, "append", "feeds", item, "-q").status == 0)
            }
            program.signal(SIGCONT)
            for list in ["a", "b", "feeds"] { try expectComplaint(about: list, of: program) }
            for list in ["a", "b"] { #expect(try daemon.ids(of: list) == []) }
            #expect(try handled().isEmpty)
            #expect(try !daemon.succeed("get", "feeds", "a").contains("state"))
            for list in ["a", "b", "feeds"] { try daemon.succeed("delete", list) }
            _ = try eventually("a handler; it said: \(program.complaints)") {
                try owners().contains(#""handles":["expand"]"#) && daemon.status()?.state == "fed" ? () : nil
            }
            // After a restart of the daemon, which forgets volatile lists.
            program.signal(SIGSTOP)
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            try createTheirs("a", "b")
            program.signal(SIGCONT)
            for list in ["a", "b"] {
                _ = try daemon.waitForStatus("a refusal of \(list)", of: list) {
                    $0.message?.contains("belongs to the user 61002") == true
                }
            }
            for list in ["a", "b"] { #expect(try daemon.ids(of: list) == []) }
            #expect(try handled().isEmpty)
            program.end(with: SIGTERM)
        }
    }
}
