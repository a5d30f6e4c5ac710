import Foundation
import Testing

extension Integration {
    /// The shells' completions, and their queries to the daemon.
    struct CompletionTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            for list in ["tasks", "talks", "mail", "two words", "$(touch here)"] { try daemon.succeed("create", list) }
        }

        @Test(arguments: ["bash", "zsh", "fish"])
        func `a shell reads its completions`(shell: String) throws {
            guard let shared = try SharedFiles(), Binaries.areInstalled(shell) else { return }
            let files = shared.all.filter { $0.hasPrefix(shell) }
            #expect(files.count == 4)
            for file in files {
                let check = try Program("/usr/bin/\(shell)", ["-n", "\(shared.path)/\(file)"], in: daemon.directory)
                #expect(try check.wait() == 0, "\(file): \(check.complaints)")
            }
            #expect(try shared.text(of: files.first { $0.contains("ctl") } ?? "").contains("apply"))
        }

        // MARK: In a shell

        /// Runs a shell script with the completions and programs available.
        private func run(_ shell: String, _ script: String) throws -> [String] {
            let file = try daemon.directory.write(script, to: "script")
            let words = ["PATH=\(Binaries.directory):/usr/bin:/bin", "DIFFABLED_SOCKET=\(daemon.socket)", shell]
            let program = try Program("/usr/bin/env", words + [file], in: daemon.directory)
            #expect(try program.wait() == 0, "\(program.complaints)")
            #expect(!FileManager.default.fileExists(atPath: daemon.directory.file("here")))
            return program.outputLines.map { $0.trimmingCharacters(in: .whitespaces) }
        }

        @Test func `bash completes commands, options and the names of lists`() throws {
            guard let shared = try SharedFiles() else { return }
            let words = try run(
                "bash",
                """
                cd \(daemon.directory.path)
                source \(shared.path)/bash-completion/completions/diffablectl
                complete=$(complete -p diffablectl | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
                complete_line() {
                    # Nothing is completed when the daemon takes more than a second, as it may on a busy machine.
                    for attempt in {1..50}; do
                        COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=($1) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                        COMPREPLY=()
                        "$complete" diffablectl "${COMP_WORDS[COMP_CWORD]}" ""
                        [ ${#COMPREPLY[@]} -eq 0 ] || break
                    done
                    printf '%s\\n' "${COMPREPLY[@]}" | sort
                }
                complete_line "diffablectl wat"
                complete_line "diffablectl watch --no-rec"
                complete_line "diffablectl watch ta"
                complete_line "diffablectl chmod 640 tasks ma"
                complete_line "diffablectl create ta"
                complete_line "diffablectl show t"
                """)
            #expect(words == ["watch", "--no-reconnect", "talks", "tasks", "mail", "", "talks", "tasks"])
        }

        /// These shells only complete interactively, so the test types.
        @Test(arguments: [
            ("zsh", "zsh -f -i", "fpath=(DIRECTORY/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D"),
            ("fish", "fish -N -i", "source DIRECTORY/fish/vendor_completions.d/diffablectl.fish"),
        ])
        func `a shell completes the names of lists for who types`(shell: String, start: String, ready: String) throws {
            guard let shared = try SharedFiles(), Binaries.areInstalled("zsh", shell) else { return }
            let words = try run(
                "zsh",
                """
                cd \(daemon.directory.path)
                zmodload zsh/zpty
                zpty shell \(start)
                zpty -w shell '\(ready.replacing("DIRECTORY", with: shared.path)); echo re""ady'
                zpty -r -m shell said '*ready*'
                zpty -n -w shell $'diffablectl show tas\\t'
                zpty -r -m shell said '*show tasks *' && echo completed
                zpty -d shell
                """)
            #expect(words == ["completed"])
        }

        // MARK: Queries

        /// Returns the names of lists, as a shell queries them for this command line.
        private func ask(_ line: [String], as user: Somebody? = nil, socket: String? = nil) throws -> Program {
            let arguments = ["---completion", "show", "--", "positional@0", "\(line.count - 1)", "0"] + line
            let environment = ["DIFFABLED_SOCKET": socket ?? daemon.socket]
            guard let user else {
                return try Program(Binaries.companion, arguments, environment: environment, in: daemon.directory)
            }
            return try user.start(Binaries.companion, arguments, environment: environment, in: daemon.directory)
        }

        /// Returns the completions, and repeats while there are none, because completion does not wait longer than a second for
        /// the daemon.
        private func answer(_ ask: () throws -> Program) throws -> String {
            try eventually("completion") {
                let asked = try ask()
                #expect(try asked.wait() == 0)
                return asked.output.allSatisfy(\.isWhitespace) ? nil : asked.output
            }
        }

        @Test func `names that a shell would carry out or take apart are not completed`() throws {
            #expect(try answer { try ask(["diffablectl", "show", ""]) } == "mail\ntalks\ntasks\n")
        }

        @Test func `items, sections and revisions are those of the list that the line names`() throws {
            try daemon.succeed("section", "add", "tasks", "today", "-q")
            try daemon.succeed("section", "add", "tasks", "later", "-q")
            for item in ["milk", "mint", "tea", "$(reboot)"] { try daemon.succeed("append", "tasks", item, "-q") }
            /// - Parameter argument: the argument to complete.
            func ask(_ argument: String, _ line: [String]) throws -> [String] {
                let commands = line[1] == "section" ? Array(line[1...2]) : [line[1]]
                let answer = try answer {
                    try Program(
                        Binaries.companion,
                        ["---completion"] + commands + ["--", argument, "\(line.count - 1)", "0"] + line,
                        environment: ["DIFFABLED_SOCKET": daemon.socket], in: daemon.directory)
                }
                return answer.split(separator: "\n").map(String.init).sorted()
            }
            #expect(try ask("positional@1", ["diffablectl", "get", "tasks", "mi"]) == ["milk", "mint"])
            #expect(try ask("positional@1", ["diffablectl", "rm", "tasks", ""]) == ["milk", "mint", "tea"])
            let handler = try daemon.connect()
            _ = try handler.reply(
                to:
                    #"{"id":1,"method":"handle","params":{"list":"tasks","requests":["perform"],"actions":["on","off"]}}"#
            )
            #expect(try ask("positional@1", ["diffablectl", "perform", "tasks", ""]) == ["off", "on"])
            #expect(try ask("positional@2", ["diffablectl", "perform", "tasks", "on", "mi"]) == ["milk", "mint"])
            #expect(try ask("--after", ["diffablectl", "move", "tasks", "tea", "--after", "m"]) == ["milk", "mint"])
            #expect(
                try ask("--section", ["diffablectl", "append", "tasks", "x", "--section", ""]) == ["later", "today"])
            #expect(try ask("positional@1", ["diffablectl", "section", "rm", "tasks", ""]) == ["later", "today"])
            #expect(
                try ask("positional@1", ["diffablectl", "diff", "tasks", ""]) == ["1", "2", "3", "4", "5", "6"])
            #expect(try ask("--to", ["diffablectl", "undo", "tasks", "--to", ""]).count == 6)
        }

        @Test func `names are those of the daemon that the line says`() throws {
            let other = try Daemon()
            try other.succeed("create", "elsewhere")
            for option in [["--socket", other.socket], ["--socket=\(other.socket)"]] {
                #expect(try answer { try ask(["diffablectl", "show"] + option + [""]) } == "elsewhere\n")
            }
        }

        @Test func `without a daemon, and with one that hangs, nothing is completed, at once`() throws {
            let nobody = try ask(["diffablectl", "show", ""], socket: daemon.directory.file("none"))
            #expect(try nobody.wait() == 0)
            daemon.program.signal(SIGSTOP)
            defer { daemon.program.signal(SIGCONT) }
            let hanging = try ask(["diffablectl", "show", ""])
            // Completion gives up after a second, without a message. Other commands wait for a minute.
            let start = ContinuousClock.now
            #expect(try hanging.wait() == 0)
            #expect(start.duration(to: .now) < .seconds(50))
            for asked in [nobody, hanging] {
                #expect(asked.output.trimmingCharacters(in: .whitespacesAndNewlines) == "")
                #expect(asked.complaints == "")
            }
        }

        @Test(.withSeveralUsers) func `lists that one may not see are not completed`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "secret")
            try daemon.succeed("create", "open", "--mode", "644")
            let asked = try answer { try ask(["diffablectl", "show", ""], as: .alice, socket: daemon.socket) }
            #expect(asked == "open\n")
        }
    }
}
