import Foundation
import Testing

extension Integration {
    /// Output that cannot be written, or that is no longer read.
    struct OutputTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("apply", "tasks", "--create", "-q", input: "milk\nbread\n")
            try daemon.succeed("append", "tasks", "tea", "-q")
        }

        @Test(arguments: [
            "show tasks", "show tasks --json", "ls", "ls -l", "ls --json", "log tasks", "log tasks --json", "status",
            "status --prometheus", "clients", "top --once --interval 0.1", "diff tasks", "diff tasks --json",
            "undo tasks --dry-run", "append tasks more", "watch tasks", "watch tasks --json", "--help", "--version",
            "help apply",
        ])
        func `output that cannot be written is a failure`(command: String) throws {
            let full = try daemon.shell("\"$ctl\" \(command) >/dev/full")
            #expect(full.status == 74)
            #expect(full.complaints.contains("standard output cannot be written: No space left on device"))
            let closed = try daemon.shell("\"$ctl\" \(command) >&-")
            #expect(closed.status == (command.hasPrefix("append") ? 5 : 74), "\(closed.complaints)")
            if command.hasPrefix("append") { return }
            #expect(closed.complaints.contains("standard output cannot be written: Bad file descriptor"))
        }

        @Test func `closed descriptors do no harm where nothing is written`() throws {
            #expect(try daemon.shell(#""$ctl" create quiet <&- >&- 2>&-"#).status == 0)
            #expect(try daemon.succeed("ls").contains("quiet"))
            #expect(try daemon.shell(#""$ctl" apply quiet <&-"#).status == 2)
        }

        @Test(arguments: [
            "watch tasks --json | head -n 1", "watch tasks | head -n 1", "watch none --wait --json | true",
        ])
        func `whoever watches ends with the reader of its output, although nothing changes`(command: String) throws {
            // The shell waits for both commands of the pipeline.
            #expect(try daemon.shell("\"$ctl\" \(command)").status == 0)
        }

        @Test func `the first line is enough for one who wants no more`() throws {
            let answer = try daemon.shell(#""$ctl" watch tasks --json | grep -m1 reset"#)
            #expect(answer.status == 0 && answer.output.contains(#""reason":"initial""#))
        }
    }
}
