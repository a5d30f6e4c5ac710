import Foundation
import Testing

extension Integration {
    /// `status` for lists that involve other hosts.
    struct SharingStatusTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        private func status() throws -> String { try daemon.connect().reply(to: "status") }

        @Test func `shared lists, who waits for etcd, and what came of it`() throws {
            let attached = try daemon.connect()
            let engine = try ScriptedEngine(attached)
            #expect(try status().contains(#""sharedLists":0,"mirrors":0,"notLive":0,"connector":true,"waiting":0,"#))
            try engine.share("plans")
            try engine.share("tasks")
            _ = try engine.answer(to: #"{"id":9,"method":"hosts","params":{"hosts":["alpha","beta"]}}"#, id: 9)
            let writer = try daemon.connect()
            try writer.send(
                #"{"id":1,"method":"transact","params":{"list":"plans","operations":[{"op":"appendSections","#
                    + #""sections":[{"id":"s"}]}]}}"#)
            let append = try engine.call("append")
            let waiting =
                #""sharedLists":2,"mirrors":0,"notLive":0,"connector":true,"hosts":2,"waiting":1,"batches":0,"#
            let asked = try status()
            #expect(asked.contains(waiting), "\(asked)")
            try engine.settle(append, "done")
            #expect(try status().contains(#""waiting":0,"batches":1,"#))

            attached.close()
            let alone = #""sharedLists":2,"mirrors":0,"notLive":2,"connector":false,"waiting":0,"batches":1,"storage""#
            try eventually("a daemon without a connector") { try status().contains(alone) ? () : nil }
            let text = try daemon.succeed("status", "--prometheus")
            for sample in ["shared_lists 2", "lists_not_live 2", "connector_attached 0", "appended_batches_total 1"] {
                #expect(text.contains("\ndiffabled_\(sample)\n"), "\(sample) in \(text)")
            }
            #expect(!text.contains("diffabled_hosts "), "who is there, nobody says any more")
        }

        @Test func `mirrors, and that nobody keeps them`() throws {
            let mirroring = try daemon.connect()
            for request in [
                #"{"id":1,"method":"createList","params":{"list":"jobs"}}"#,
                #"{"id":2,"method":"mirror","params":{"list":"jobs","of":"build:jobs"}}"#,
                #"{"id":3,"method":"mirror","params":{"list":"jobs","live":true}}"#,
            ] {
                #expect(try mirroring.reply(to: request).contains(#""result""#))
            }
            let live = try status()
            #expect(live.contains(#""sharedLists":0,"mirrors":1,"notLive":0,"storage""#), "\(live)")
            mirroring.close()
            try eventually("a mirror that nobody keeps") {
                try status().contains(#""sharedLists":0,"mirrors":1,"notLive":1,"storage""#) ? () : nil
            }
        }

        @Test(.withSeveralUsers)
        func `others hear of lists that they see, and of no counts of everybody's`() throws {
            let engine = try ScriptedEngine(try daemon.connect())
            chmod(daemon.directory.path, 0o755)
            let before = try daemon.replies(to: .alice, ["status"]).joined()
            #expect(before.contains("uptimeSeconds") && !before.contains("sharedLists"), "\(before)")
            try engine.share("plans")
            let hidden = try daemon.replies(to: .alice, ["status"]).joined()
            #expect(!hidden.contains("sharedLists"), "\(hidden)")
            #expect(try status().contains(#""sharedLists":1,"#))
        }
    }
}
