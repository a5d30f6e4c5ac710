import Foundation
import Testing

/// Files and directories that other users own, may write to, or redirect. The scratch directory is root's.
private struct Layout {
    let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
        chmod(directory.path, 0o755)
    }

    func file(_ name: String) -> String { directory.file(name) }

    /// Makes a directory and gives it to a user.
    @discardableResult
    func make(_ name: String, mode: mode_t = 0o700, for user: Somebody? = nil) throws -> String {
        let path = file(name)
        guard mkdir(path, 0o700) == 0 else { throw Failure("mkdir \(path): \(errno)") }
        chmod(path, mode)
        try give(name, to: user)
        return path
    }

    func give(_ name: String, to user: Somebody?) throws {
        guard lchown(file(name), user?.userID ?? 0, user?.userID ?? 0) == 0 else {
            throw Failure("chown \(name): \(errno)")
        }
    }

    func link(_ name: String, to target: String, for user: Somebody? = nil) throws {
        guard symlink(target, file(name)) == 0 else { throw Failure("symlink \(name): \(errno)") }
        try give(name, to: user)
    }

    func owner(of name: String) -> UInt32? {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status.st_uid : nil
    }

    /// Starts a daemon. Returns nil if it serves, and otherwise its error.
    func complaint(
        of user: Somebody?, state: String, socket: String = "run/socket", options: [String] = []
    ) throws -> String? {
        if access(file("run"), F_OK) != 0 { try make("run", mode: 0o1777) }
        let arguments = ["--socket", file(socket), "--state-directory", file(state)] + options
        let daemon =
            if let user { try user.start(Binaries.daemon, arguments, in: directory) } else {
                try Program(Binaries.daemon, arguments, in: directory)
            }
        let isServing = try eventually("daemon; it said: \(daemon.complaints)") { () -> Bool? in
            if daemon.exitStatus() != nil { return false }
            guard let client = try? RawClient(connectingTo: file(socket)) else { return nil }
            return try client.reply(to: "ping").contains("result")
        }
        daemon.end(with: SIGTERM)
        return isServing ? nil : daemon.complaints
    }
}

extension Integration {
    /// The files and directories that the programs use or refuse.
    @Suite(.withSeveralUsers)
    struct TrustedPathTests {
        private let layout: Layout
        private let alice = Somebody.alice
        private let bob = Somebody.bob

        init() throws { layout = try Layout() }

        // MARK: The state directory

        @Test func `a state directory that another user controls is refused, with what to do`() throws {
            try layout.make("theirs", mode: 0o777, for: bob)
            #expect(try layout.complaint(of: alice, state: "theirs")?.contains("belongs to the user 61002") == true)
            #expect(try layout.complaint(of: nil, state: "theirs")?.contains("belongs to the user 61002") == true)
            #expect(try layout.complaint(of: nil, state: "theirs/new")?.contains("belongs to the user 61002") == true)
            #expect(layout.owner(of: "theirs/new") == nil)
            for (name, mode) in [("group", mode_t(0o770)), ("others", 0o702), ("sticky", 0o1777)] {
                let path = try layout.make(name, mode: mode, for: alice)
                let complaint = try layout.complaint(of: alice, state: name)
                #expect(complaint?.contains("other users can write to \(path) (mode") == true, "\(complaint ?? "")")
                #expect(complaint?.contains("run `chmod go-w \(path)`") == true)
                chmod(path, mode & 0o7755)
                #expect(try layout.complaint(of: alice, state: name) == nil, "the advice works")
            }
            try layout.make("open", mode: 0o777)
            #expect(try layout.complaint(of: alice, state: "open/state")?.contains("other users can write to") == true)
            try layout.make("own", for: alice)
            try layout.link("lead", to: "own", for: bob)
            #expect(
                try layout.complaint(of: alice, state: "lead")?
                    .contains("the symbolic link \(layout.file("lead")) belongs to the user 61002") == true)
        }

        @Test func `no symbolic link in a state directory is followed, and no file of another user is used`() throws {
            let files = ["lists.sqlite", "lists.sqlite-wal", "lists.sqlite-shm", "lists.sqlite-journal", "witness"]
            for (number, name) in files.enumerated() {
                for target in ["victim", "missing"] {
                    let state = "state-\(number)-\(target)"
                    try layout.make(state)
                    _ = try layout.directory.write("root's", to: "victim")
                    try layout.link("\(state)/\(name)", to: layout.file(target))
                    let complaint = try layout.complaint(of: nil, state: state)
                    #expect(complaint?.contains("/\(name) is a symbolic link, which is not followed") == true)
                    #expect(try String(contentsOfFile: layout.file("victim"), encoding: .utf8) == "root's")
                    #expect(layout.owner(of: "missing") == nil)
                }
                let state = "state-\(number)"
                try layout.make(state)
                _ = try layout.directory.write("", to: "\(state)/\(name)")
                try layout.give("\(state)/\(name)", to: bob)
                #expect(try layout.complaint(of: nil, state: state)?.contains("belongs to the user 61002") == true)
                try layout.give("\(state)/\(name)", to: nil)
                chmod(layout.file("\(state)/\(name)"), 0o666)
                #expect(try layout.complaint(of: nil, state: state)?.contains("run `chmod go-w") == true)
                unlink(layout.file("\(state)/\(name)"))
                #expect(mkfifo(layout.file("\(state)/\(name)"), 0o600) == 0)
                #expect(try layout.complaint(of: nil, state: state)?.contains("is not a regular file") == true)
            }
        }

        @Test func `usual places of a state directory work`() throws {
            // A missing directory, below one of root's and one of the user's.
            #expect(try layout.complaint(of: nil, state: "var/lib/lists") == nil)
            try layout.make("home", mode: 0o755, for: alice)
            #expect(try layout.complaint(of: alice, state: "home/.local/state/diffabled") == nil)
            // StateDirectory= of a dynamic user.
            try layout.make("private", mode: 0o711)
            try layout.make("private/diffabled", for: alice)
            try layout.link("diffabled", to: "private/diffabled")
            #expect(try layout.complaint(of: alice, state: "diffabled") == nil)
            // A home elsewhere, through root's link; and a state directory elsewhere, through the user's link.
            try layout.link("users", to: layout.file("."))
            #expect(try layout.complaint(of: alice, state: "users/home/.local/state/diffabled") == nil)
            try layout.make("disk", for: alice)
            try layout.link("home/lists", to: "../disk", for: alice)
            #expect(try layout.complaint(of: alice, state: "home/lists") == nil)
            // Below a directory like /tmp.
            try layout.make("tmp", mode: 0o1777)
            #expect(try layout.complaint(of: alice, state: "tmp/lists") == nil)
            #expect(try layout.complaint(of: nil, state: "tmp/roots/lists") == nil)
        }

        @Test func `root checks and repairs the lists as the owner of the directory`() throws {
            try layout.make("state", for: alice)
            #expect(try layout.complaint(of: alice, state: "state") == nil)
            func run(_ task: String) throws -> (status: Int32, said: String) {
                let program = try Program(
                    Binaries.daemon, [task, "--state-directory", layout.file("state")],
                    environment: ["TMPDIR": layout.make("roots-\(UUID().uuidString)")], in: layout.directory)
                return (try program.wait(), program.output + program.complaints)
            }
            let check = try run("--check")
            #expect(check.status == 0, "\(check.said)")
            // The page of the tables.
            let database = try FileHandle(forUpdating: URL(filePath: layout.file("state/lists.sqlite")))
            try database.seek(toOffset: 100)
            try database.write(contentsOf: Data(repeating: 0xAA, count: 64))
            try database.close()
            let repair = try run("--repair")
            #expect(repair.status == 0, "\(repair.said)")
            let names = try FileManager.default.subpathsOfDirectory(atPath: layout.file("state"))
            #expect(names.contains { $0.hasPrefix("damaged-") })
            #expect(names.allSatisfy { layout.owner(of: "state/\($0)") == alice.userID })
            #expect(try layout.complaint(of: alice, state: "state") == nil)
            // Root's file is not given to the owner, and is not read.
            unlink(layout.file("state/witness"))
            _ = try layout.directory.write("root's", to: "victim")
            try layout.link("state/witness", to: layout.file("victim"), for: alice)
            #expect(try run("--repair").said.contains("is a symbolic link, which is not followed"))
            #expect(layout.owner(of: "victim") == 0)
        }

        @Test func `root checks a directory that its owner cannot reach`() throws {
            try layout.make("private")
            try layout.make("private/diffabled", for: alice)
            try layout.link("diffabled", to: "private/diffabled")
            chmod(layout.file("private"), 0o711)
            #expect(try layout.complaint(of: alice, state: "diffabled") == nil)
            chmod(layout.file("private"), 0o700)
            let program = try Program(
                Binaries.daemon, ["--check", "--state-directory", layout.file("diffabled")], in: layout.directory)
            #expect(try program.wait() == 0, "\(program.complaints)")
        }

        // MARK: The socket

        @Test func `a socket is made only where no other user can replace it`() throws {
            try layout.make("theirs", mode: 0o755, for: bob)
            try layout.make("open", mode: 0o777)
            try layout.make("tmp", mode: 0o1777)
            func complaint(at socket: String) throws -> String? {
                try layout.complaint(of: nil, state: "state", socket: socket)
            }
            #expect(try complaint(at: "theirs/socket")?.contains("belongs to the user 61002") == true)
            #expect(try complaint(at: "open/socket")?.contains("other users can write to") == true)
            #expect(try complaint(at: "tmp/socket") == nil)
            #expect(try complaint(at: "made/socket") == nil)
            // Another user's file in /tmp with the same name.
            for target in ["nowhere", "tmp/socket"] {
                try layout.link("tmp/link", to: layout.file(target), for: bob)
                #expect(try complaint(at: "tmp/link")?.contains("exists and is not a socket") == true)
                unlink(layout.file("tmp/link"))
            }
            let server = try bob.start(
                "/usr/bin/socat", ["UNIX-LISTEN:\(layout.file("tmp/theirs"))", "STDIO"],
                in: layout.directory)
            _ = try eventually("socket; it said: \(server.complaints)") { layout.owner(of: "tmp/theirs") }
            server.end(with: SIGKILL)
            #expect(try complaint(at: "tmp/theirs")?.contains("a socket of the user 61002 is there already") == true)
            #expect(layout.owner(of: "tmp/theirs") == bob.userID)
        }

        // MARK: Files with settings

        @Test func `settings are read only from files that no other user can change`() throws {
            let daemon = try Daemon.forEverybody()
            func refusal(of user: Somebody?, _ file: String) throws -> [String?] {
                let state = "state-\(UUID().uuidString)"
                if let user { try layout.make(state, for: user) }
                let start = try layout.complaint(of: user, state: state, options: ["--config", file])
                let feeds = ["--socket", daemon.socket, "--config", file, "--check"]
                let check =
                    if let user { try user.start(Binaries.feed, feeds, in: daemon.directory) } else {
                        try Program(Binaries.feed, feeds, in: daemon.directory)
                    }
                // A file without feeds is read, and then refused.
                let isRead = try check.wait() == 0 || check.complaints.contains("the file is empty")
                return [start, isRead ? nil : check.complaints]
            }
            func write(_ name: String, mode: mode_t = 0o644, for user: Somebody? = nil) throws -> String {
                let path = try layout.directory.write("# Nothing.\n", to: name)
                chmod(path, mode)
                try layout.give(name, to: user)
                return path
            }
            try layout.make("theirs", mode: 0o755, for: bob)
            try layout.make("own", mode: 0o755, for: alice)
            try layout.make("open", mode: 0o777)
            let good = try write("good.yaml")
            let refused = [
                try write("bobs.yaml", for: bob), try write("open.yaml", mode: 0o666),
                try write("group.yaml", mode: 0o664, for: alice), try write("theirs/roots.yaml"),
                try write("open/roots.yaml"),
            ]
            try layout.link("bobs-link.yaml", to: good, for: bob)
            for file in refused + [layout.file("bobs-link.yaml")] {
                for user in [alice, nil] {
                    for complaint in try refusal(of: user, file) {
                        let isClear =
                            complaint?.contains("belongs to the user 6100") == true
                            || complaint?.contains("other users can write to") == true
                        #expect(isClear, "\(file): \(complaint ?? "it was read")")
                    }
                }
            }
            try layout.link("own/link.yaml", to: good, for: alice)
            try layout.link("roots-link.yaml", to: "good.yaml")
            let usual = [good, try write("own/own.yaml", for: alice), layout.file("own/link.yaml")]
            for file in usual + [layout.file("roots-link.yaml"), "/dev/null", "/dev/stdin"] {
                #expect(try refusal(of: alice, file) == [nil, nil], "\(file)")
            }
        }

        // MARK: Backups and edited files

        @Test func `a backup that another user may have written is not restored`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "tasks")
            let backup = daemon.directory.file("lists.backup")
            try daemon.succeed("backup", backup)
            #expect(chown(backup, bob.userID, bob.userID) == 0)
            let foreign = try daemon.companion("restore", backup, "--replace")
            #expect(foreign.status == 2)
            #expect(foreign.complaints.contains("belongs to the user 61002"))
            #expect(foreign.complaints.contains("run `chown 0 \(backup)`"))
            #expect(chown(backup, 0, 0) == 0)
            chmod(backup, 0o622)
            #expect(
                try daemon.companion("restore", backup, "--replace").complaints.contains("run `chmod go-w \(backup)`"))
            chmod(backup, 0o644)
            try daemon.succeed("restore", backup, "--replace")
            // A pipe is read: root chose its writer.
            let text = try String(contentsOfFile: backup, encoding: .utf8)
            try daemon.succeed("restore", "-", "--replace", input: text)
        }

        @Test func `clients do not open a FIFO of another user`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "tasks", "--mode", "0666")
            let fifo = layout.file("fifo")
            #expect(mkfifo(fifo, 0o600) == 0)
            chmod(fifo, 0o666)
            try layout.give("fifo", to: bob)
            try layout.link("link", to: fifo)
            for file in [fifo, layout.file("link")] {
                for arguments in [
                    ["restore", file], ["apply", "tasks", file], ["diff", "tasks", file], ["schema", "tasks", file],
                ] {
                    let program = try daemon.startCompanion(arguments)
                    #expect(try program.wait() == 2, "\(arguments)")
                    #expect(
                        program.complaints.contains("FIFO, socket or device of the user 61002"), "\(program.complaints)"
                    )
                }
            }
            #expect(try daemon.companion(as: alice, "apply", "tasks", fifo).complaints.contains("of the user 61002"))
        }

        @Test(arguments: [
            ("mkfifo own; printf 'a\\n' > own & \"$0\" apply tasks own", nil),
            ("mkfifo own; printf 'a\\n' > own & \"$0\" apply tasks own", Somebody.alice),
            ("\"$0\" apply tasks <(printf 'a\\n')", nil), ("\"$0\" apply tasks <(printf 'a\\n')", Somebody.alice),
            ("printf 'a\\n' | \"$0\" apply tasks /dev/stdin", Somebody.alice),
            // As after sudo: the pipe belongs to the user that started the shell.
            ("printf 'a\\n' | { chown 61002 /dev/stdin; \"$0\" apply tasks /dev/stdin; }", nil),
            ("\"$0\" apply tasks /dev/null", Somebody.alice),
        ])
        func `clients read a FIFO of their own, and a pipe that they were given`(script: String, user: Somebody?) throws
        {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "tasks", "--mode", "0666")
            let place = try layout.make("place", for: user)
            let arguments = ["-c", "cd \(place); \(script)", Binaries.companion]
            let environment = ["DIFFABLED_SOCKET": daemon.socket]
            let program =
                if let user {
                    try user.start("/bin/bash", arguments, environment: environment, in: layout.directory)
                } else {
                    try Program("/bin/bash", arguments, environment: environment, in: layout.directory)
                }
            #expect(try program.wait() == 0, "\(program.complaints)")
            #expect(try daemon.succeed("show", "tasks", "--json").contains("\"a\"") != script.contains("null"))
        }

        @Test func `no file is edited in a directory where another user could replace it`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "tasks", "--mode", "0666")
            func edit(in directory: String) throws -> String {
                let program = try alice.start(
                    Binaries.companion, ["edit", "tasks"],
                    environment: ["DIFFABLED_SOCKET": daemon.socket, "VISUAL": "true", "TMPDIR": directory],
                    in: layout.directory)
                _ = try program.wait()
                return program.complaints
            }
            let theirs = try layout.make("theirs", mode: 0o777, for: bob)
            #expect(try edit(in: theirs).contains("belongs to the user 61002"))
            let open = try layout.make("open", mode: 0o777)
            #expect(try edit(in: open).contains("other users can write to \(open)"))
            let shared = try layout.make("tmp", mode: 0o1777)
            #expect(try edit(in: shared).contains("nothing was edited"))
        }
    }
}
