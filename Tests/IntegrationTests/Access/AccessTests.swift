import DiffableProtocol
import DiffableServer
import Foundation
import Testing

extension Integration {
    /// Several users of a machine and a daemon, each with exactly the granted rights.
    @Suite(.withSeveralUsers)
    struct AccessTests {
        private let alice = Somebody.alice
        private let bob = Somebody.bob

        @Test func `a list is its maker's, who says who may see it and who may change it`() throws {
            let daemon = try Daemon.forEverybody()
            #expect(try daemon.companion(as: alice, "create", "notes").status == 0)
            #expect(try daemon.companion(as: alice, "section", "add", "notes", "main").status == 0)
            #expect(try daemon.companion(as: bob, "ls").output == "")
            let hidden = try daemon.companion(as: bob, "show", "notes")
            #expect(hidden.status == 6 && hidden.complaints.contains("there is no list \"notes\""))
            #expect(try daemon.companion(as: alice, "chmod", "o+r", "notes").status == 0)
            #expect(try daemon.companion(as: bob, "show", "notes").output == "main\n")
            let refused = try daemon.companion(as: bob, "section", "add", "notes", "his")
            #expect(refused.status == 7 && refused.complaints.contains("you need the right to write"))
            #expect(
                try daemon.companion(as: bob, "chmod", "666", "notes").complaints.contains("only its owner or root"))
            #expect(
                try daemon.companion(as: bob, "delete", "notes").complaints.contains(
                    "only its owner or root can do this"))
            #expect(try daemon.companion(as: alice, "chmod", "o+w", "notes").status == 0)
            #expect(try daemon.companion(as: bob, "section", "add", "notes", "his").status == 0)
            #expect(try daemon.succeed("log", "notes", "--json").contains(#""uid":61002"#))
            #expect(try daemon.companion(as: alice, "delete", "notes").status == 0)
        }

        @Test func `ls -l says mode, owner and group, and chown changes what one may change`() throws {
            let daemon = try Daemon.forEverybody()
            let member = Somebody(userID: alice.userID, groups: [61_050])
            #expect(try daemon.companion(as: member, "create", "notes", "--mode", "0640").status == 0)
            #expect(try daemon.companion(as: member, "chown", ":61050", "notes").status == 0)
            let foreign = try daemon.companion(as: member, "chown", ":61051", "notes")
            #expect(foreign.status == 7 && foreign.complaints.contains("a member of group 61051"))
            let away = try daemon.companion(as: member, "chown", "61002", "notes")
            #expect(away.status == 7 && away.complaints.contains("only root can give it"))
            let lines = try daemon.succeed("ls", "-l").split(separator: "\n")
            #expect(lines.first == "MODE       OWNER  GROUP  ITEMS  REVISION  DURABILITY  LIST")
            #expect(lines.last == "rw-r-----  61001  61050      0         0  durable     notes")
            try daemon.succeed("chown", "root:61051", "notes")
            #expect(try daemon.succeed("ls", "-l").contains("rw-r-----  root   61051"))
            let unknown = try daemon.companion("chown", "nobody-of-that-name", "notes")
            #expect(unknown.status == 2 && unknown.complaints.contains("there is no user"))
            let special = try daemon.companion("chmod", "4755", "notes")
            #expect(special.status == 2 && special.complaints.contains("has special bits, which a list does not have"))
        }

        @Test func `the groups of a peer count, also those beyond the usual few`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "staff", "--mode", "0640")
            try daemon.succeed("chown", ":61139", "staff")
            let member = Somebody(userID: bob.userID, groups: (61_100..<61_140).map { $0 })
            #expect(try daemon.companion(as: member, "ls").output.contains("staff"))
            #expect(try daemon.companion(as: bob, "ls").output == "")
        }

        /// Returns requests with every method that names a list or lists them.
        private func requests(about list: String) -> [String] {
            let operations = #""operations":[{"op":"appendItems","items":[{"id":"x"}]}]"#
            let parameters: [(Method, String)] = [
                (.snapshot, #","view":{"sort":["/n"]}"#), (.subscribe, #","view":{"sort":["/n"]}"#),
                (.snapshot, ""), (.snapshot, #","at":1"#), (.snapshot, #","at":7"#),
                (.transact, ",\(operations)"), (.transact, #",\#(operations),"dryRun":true"#),
                (.transact, #",\#(operations),"ifRevision":1"#), (.transact, #",\#(operations),"requestKey":"k""#),
                (.transact, #",\#(operations),"more":true"#), (.transact, #",\#(operations),"more":false"#),
                (.apply, #","snapshot":{"sections":[]}"#), (.apply, #","snapshot":[],"section":"s","dryRun":true"#),
                (.subscribe, ""), (.subscribe, #","once":true"#), (.subscribe, #","since":{"epoch":"e","revision":1}"#),
                (.subscribe, #","ifAbsent":"wait","bookmark":10"#), (.history, ""), (.difference, #","from":0,"to":1"#),
                (.undo, ""), (.undo, #","to":0,"dryRun":true"#), (.redo, ""), (.deleteList, ""), (.undeleteList, ""),
                (.undeleteList, #","as":"other""#), (.renameList, #","to":"other""#),
                (.mirror, #","of":"h:other""#), (.replicate, #","epoch":"e""#), (.checkpoint, ""),
                (.setAccess, #","mode":"0666""#),
                (.setSchemas, #","schemas":{"":false}"#), (.setSchemas, #","schemas":{},"existing":"keep""#),
                (.schemas, ""),
                (.perform, #","action":"a""#), (.perform, #","action":"a","items":["x"],"ifRevision":1"#),
                (.propose, ",\(operations)"), (.propose, #",\#(operations),"dryRun":true"#), (.expand, #","item":"x""#),
                (.handle, #","requests":["perform","propose","expand"]"#),
                (.setAccess, #","owner":61002"#), (.setAccess, #","group":61002"#),
            ]
            let named = Set(parameters.map(\.0) + [.createList])
            #expect(named == Set(Method.allCases.filter { $0.required.contains("list") }), "each method is asked")
            return parameters.enumerated().map { index, request in
                #"{"id":\#(index),"method":"\#(request.0.rawValue)","params":{"list":"\#(list)"\#(request.1)}}"#
            } + [
                "snapshot \(list)", "history \(list)", "lists", "status", "followLists",
                #"{"id":1,"method":"lists","params":{"deleted":true}}"#,
                // Undeleting under another name is possible only if there is a deleted list.
                #"{"id":1,"method":"undeleteList","params":{"list":"other","as":"\#(list)"}}"#,
                #"{"id":1,"method":"renameList","params":{"list":"other","to":"\#(list)"}}"#,
                #"{"method":"unsubscribe","params":{"subscription":1}}"#,
                #"{"method":"unsubscribe","params":{"subscription":2}}"#,
            ]
        }

        @Test(arguments: ["0600", "0660", "0000"])
        func `a list that one may not read answers as one that there is not, byte for byte`(mode: String) throws {
            // The errors are also equal when a view is computed in the background for an existing list.
            let daemon = try TestServer.forEverybody(turn: .none)
            let missing = try daemon.replies(to: bob, requests(about: "absent"))
            try daemon.succeed("create", "hidden", "--mode", mode)
            try daemon.succeed("section", "add", "hidden", "s")
            let waiting = try daemon.startClient(
                as: bob, sending: [#"{"id":1,"method":"subscribe","params":{"list":"hidden","ifAbsent":"wait"}}"#])
            _ = try eventually("reply") { waiting.outputLines.count == 1 ? true : nil }
            let hidden = try daemon.replies(to: bob, requests(about: "hidden"))
            func compared(_ lines: [String]) -> [String] {
                lines.filter { !$0.contains(#""method":"bookmark""#) }.map {
                    $0.replacing("hidden", with: "absent").replacing(#/"uptimeSeconds":\d+/#, with: "")
                        .replacing(#/"connections":\d+,"subscriptions":\d+/#, with: "")
                }
            }
            #expect(compared(missing).count == 49 && missing.contains { $0.contains("noSuchList") })
            #expect(compared(hidden) == compared(missing))
            // The list continues, and only permitted followers see its changes.
            try daemon.succeed("section", "add", "hidden", "more")
            try daemon.succeed("delete", "hidden")
            #expect(compared(try daemon.replies(to: bob, requests(about: "hidden"))) == compared(missing), "deleted")
            #expect(waiting.outputLines.count == 1)
        }

        @Test func `that a name is taken is the one thing that is seen, by who may create lists`() throws {
            let daemon = try Daemon.forEverybody(
                configured: #"access: [{prefix: "", create: {users: [61001]}}, {prefix: shared., create: everyone}]"#
            )
            try daemon.succeed("create", "occupied")
            try daemon.succeed("create", "shared.occupied")
            for name in ["gone", "former"] {
                #expect(try daemon.companion(as: bob, "create", "shared.\(name)").status == 0)
            }
            #expect(try daemon.companion(as: bob, "append", "shared.gone", "x").status == 0)
            #expect(try daemon.companion(as: bob, "delete", "shared.gone").status == 0)
            /// Returns requests that take the name in other ways than creating the list.
            func taking(_ list: String) throws -> [String] {
                let undelete = #"{"id":1,"method":"undeleteList","params":{"list":"shared.gone","as":"\#(list)"}}"#
                let rename = #"{"id":1,"method":"renameList","params":{"list":"shared.former","to":"\#(list)"}}"#
                return try daemon.replies(to: bob, [undelete, rename]).map { $0.replacing(list, with: "LIST") }
            }
            func creation(of list: String, by user: Somebody) throws -> String {
                let line = #"{"id":1,"method":"createList","params":{"list":"\#(list)","ifAbsent":true}}"#
                return try daemon.replies(to: user, [line]).joined().replacing(list, with: "LIST")
            }
            #expect(try creation(of: "free", by: alice).contains(#""result""#))
            #expect(try creation(of: "shared.free", by: bob).contains(#""result""#))
            let refusal = try creation(of: "none", by: bob)
            #expect(refusal.contains(#""name":"permissionDenied""#))
            #expect(try creation(of: "occupied", by: bob) == refusal, "who may not create learns nothing")
            #expect(try creation(of: "shared.occupied", by: bob) == refusal)
            #expect(try taking("none") == [refusal, refusal])
            #expect(try taking("occupied") == [refusal, refusal], "nor by bringing back and renaming")
            #expect(try taking("shared.occupied") == [refusal, refusal])
        }

        @Test func `who may write and not read puts things in, and learns nothing`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "box", "--mode", "0622")
            try daemon.succeed("section", "add", "box", "in")
            try daemon.succeed("append", "box", "letter", "text=private")
            func line(_ operation: String, _ more: String = "") -> String {
                #"{"id":1,"method":"transact","params":{"list":"box","operations":[\#(operation)]\#(more)}}"#
            }
            let replies = try daemon.replies(
                to: bob,
                [
                    line(#"{"op":"appendItems","items":[{"id":"mine"}]}"#),
                    line(#"{"op":"appendItems","items":[{"id":"letter"}]}"#),
                    line(#"{"op":"deleteItems","items":["no such thing"]}"#),
                    line(#"{"op":"patchItems","items":[{"id":"letter","content":{}}]}"#),
                    line(#"{"op":"deleteItems","items":["letter"]}"#, #","dryRun":true"#),
                    line(#"{"op":"deleteItems","items":["letter"]}"#, #","ifRevision":2"#),
                    #"{"id":1,"method":"apply","params":{"list":"box","section":"bob","snapshot":[{"id":"a"}]}}"#,
                    #"{"id":1,"method":"snapshot","params":{"list":"box"}}"#,
                ])
            let done = #"{"jsonrpc":"2.0","id":1,"result":{"list":"box"}}"#
            #expect(replies.count == 8)
            #expect([replies[0], replies[3], replies[6]] == [done, done, done])
            #expect(replies[1] == replies[2] && replies[1].contains("does not fit the contents of the list"))
            #expect(replies[4] == replies[5] && replies[4].contains("`dryRun` and `ifRevision` would reveal"))
            #expect(replies[7].contains(#""name":"noSuchList""#))
            #expect(!replies.joined().contains("private") && !replies.joined().contains("revision\":"))
            #expect(try daemon.succeed("show", "box").contains("mine"))
        }

        @Test func `a client that cannot read a mirror is not told its source`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "box", "--mode", "0626")
            let owner = try daemon.connect()
            let mirroring = #"{"id":1,"method":"mirror","params":{"list":"box","of":"secret-host:payroll"}}"#
            #expect(try owner.reply(to: mirroring).contains("result"))
            let change = #"{"op":"appendItems","items":[{"id":"a"}]}"#
            let requests = ["transact", "propose"].map {
                #"{"id":1,"method":"\#($0)","params":{"list":"box","operations":[\#(change)]}}"#
            }
            for reply in try daemon.replies(to: bob, requests) {
                #expect(reply.contains("it is a mirror of secret-host:payroll"), "\(reply)")
            }
            try daemon.succeed("chmod", "0622", "box")
            for reply in try daemon.replies(to: bob, requests) {
                #expect(reply.contains("it cannot be changed here"), "\(reply)")
                #expect(!reply.contains("mirror") && !reply.contains("payroll"), "\(reply)")
            }
        }

        @Test func `root may everything`() throws {
            let daemon = try Daemon.forEverybody()
            #expect(try daemon.companion(as: alice, "create", "notes", "--mode", "0000").status == 0)
            #expect(try daemon.companion(as: alice, "show", "notes").status == 6)
            try daemon.succeed("section", "add", "notes", "by-root")
            #expect(try daemon.succeed("show", "notes").contains("by-root"))
            // The owner can restore their own access by setting the mode.
            #expect(
                try daemon.companion(as: alice, "chmod", "u+r", "notes").complaints.contains(
                    "only its whole mode can be set"))
            #expect(try daemon.companion(as: alice, "chmod", "600", "notes").status == 0)
            #expect(try daemon.companion(as: alice, "show", "notes").output.contains("by-root"))
        }

        @Test func `owner, group and mode are there after a kill`() throws {
            let daemon = try Daemon.forEverybody()
            #expect(try daemon.companion(as: alice, "create", "notes").status == 0)
            #expect(try daemon.companion(as: alice, "create", "closed").status == 0)
            #expect(try daemon.companion(as: alice, "chmod", "a+r", "notes").status == 0)
            try daemon.succeed("chown", ":61050", "notes")
            let before = try daemon.succeed("ls", "-l")
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            #expect(try daemon.succeed("ls", "-l") == before)
            #expect(before.contains("rw-r--r--  61001  61050"))
            #expect(try daemon.companion(as: bob, "ls").output.contains("notes"))
            #expect(try !daemon.companion(as: bob, "ls").output.contains("closed"))
            daemon.program.end(with: SIGTERM)
            let check = try Program(
                Binaries.daemon, ["--check", "--state-directory", daemon.directory.file("state")], in: daemon.directory)
            #expect(try check.wait() == 0)
        }
    }
}
