import Testing

extension Integration {
    /// The output of `show` and `watch` for a view.
    struct ViewCommandTests {
        private func daemon() throws -> Daemon {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            try daemon.succeed("section", "add", "tasks", "today", "-q")
            try daemon.succeed("section", "add", "tasks", "later", "-q")
            try daemon.succeed("append", "tasks", "milk", "text=Milk", "due:=3", "--section", "today", "-q")
            try daemon.succeed("append", "tasks", "party", "text=Party", "--section", "today", "-q")
            try daemon.succeed("append", "tasks", "cake", "text=Éclairs", "due:=1", "--parent", "party", "-q")
            try daemon.succeed("append", "tasks", "tax", "text=Taxes", "due:=9", "--section", "later", "-q")
            return daemon
        }

        @Test(arguments: [
            (#"--where {"path":"/due","greaterThan":5}"#, "today\nlater\n    tax  Taxes\n"),
            ("--where due>5", "today\nlater\n    tax  Taxes\n"),
            ("--where due<=3 --where text~il", "today\n    milk  Milk\nlater\n"),
            ("--search ECLAIR", "today\n  ▸ party  Party\n      cake  Éclairs\nlater\n"),
            ("--section later --section none", "later\n    tax  Taxes\n"),
            ("--section today --sort -/due --expansion shared", "today\n    milk  Milk\n    party  Party\n"),
            ("--section today --sort -.due --expansion shared", "today\n    milk  Milk\n    party  Party\n"),
            ("--section today --sort id --expanded milk", "today\n    milk  Milk\n    party  Party\n"),
            ("--limit 1 --from tax", "later\n    tax  Taxes\n"),
            (
                "--limit 2 --offset 2",
                "today\n  ▸ party  Party\n      cake  Éclairs\nlater\n    tax  Taxes\n"
            ),
        ]) func `show prints what its options say`(options: String, outline: String) throws {
            let daemon = try daemon()
            let arguments = ["show", "tasks"] + options.split(separator: " ").map(String.init)
            let program = try daemon.startCompanion(arguments)
            #expect(try program.wait() == 0)
            #expect(program.output == outline, "\(program.complaints)")
        }

        @Test func `watch prints what enters and leaves a view`() throws {
            let daemon = try daemon()
            let watch = try daemon.startCompanion(
                ["watch", "tasks", "--where", #"{"path":"/due","atMost":5}"#, "--expanded", "party"])
            _ = try eventually("first state") { watch.output.contains("cake") ? true : nil }
            try daemon.succeed("patch", "tasks", "tax", "due:=8", "-q")
            try daemon.succeed("patch", "tasks", "milk", "due:=7", "-q")
            _ = try eventually("the change that is seen") { watch.output.hasSuffix("\n8 - milk  Milk\n") ? true : nil }
            let lines = try daemon.startCompanion(["watch", "tasks", "--json", "--limit", "1", "--offset", "1"])
            _ = try eventually("a window") { lines.output.contains(#""offset":1,"total":4,"#) ? true : nil }
        }

        @Test(arguments: [
            (["--where", #"{"path":"due","equals":1}"#], #"where.path must be "id", "kind" or a JSON pointer"#),
            (["--where", "{done"], #"the condition "{done" begins with {, but is not valid JSON"#),
            (["--where", "cpu>"], "compared with nothing"),
            (["--from", "milk"], "--limit"),
            (["--expansion", "none"], #"expansion must be "all", "shared" or "own""#),
            (["--expansion", "all", "--expanded", "milk"], #"expanded needs "expansion":"own""#),
            (["--limit", "3", "--from", "milk", "--offset", "1"], "a window takes anchor or offset, not both"),
        ]) func `options that mean nothing are refused before anything is asked`(
            options: [String], sentence: String
        ) throws {
            let daemon = try Daemon()
            let program = try daemon.startCompanion(["show", "tasks"] + options)
            #expect(try program.wait() == 2)
            #expect(program.complaints.contains(sentence), "\(program.complaints)")
        }
    }
}
