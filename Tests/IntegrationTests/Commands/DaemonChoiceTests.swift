import Foundation
import Testing

extension Integration {
    /// The daemon that a command talks to, and the message if it may be the wrong one.
    struct DaemonChoiceTests {
        private let daemon: Daemon
        private let other: Daemon

        /// Starts one daemon that a variable or an option names, and the user's own.
        init() throws {
            let directory = try ScratchDirectory()
            daemon = try Daemon()
            other = try Daemon(in: directory)
            try daemon.succeed("create", "here")
            try other.succeed("create", "there")
            try FileManager.default.createDirectory(
                atPath: directory.file("runtime/diffabled"), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: directory.file("runtime/diffabled/diffabled.sock"), withDestinationPath: other.socket)
        }

        private func run(_ arguments: String..., isNamed: Bool = true) throws -> Program {
            var environment = ["XDG_RUNTIME_DIR": other.directory.file("runtime")]
            if isNamed { environment["DIFFABLED_SOCKET"] = daemon.socket }
            let program = try Program(Binaries.companion, arguments, environment: environment, in: daemon.directory)
            _ = try program.wait()
            return program
        }

        @Test func `options that choose it may stand before the command`() throws {
            #expect(try run("ls", "--names").output == "here\n")
            #expect(try run("ls", "--names", isNamed: false).output == "there\n")
            #expect(try run("--user", "ls", "--names").output == "there\n")
            #expect(try run("--socket", other.socket, "ls", "--names").output == "there\n")
            #expect(try run("--socket=\(other.socket)", "ls", "--names").output == "there\n")
            #expect(try run("ls", "--names", "--user").output == "there\n")
            // The option after the command takes precedence.
            #expect(try run("--socket", other.socket, "ls", "--names", "--socket", daemon.socket).output == "here\n")
            #expect(try run("--user", "section", "add", "there", "s").exitStatus() == 0)
            #expect(try run("--user", "--system", "ls").exitStatus() == 2)
        }

        @Test func `status names the socket`() throws {
            #expect(try run("status").output.hasPrefix("socket: \(daemon.socket)\n"))
            #expect(try run("status", "--user").output.hasPrefix("socket: \(other.directory.path)/runtime/"))
        }

        @Test func `a list that another daemon has is said to be there`() throws {
            let program = try run("show", "there")
            #expect(program.exitStatus() == 6)
            #expect(program.complaints.contains(#"your own daemon has the list "there", but"#))
            #expect(program.complaints.contains("use --user instead"))
            #expect(try !run("show", "nowhere").complaints.contains("daemon has the list"))
        }

        @Test func `a user who has had a daemon is not sent to the system's`() throws {
            // Programs in tests have it as HOME.
            let home = daemon.directory.path
            func run(_ program: String, _ arguments: String..., runtime: Bool = true) throws -> Program {
                var environment = ["HOME": home, "DIFFABLED_SOCKET": "", "XDG_STATE_HOME": "", "XDG_RUNTIME_DIR": ""]
                if runtime { environment["XDG_RUNTIME_DIR"] = home }
                let program = try Program(program, arguments, environment: environment, in: daemon.directory)
                _ = try program.wait()
                return program
            }
            let state = "\(home)/.local/state/diffabled"
            try FileManager.default.createDirectory(atPath: state + "/mirrors", withIntermediateDirectories: true)
            #expect(try !run(Binaries.companion, "ls").complaints.contains("own daemon is not running"))
            try FileManager.default.removeItem(atPath: state + "/mirrors")
            for command in [
                ["ls"], ["append", "here", "a"], ["view", "here", "--plain"], ["wait", "here", "--for", "exists"],
            ] {
                let program = try Program(
                    Binaries.companion, command,
                    environment: ["HOME": home, "XDG_RUNTIME_DIR": home, "DIFFABLED_SOCKET": "", "XDG_STATE_HOME": ""],
                    in: daemon.directory)
                #expect(try program.wait() == 3)
                #expect(program.complaints.contains("your own daemon is not running"), "\(program.complaints)")
                #expect(program.complaints.contains(state) && program.complaints.contains("--system uses"))
            }
            #expect(try run(Binaries.companion, "ls", runtime: false).complaints.contains("$XDG_RUNTIME_DIR"))
            #expect(try run(Binaries.companion, "ls", "--system").complaints.contains("/run/diffabled/diffabled.sock"))
            #expect(try run(Binaries.companion, "ls", "--user").complaints.contains("\(home)/diffabled/diffabled.sock"))
        }

        @Test func `a command that is misspelt is guessed`() throws {
            for (typed, meant) in [("lss", "ls"), ("wacth", "watch"), ("remove", "rm"), ("staus", "status")] {
                let program = try run(typed)
                #expect(program.exitStatus() == 2)
                #expect(program.complaints.contains("did you mean \(meant)?"), "\(program.complaints)")
            }
            #expect(try run("xyzzy").complaints.contains("there is no command \"xyzzy\""))
            #expect(try run("help").exitStatus() == 0)
        }

        @Test func `messages name commands and options, and no members of the protocol`() throws {
            try daemon.succeed("backup", daemon.directory.file("backup"))
            for (arguments, part) in [
                (["show", "none"], "diffablectl ls"), (["rm", "here", "none"], "has no item \"none\""),
                (["create", "here"], "--if-absent"), (["diff", "here", "99"], "diffablectl log"),
                (["restore", daemon.directory.file("backup")], "--replace"),
            ] {
                let program = try daemon.startCompanion(arguments)
                _ = try program.wait()
                #expect(program.complaints.contains(part), "\(program.complaints)")
                #expect(!program.complaints.contains { $0 == "`" }, "\(program.complaints)")
                #expect(!program.complaints.contains("operation 0"), "\(program.complaints)")
            }
        }
    }
}
