import Foundation
import Testing

extension Integration {
    /// `schema`, and the other commands' messages about violations.
    struct SchemaCommandTests {
        private let daemon: Daemon
        private let schemas = #"{"":{"type":"object","properties":{"due":{"type":"string"}}}}"#

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            try daemon.succeed("append", "tasks", "milk", "text=Milk", "-q")
        }

        private func file(_ text: String) throws -> String {
            let path = daemon.directory.path + "/schemas.json"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }

        @Test func `schema sets what contents must look like, prints it, and takes it away`() throws {
            #expect(try daemon.succeed("schema", "tasks") == "{}\n")
            try daemon.succeed("schema", "tasks", try file(schemas), "--others", "refuse")
            #expect(try daemon.succeed("schema", "tasks") == schemas + "\n")
            #expect(
                try daemon.succeed("schema", "tasks", "--json")
                    == #"{"list":"tasks","schemas":\#(schemas),"others":"refuse","existing":"check"}"# + "\n")
            let refused = try daemon.companion("set", "tasks", "milk", "due:=7")
            #expect(refused.status == 1)
            #expect(
                refused.complaints
                    == "diffablectl: the list \"tasks\" does not match its schemas, and nothing was changed: /due of item \"milk\" "
                    + "must be a string, not 7. diffablectl schema prints the schemas\n")
            #expect(try daemon.companion("append", "tasks", "head", "--kind", "header").complaints.contains("header"))
            #expect(try daemon.companion("undo", "tasks", "--to", "1").status == 0)
            try daemon.succeed("schema", "tasks", "--clear")
            try daemon.succeed("append", "tasks", "head", "--kind", "header")
            #expect(try daemon.succeed("log", "tasks").matches(of: /schemas of 1 kind  by diffablectl/).count == 1)
            #expect(try daemon.succeed("log", "tasks").contains("no schemas"))
        }

        @Test func `schema is refused while an item does not fit, unless it may stay`() throws {
            try daemon.succeed("set", "tasks", "milk", "due:=7")
            let path = try file(schemas)
            let refused = try daemon.companion("schema", "tasks", path)
            #expect(refused.status == 1)
            #expect(refused.complaints.contains(#"/due of item "milk" must be a string, not 7"#))
            #expect(refused.complaints.contains("--keep"))
            #expect(try daemon.succeed("schema", "tasks") == "{}\n")
            try daemon.succeed("schema", "tasks", path, "--keep")
            try daemon.succeed("move", "tasks", "milk", "--front")
            #expect(try daemon.companion("set", "tasks", "milk", "due:=8").status == 1)
        }

        @Test func `what is wrong with a schema is named with its line`() throws {
            let path = try file("{\n  \"\": {\n    \"patern\": \"[0-9]\"\n  }\n}\n")
            let refused = try daemon.companion("schema", "tasks", path)
            #expect(refused.status == 2)
            #expect(refused.complaints.contains("line 3") && refused.complaints.contains("patern"))
            #expect(try daemon.companion("schema", "tasks", "--keep").status == 2)
            #expect(try daemon.companion("schema", "tasks", path, "--clear").status == 2)
            #expect(try daemon.companion("schema", "none").status == 6)
        }

        @Test func `schemas are there after a kill, in a copy, and after a restore under another name`() throws {
            try daemon.succeed("set", "tasks", "milk", "due:=7")
            try daemon.succeed("schema", "tasks", try file(schemas), "--keep", "--others", "refuse")
            let set = #""schemas":\#(schemas),"others":"refuse","existing":"keep"}"# + "\n"
            try daemon.succeed("copy", "tasks", "copy")
            #expect(try daemon.succeed("schema", "copy", "--json").hasSuffix(set))
            let backup = daemon.directory.path + "/lists.backup"
            try daemon.succeed("backup", backup)
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            try daemon.succeed("restore", backup, "tasks", "--as", "other")
            for list in ["tasks", "copy", "other"] {
                #expect(try daemon.succeed("schema", list, "--json").hasSuffix(set), "\(list)")
                #expect(try daemon.companion("append", list, "new", "due:=7").status == 1, "\(list)")
            }
            try daemon.succeed("delete", "other")
            try daemon.succeed("undelete", "other")
            #expect(try daemon.succeed("schema", "other", "--json").hasSuffix(set))
        }
    }
}
