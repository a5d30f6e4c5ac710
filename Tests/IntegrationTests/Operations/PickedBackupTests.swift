import Foundation
import Testing

extension Integration {
    /// Single lists in backups, and backups in pipes.
    struct PickedBackupTests {
        private let daemon: Daemon
        private var file: String { daemon.directory.file("all.backup") }

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("apply", "tasks", "--create", "-q", input: "milk\nbread\n")
            // In parts, each of which has the name.
            let rows = (1...3_000).map { #"{"id":"\#($0)","list":"tasks","text":"\#($0) \"x\""}"# }
            try daemon.succeed(
                "apply", "long", "--create", "--from", "ndjson", "-q", input: rows.joined(separator: "\n"))
            try daemon.succeed("create", "bar", "--volatile")
        }

        private func contents(of list: String, on daemon: Daemon) throws -> String {
            try daemon.succeed("show", list, "--json")
        }

        @Test func `a backup goes through a pipe`() throws {
            let other = try Daemon()
            let answer = try daemon.shell(
                #""$ctl" backup - | DIFFABLED_SOCKET=\#(other.socket) "$ctl" restore -"#)
            #expect(answer.output == "restored 2 lists, 3,002 items\n" && answer.status == 0, "\(answer)")
            #expect(answer.complaints.contains("2 lists, 3,002 items"))
            for list in ["tasks", "long"] {
                #expect(try contents(of: list, on: other) == contents(of: list, on: daemon))
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: daemon.directory.path)
            #expect(!names.contains { $0.hasPrefix("-") })
            #expect(try daemon.shell(#""$ctl" backup >/dev/full"#).status == 74)
            let cut = try daemon.shell(#""$ctl" backup | head -c 100000 | "$ctl" restore - --replace"#)
            #expect(cut.status == 2 && cut.complaints.contains("is incomplete"), "\(cut)")
        }

        @Test func `some lists are backed up alone`() throws {
            #expect(try daemon.succeed("backup", file, "tasks") == "\(file): 1 list, 2 items\n")
            let other = try Daemon()
            #expect(try other.succeed("restore", file) == "restored 1 list, 2 items\n")
            #expect(try !other.succeed("ls").contains("long"))
            for missing in ["none", "bar"] {
                let answer = try daemon.companion("backup", file, "tasks", missing, "--force")
                #expect(
                    answer.status == 6 && answer.complaints.contains(#"no durable list "\#(missing)""#), "\(answer)")
            }
            #expect(try daemon.companion("restore", file, "tasks", "--replace").status == 0, "the file is as it was")
        }

        @Test func `one list is restored, and the others stay as they are`() throws {
            try daemon.succeed("backup", file)
            try daemon.succeed("rm", "tasks", "milk", "-q")
            try daemon.succeed("append", "long", "new", "-q")
            let long = try contents(of: "long", on: daemon)
            let epoch = try daemon.succeed("ls", "--json").firstMatch(of: #/"list":"long","epoch":"[^"]*"/#)?.0
            #expect(try daemon.succeed("restore", file, "tasks", "--replace") == "restored 1 list, 2 items\n")
            #expect(try daemon.succeed("show", "tasks") == "main\n    milk\n    bread\n")
            #expect(try contents(of: "long", on: daemon) == long)
            #expect(try daemon.succeed("ls", "--json").contains(try #require(epoch)))
            let answer = try daemon.companion("restore", file, "other")
            #expect(
                answer.status == 2
                    && answer.complaints.contains(#"no list "other", so nothing was restored; it has long, tasks"#),
                "\(answer)")
        }

        @Test func `a list is restored under another name, all parts of it`() throws {
            try daemon.succeed("backup", file)
            #expect(
                try daemon.succeed("restore", file, "long", "--as", "long \"again\"")
                    == "restored 1 list, 3,000 items\n")
            #expect(try contents(of: "long \"again\"", on: daemon) == contents(of: "long", on: daemon))
            let several = try daemon.companion("restore", file, "--as", "x")
            #expect(several.status == 2 && several.complaints.contains("2 lists: long, tasks"), "\(several)")
            #expect(try daemon.companion("restore", file, "long", "tasks", "--as", "x").status == 2)
            try daemon.succeed("backup", file, "tasks", "--force")
            try daemon.succeed("restore", file, "--as", "x")
            #expect(try contents(of: "x", on: daemon) == contents(of: "tasks", on: daemon))
        }

        @Test func `what is no file is not replaced, and no backup is not read to its end`() throws {
            // Not /dev/null: a wrong command would delete it for the whole machine.
            let pipe = "\(file).pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            let replaced = try daemon.companion("backup", pipe, "--force")
            #expect(replaced.status == 2 && replaced.complaints.contains("not a regular file"), "\(replaced)")
            let endless = try daemon.companion("restore", "/dev/zero")
            #expect(endless.status == 2 && endless.complaints.contains("/dev/zero is not a backup"), "\(endless)")
            guard Binaries.isInstalled("script") else { return }
            let terminal = try daemon.terminal(#""$ctl" backup"#)
            #expect(
                terminal.status == 2 && terminal.output.contains("does not print a backup on a terminal"), "\(terminal)"
            )
        }
    }
}
