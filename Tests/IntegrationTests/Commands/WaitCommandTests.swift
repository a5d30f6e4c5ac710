import Foundation
import Testing

extension Integration {
    struct WaitCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            let rows = #"{"id":"milk","done":false,"n":1}"# + "\n" + #"{"id":"bread","done":false,"n":2}"#
            try daemon.succeed("apply", "tasks", "--create", "-q", "--from", "ndjson", input: rows)
        }

        /// Starts waiting, and returns when the daemon has the subscription.
        private func start(_ arguments: String...) throws -> Program {
            let program = try daemon.startCompanion(["wait"] + arguments)
            try daemon.waitForSubscriptions(of: program)
            #expect(program.exitStatus() == nil, "\(program.complaints)")
            return program
        }

        @Test func `what is so already is not waited for`() throws {
            try daemon.succeed("wait", "tasks", "milk", "--for", "done=false", "--for", "n<2")
            try daemon.succeed("wait", "tasks", "none", "--for", "deleted")
            try daemon.succeed("wait", "none", "--for", "deleted")
            try daemon.succeed("wait", "none", "x", "--for", "deleted")
            try daemon.succeed("wait", "tasks", "--for", "exists")
            try daemon.succeed("wait", "tasks", "--for", "count=2")
            try daemon.succeed("wait", "tasks", "--where", "n>1", "--for", "count=1")
            #expect(try daemon.succeed("wait", "tasks", "--for", "n=2") == "bread\n")
        }

        @Test func `an item is waited for`() throws {
            let done = try start("tasks", "milk", "--for", "done=true", "--for", "n>1")
            try daemon.succeed("patch", "tasks", "bread", "done:=true", "-q")
            try daemon.succeed("patch", "tasks", "milk", "done:=true", "-q")
            try daemon.succeed("patch", "tasks", "milk", "done:=false", "n:=5", "-q")
            #expect(done.exitStatus() == nil)
            try daemon.succeed("patch", "tasks", "milk", "done:=true", "-q")
            #expect(try done.wait() == 0)
            #expect(done.output == "")
            let gone = try start("tasks", "milk", "--for", "deleted")
            try daemon.succeed("rm", "tasks", "milk", "-q")
            #expect(try gone.wait() == 0)
            let back = try start("tasks", "milk", "--for", "exists")
            try daemon.succeed("append", "tasks", "milk", "-q")
            #expect(try back.wait() == 0)
        }

        @Test func `a list is waited for`() throws {
            let count = try start("tasks", "--for", "count>2")
            try daemon.succeed("append", "tasks", "tea", "-q")
            #expect(try count.wait() == 0)
            let some = try start("tasks", "--for", "state=failed")
            try daemon.succeed("append", "tasks", "job", "state=failed", "-q")
            #expect(try some.wait() == 0)
            #expect(some.output == "job\n")
            let end = try start("tasks", "--for", "deleted")
            let vain = try start("tasks", "milk", "--for", "done=true")
            try daemon.succeed("delete", "tasks")
            #expect(try end.wait() == 0)
            #expect(try vain.wait() == 6)
            #expect(vain.complaints.contains("tasks was deleted"))
            let list = try start("tasks", "--for", "exists")
            try daemon.succeed("create", "tasks")
            #expect(try list.wait() == 0)
        }

        @Test func `the time-out has a status of its own`() throws {
            let answer = try daemon.companion("wait", "tasks", "milk", "--for", "done=true", "--timeout", "50ms")
            #expect(answer.status == 4)
            #expect(answer.complaints == "diffablectl: timed out after 50ms waiting for tasks milk: done=true\n")
            #expect(try daemon.companion("wait", "none", "milk", "--for", "done=true").status == 6)
        }

        @Test func `a field that no item has is pointed out, and waited for`() throws {
            let slip = try start("tasks", "milk", "--for", "doen=true")
            try slip.waitForComplaint("no item of tasks has .doen, which --for names; did you mean .done?")
            try daemon.succeed("patch", "tasks", "milk", "doen:=true", "-q")
            #expect(try slip.wait() == 0)
            let counted = try start("tasks", "--where", "nn>1", "--for", "count=2")
            try counted.waitForComplaint(".nn, which --where names; did you mean .n?")
            try daemon.succeed("delete", "tasks")
            #expect(try counted.wait() == 6)
            // Members of an item and arguments that are not fields give no warning.
            try daemon.succeed("create", "jobs")
            try daemon.succeed("append", "jobs", "a", "done:=false", "-q")
            let fine = try start("jobs", "a", "--for", "done=true", "--for", "id=a")
            let count = try start("jobs", "--for", "count=2")
            try daemon.succeed("append", "jobs", "b", "-q")
            try daemon.succeed("patch", "jobs", "a", "done:=true", "-q")
            #expect(try fine.wait() == 0 && count.wait() == 0)
            #expect(fine.complaints == "" && count.complaints == "")
        }

        @Test func `a daemon that restarts is waited for, and nothing is missed meanwhile`() throws {
            let done = try start("tasks", "milk", "--for", "done=true")
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            try daemon.succeed("patch", "tasks", "milk", "done:=true", "-q")
            #expect(try done.wait() == 0)
        }

        @Test(arguments: [
            ["tasks"], ["tasks", "--for", "count"], ["tasks", "--for", "count~1"], ["tasks", "--for", "n>"],
            ["tasks", "--for", "exists", "--for", "n=1"], ["tasks", "milk", "--for", "n=1", "--where", "n=1"],
            ["tasks", "--for", "n=1", "--timeout", "soon"],
        ])
        func `what cannot be waited for is refused`(arguments: [String]) throws {
            #expect(try daemon.startCompanion(["wait"] + arguments).wait() == 2)
        }
    }
}
