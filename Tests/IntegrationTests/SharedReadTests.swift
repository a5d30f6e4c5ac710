import Foundation
import TestSupport
import Testing

extension Integration {
    /// Reads of a shared list that ask for a newer state than this host has.
    struct SharedReadTests {
        private let section = #"{"op":"appendSections","sections":[{"id":"s"}]}"#
        private let epoch = "e1"

        /// Returns a batch of the log, which another daemon wrote.
        private func batch(on daemon: Daemon) throws -> String {
            let engine = try ScriptedEngine(try daemon.connect(), host: "beta")
            try engine.tell("plans", epoch: epoch, #""live":true"#)
            let writer = try daemon.connect()
            try writer.send(
                #"{"id":1,"method":"transact","params":{"list":"plans","operations":[\#(section)]}}"#)
            let append = try engine.call("append")
            try engine.settle(append, "done")
            _ = try writer.line()
            return String(
                decoding: try JSONEncoder().encode(ScriptedEngine.member("text", of: append)), as: UTF8.self)
        }

        @Test func `the newest is read when the engine says that it is, and what is behind waits with it`() throws {
            let daemon = try Daemon()
            let text = try batch(on: try Daemon())
            let engine = try ScriptedEngine(try daemon.connect())
            try engine.tell("plans", epoch: epoch, #""live":true"#)
            let reader = try daemon.connect()
            try reader.send(#"{"id":1,"method":"subscribe","params":{"list":"plans"}}"#)
            _ = try reader.lines(until: #""live":true"#)
            try reader.send(#"{"id":2,"method":"snapshot","params":{"list":"plans","mostRecent":true}}"#)
            try reader.send(#"{"id":3,"method":"ping"}"#)
            let confirm = try engine.call("confirm")
            // Another host was first, and its batch arrives before the call ends.
            try engine.tell("plans", epoch: epoch, #""batches":[\#(text)]"#)
            try engine.settle(confirm, "lost")
            // The connection's subscriptions continue during that.
            #expect(try reader.line()?.contains(#""method":"changes""#) == true)
            try engine.tell("plans", epoch: epoch, #""live":true"#)
            try engine.settle(try engine.call("confirm"), "done")
            let reply = try reader.line() ?? ""
            #expect(reply.contains(#""id":2"#) && reply.contains(#""revision":1"#), "\(reply)")
            #expect(try reader.line()?.contains(#""id":3"#) == true)
            // A read without requirements is answered from the local state, without etcd.
            #expect(try reader.reply(to: "snapshot plans").contains(#""revision":1"#))
        }

        @Test func `a revision is waited for, also while the engine is away, and one that nobody made is none`() throws
        {
            let daemon = try Daemon()
            let text = try batch(on: try Daemon())
            let engine = try ScriptedEngine(try daemon.connect())
            try engine.tell("plans", epoch: epoch, #""live":true"#)
            let reader = try daemon.connect()
            try reader.send(
                #"{"id":1,"method":"history","params":{"list":"plans","limit":0,"notOlderThan":1}}"#)
            try engine.settle(try engine.call("confirm"), "unreachable")
            try engine.tell("plans", epoch: epoch, #""live":false,"batches":[\#(text)]"#)
            let reply = try reader.line() ?? ""
            #expect(reply.contains(#""id":1"#) && reply.contains(#""revision":1"#), "\(reply)")
            try engine.tell("plans", epoch: epoch, #""live":true"#)
            try reader.send(#"{"id":2,"method":"snapshot","params":{"list":"plans","notOlderThan":2}}"#)
            try engine.settle(try engine.call("confirm"), "done")
            let refusal = try reader.line() ?? ""
            #expect(
                refusal.contains(#""name":"noSuchRevision","reason":"future","list":"plans","revision":1"#),
                "\(refusal)")
        }

        @Test func `who goes on at a host that is behind waits there, and is not shown anything older`() throws {
            let daemon = try Daemon()
            let text = try batch(on: try Daemon())
            let engine = try ScriptedEngine(try daemon.connect())
            try engine.tell("plans", epoch: epoch, #""live":true"#)
            let follower = try daemon.connect()
            try follower.send(
                #"{"id":1,"method":"subscribe","params":{"list":"plans","since":{"epoch":"\#(epoch)","revision":1}}}"#)
            _ = try engine.call("confirm")
            try engine.tell("plans", epoch: epoch, #""batches":[\#(text)],"live":true"#)
            let reply = try follower.line() ?? ""
            #expect(reply.contains(#""revision":1,"resumed":true"#), "\(reply)")
        }

        @Test func `an engine that cannot be asked is no answer`() throws {
            let daemon = try Daemon(configured: "engineWaitMax: 1\n")
            let engine = try ScriptedEngine(try daemon.connect())
            try engine.tell("plans", epoch: epoch, #""live":false"#)
            for option in ["--most-recent", "--not-older-than=3"] {
                let said = try daemon.companion("show", "plans", option)
                #expect(said.status != 0 && said.complaints.contains("did not confirm in time"), "\(said)")
            }
            let follower = try daemon.connect()
            try follower.send(
                #"{"id":1,"method":"subscribe","params":{"list":"plans","since":{"epoch":"\#(epoch)","revision":1}}}"#)
            #expect(try follower.line()?.contains(#""revision":0,"resumed":false"#) == true)
        }

        @Test func `a list of one host is the newest there is, and a mirror cannot know`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            #expect(try daemon.succeed("show", "tasks", "--most-recent").isEmpty)
            #expect(try daemon.succeed("show", "tasks", "--not-older-than", "0").isEmpty)
            let client = try daemon.connect()
            let reply = try client.reply(
                to: #"{"id":1,"method":"snapshot","params":{"list":"tasks","notOlderThan":1}}"#)
            #expect(reply.contains(#""name":"noSuchRevision""#), "\(reply)")
            _ = try client.reply(to: #"{"id":1,"method":"mirror","params":{"list":"tasks","of":"build:tasks"}}"#)
            let mirrored = try client.reply(
                to: #"{"id":1,"method":"snapshot","params":{"list":"tasks","mostRecent":true}}"#)
            #expect(mirrored.contains(#""name":"unreachable""#), "\(mirrored)")
            let both = try client.reply(
                to: #"{"id":1,"method":"snapshot","params":{"list":"tasks","mostRecent":true,"notOlderThan":1}}"#)
            #expect(both.contains("cannot be combined"), "\(both)")
        }
    }
}
