import Foundation
import Testing

extension Integration {
    /// Other users' text on a terminal.
    struct TerminalTextTests {
        private let daemon: Daemon
        /// An override of direction, which ids may contain although they cannot contain control characters.
        private let override = "\u{202E}"

        init() throws {
            daemon = try Daemon()
            let rows = #"[{"id":"a\#(override)z","text":"x\#(override)y\u001b[2J\#u{9B}2J\#u{7F}"}]"#
            try daemon.succeed("apply", "l\(override)t", "--create", "-q", input: rows)
            try daemon.succeed("section", "add", "l\(override)t", "s\(override)n", #"header="h\#(override)""#, "-q")
        }

        private func expectSafe(_ text: String, _ command: String) {
            let isObeyed = { (scalar: Unicode.Scalar) in
                scalar.value < 0x20 && !"\r\n".unicodeScalars.contains(scalar) || 0x7F..<0xA0 ~= scalar.value
                    || 0x202A...0x202E ~= scalar.value
            }
            #expect(!text.unicodeScalars.contains(where: isObeyed), "\(command): \(text.debugDescription)")
        }

        @Test func `no command for people hands on what a terminal obeys`() throws {
            let list = "l\(override)t"
            for arguments in [
                ["show", list], ["ls"], ["ls", "-l"], ["log", list], ["diff", list], ["undo", list, "--dry-run"],
                ["top", "--once", "--interval", "0.1"], ["clients"], ["rm", list, "q\(override)"],
                ["show", "none\(override)"], ["append", list, "new\(override)"],
                ["apply", list, "/no\(override)where"],
                ["move", list, "a\(override)z"],
            ] {
                let program = try daemon.startCompanion(arguments)
                _ = try program.wait()
                expectSafe(program.output, "\(arguments)")
                expectSafe(program.complaints, "\(arguments)")
                #expect(!(program.output + program.complaints).isEmpty)
            }
            let watch = try daemon.shell("\"$ctl\" watch '\(list)' | head -n 3")
            expectSafe(watch.output, "watch")
            #expect(watch.output.contains("a<U+202E>z  x<U+202E>y␛[2J<U+009B>2J␡"), "\(watch.output)")
        }

        @Test(.enabled(if: Binaries.isInstalled("script")))
        func `JSON is exact in a pipe, and escaped on a terminal`() throws {
            let piped = try daemon.succeed("show", "l\(override)t", "--json")
            #expect(piped.contains("x\(override)y"))
            #expect(piped.unicodeScalars.contains("\u{9B}"))
            for command in ["show 'l\(override)t' --json", "ls --json", "diff 'l\(override)t' 0 --json"] {
                let shown = try daemon.terminal("\"$ctl\" \(command)").output
                expectSafe(shown, command)
                #expect(shown.contains(#"\u202e"#), "\(shown)")
            }
        }
    }
}
