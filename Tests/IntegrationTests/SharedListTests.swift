import Foundation
import TestSupport
import Testing

/// A replacement for diffabled-etcd and etcd: the test decides the results of calls.
final class ScriptedEngine {
    let client: RawClient
    private var requests = 100
    /// Lines that arrived while waiting for another one.
    private var heard: [String] = []

    init(_ client: RawClient, host: String = "alpha") throws {
        self.client = client
        _ = try client.reply(to: #"{"id":1,"method":"attach","params":{"host":"\#(host)"}}"#)
    }

    /// Returns the member of a line, which is a string or a number.
    static func member(_ name: String, of line: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let parts = (object?["params"] ?? object?["result"]) as? [String: Any]
        return try #require(parts?[name].map { "\($0)" }, "no \(name) in \(line)")
    }

    /// Returns the next line of the method.
    func call(_ method: String) throws -> String { try line(with: #""method":"\#(method)""#) }

    func line(with text: String) throws -> String {
        if let index = heard.firstIndex(where: { $0.contains(text) }) { return heard.remove(at: index) }
        let lines = try client.lines(until: text)
        heard += lines.dropLast()
        return try #require(lines.last)
    }

    func settle(_ call: String, _ outcome: String) throws {
        let number = try Self.member("call", of: call)
        requests += 1
        try client.send(
            #"{"id":\#(requests),"method":"settle","params":{"call":\#(number),"outcome":"\#(outcome)"}}"#)
        _ = try line(with: #""id":\#(requests),"#)
    }

    /// - Returns: the epoch.
    @discardableResult
    func share(_ list: String) throws -> String {
        try client.send(#"{"id":2,"method":"createList","params":{"list":"\#(list)","shared":true}}"#)
        let share = try call("share")
        let number = try Self.member("call", of: share)
        try client.send(#"{"id":3,"method":"settle","params":{"call":\#(number),"outcome":"done"}}"#)
        _ = try line(with: #""id":3,"#)
        epochs[list] = try Self.member("epoch", of: share)
        return epochs[list] ?? ""
    }

    private var epochs: [String: String] = [:]

    /// Sends a message with these members, and returns the reply.
    @discardableResult
    func tell(_ list: String, epoch: String? = nil, _ members: String) throws -> String {
        requests += 1
        let epoch = epoch ?? epochs[list] ?? ""
        try client.send(
            #"{"id":\#(requests),"method":"replicate","params":{"list":"\#(list)","epoch":"\#(epoch)",\#(members)}}"#)
        return try line(with: #""id":\#(requests),"#)
    }

    func answer(to request: String, id: Int) throws -> String {
        try client.send(request)
        return try line(with: #""id":\#(id),"#)
    }
}

extension Integration {
    /// Lists that several hosts share, with the test instead of diffabled-etcd.
    struct SharedListTests {
        private let section = #"{"op":"appendSections","sections":[{"id":"s"}]}"#

        private func transact(_ operations: String, id: Int = 7) -> String {
            #"{"id":\#(id),"method":"transact","params":{"list":"plans","operations":[\#(operations)],"requestKey":"k\#(id)"}}"#
        }

        private func quoted(_ text: String) throws -> String {
            String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        }

        @Test func `a change is the engine's before it is anybody's, and another host has it as it was made`() throws {
            let (here, there) = (try Daemon(), try Daemon())
            let engine = try ScriptedEngine(try here.connect())
            let epoch = try engine.share("plans")
            let writer = try here.connect()
            try writer.send(transact(section))
            let append = try engine.call("append")
            #expect(try ScriptedEngine.member("after", of: append) == "0")
            #expect(try ScriptedEngine.member("afterChain", of: append) == "")
            #expect(try here.connect().reply(to: "snapshot plans").contains(#""revision":0"#), "nobody sees it yet")
            try engine.settle(append, "done")
            #expect(try writer.line()?.contains(#""revision":1,"changed":true"#) == true)
            #expect(try here.succeed("ls", "--json").contains(#""shared":{"live":true}"#))

            let text = try quoted(ScriptedEngine.member("text", of: append))
            let other = try ScriptedEngine(try there.connect(), host: "beta")
            let reply = try other.tell("plans", epoch: epoch, #""batches":[\#(text),\#(text)],"live":true"#)
            #expect(try ScriptedEngine.member("batch", of: reply) == "1", "what comes twice is there once")
            #expect(try ScriptedEngine.member("chain", of: reply) == ScriptedEngine.member("chain", of: append))
            #expect(
                try there.connect().reply(to: "snapshot plans").contains(#""epoch":"\#(epoch)","revision":1"#))
            // The same request is answered there as it was here.
            #expect(try there.connect().reply(to: transact(section)).contains(#""revision":1,"changed":true"#))
        }

        @Test func `what lost against another host is made again of what that made`() throws {
            let (here, there) = (try Daemon(), try Daemon())
            let engine = try ScriptedEngine(try here.connect())
            let epoch = try engine.share("plans")
            let other = try ScriptedEngine(try there.connect(), host: "beta")
            try other.tell("plans", epoch: epoch, #""live":true"#)
            let (one, two) = (try here.connect(), try there.connect())
            try one.send(transact(section, id: 1))
            try two.send(transact(section, id: 2))
            let (lost, won) = (try engine.call("append"), try other.call("append"))
            try other.settle(won, "done")
            #expect(try two.line()?.contains(#""revision":1"#) == true)
            try engine.tell("plans", #""batches":[\#(try quoted(ScriptedEngine.member("text", of: won)))]"#)
            try engine.settle(lost, "lost")
            // A section of that name exists now; before the daemon answers, it confirms that with etcd.
            try engine.settle(try engine.call("confirm"), "done")
            #expect(try one.line()?.contains("duplicateSection") == true)
        }

        @Test func `while the engine is away reading goes on, and subscribers and writers hear of it`() throws {
            let daemon = try Daemon()
            let attached = try daemon.connect()
            let engine = try ScriptedEngine(attached)
            try engine.share("plans")
            let follower = try daemon.connect()
            try follower.send(#"{"id":1,"method":"subscribe","params":{"list":"plans"}}"#)
            _ = try follower.lines(until: #""live":true"#)
            let writer = try daemon.connect()
            try writer.send(transact(section))
            let append = try engine.call("append")
            attached.close()
            _ = try follower.lines(until: #""live":false,"time":"#)
            #expect(try daemon.connect().reply(to: "snapshot plans").contains(#""revision":0"#))
            #expect(try writer.line()?.contains(#""name":"outcomeUnknown""#) == true)
            // It was not in the log: the same text is sent again, and nothing else before that.
            let next = try ScriptedEngine(try daemon.connect())
            let epoch = try ScriptedEngine.member("epoch", of: append)
            try next.tell("plans", epoch: epoch, #""live":true"#)
            let again = try next.call("append")
            #expect(try ScriptedEngine.member("text", of: again) == ScriptedEngine.member("text", of: append))
            try next.settle(again, "done")
            _ = try follower.lines(until: #""revision":1"#)
            #expect(try daemon.connect().reply(to: transact(section)).contains(#""revision":1,"changed":true"#))
        }

        @Test func `a replica is there after a start, and goes on where it was`() throws {
            let daemon = try Daemon()
            let engine = try ScriptedEngine(try daemon.connect())
            try engine.share("plans")
            let writer = try daemon.connect()
            try writer.send(transact(section))
            let append = try engine.call("append")
            try engine.settle(append, "done")
            _ = try writer.line()
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            #expect(try daemon.succeed("ls", "--json").contains(#""shared":{"live":false}"#))
            #expect(try daemon.succeed("show", "plans").contains("s"))
            let attached = try daemon.connect().reply(to: #"{"id":1,"method":"attach","params":{"host":"alpha"}}"#)
            let chain = try ScriptedEngine.member("chain", of: append)
            #expect(attached.contains(#""revision":1,"batch":1,"chain":"\#(chain)""#), "\(attached)")
        }

        @Test func `a replica that is far behind takes a whole state, and its clients see changes`() throws {
            let (here, there) = (try Daemon(), try Daemon())
            let engine = try ScriptedEngine(try here.connect())
            let epoch = try engine.share("plans")
            let writer = try here.connect()
            var texts: [String] = []
            for (id, change) in [section, #"{"op":"appendItems","section":"s","items":[{"id":"x"}]}"#].enumerated() {
                try writer.send(transact(change, id: id))
                let append = try engine.call("append")
                texts.append(try quoted(ScriptedEngine.member("text", of: append)))
                try engine.settle(append, "done")
                _ = try writer.line()
            }
            try engine.client.send(#"{"id":50,"method":"checkpoint","params":{"list":"plans"}}"#)
            let checkpoint = try engine.line(with: #""id":50,"#)
            let other = try ScriptedEngine(try there.connect(), host: "beta")
            try other.tell("plans", epoch: epoch, #""live":true"#)
            let follower = try there.connect()
            try follower.send(#"{"id":1,"method":"subscribe","params":{"list":"plans"}}"#)
            _ = try follower.lines(until: #""live":true"#)
            let parts = try #require(checkpoint.firstMatch(of: /"parts":\["(.*)"\]/)?.output.1)
            let chain = try ScriptedEngine.member("chain", of: checkpoint)
            try other.tell("plans", epoch: epoch, #""state":"\#(parts)","batch":2,"chain":"\#(chain)""#)
            let changes = try follower.lines(until: #""method":"changes""#).last ?? ""
            #expect(changes.contains(#""from":0,"revision":2"#), "\(changes)")
            #expect(try there.connect().reply(to: transact(section, id: 0)).contains(#""revision":1,"changed":true"#))
            there.program.end(with: SIGKILL)
            try there.restart()
            #expect(try there.connect().reply(to: "snapshot plans").contains(#""revision":2"#))
            #expect(try there.succeed("show", "plans").contains("x"))
        }

        @Test func `who may what is in the log, by names, and holds on every host`() throws {
            let (here, there) = (try Daemon(), try Daemon())
            let engine = try ScriptedEngine(try here.connect())
            let epoch = try engine.share("plans")
            let owner = try here.connect()
            try owner.send(#"{"id":1,"method":"setAccess","params":{"list":"plans","mode":"0664","group":0}}"#)
            let append = try engine.call("append")
            let text = try ScriptedEngine.member("text", of: append)
            #expect(
                text.contains(#""access":{"group":"root","mode":"0664"}"#) && text.contains(#""version":2"#), "\(text)")
            #expect(try ScriptedEngine.member("revision", of: append) == "0", "it is no revision")
            try engine.settle(append, "done")
            #expect(try owner.line()?.contains(#""mode":"0664""#) == true)
            let other = try ScriptedEngine(try there.connect(), host: "beta")
            let names = try quoted(#"{"owner":"no such user","group":"daemon","mode":"0600"}"#)
            try other.tell("plans", epoch: epoch, #""access":\#(names),"batches":[\#(try quoted(text))],"live":true"#)
            let listed = try there.connect().reply(to: #"{"id":1,"method":"lists"}"#)
            #expect(listed.contains(#""owner":0,"group":0,"mode":"0664""#), "\(listed)")
            // An existing revision is confirmed, and not appended again.
            try owner.send(#"{"id":2,"method":"setAccess","params":{"list":"plans","mode":"0664"}}"#)
            try engine.settle(try engine.call("confirm"), "done")
            #expect(try owner.line()?.contains(#""mode":"0664""#) == true)
            try owner.send(#"{"id":3,"method":"setAccess","params":{"list":"plans","owner":4242424}}"#)
            try engine.settle(try engine.call("confirm"), "done")
            let refusal = try owner.line() ?? ""
            #expect(refusal.contains(#""name":"notForShared""#) && refusal.contains("4242424"), "\(refusal)")
        }

        @Test func `what a client leases goes with it in the log, and what a host held that is gone is ended once`()
            throws
        {
            let (here, there) = (try Daemon(), try Daemon())
            let engine = try ScriptedEngine(try here.connect())
            let epoch = try engine.share("plans")
            let leasing = try here.connect()
            try leasing.send(
                #"{"id":1,"method":"transact","params":{"list":"plans","operations":[\#(section)],"lease":"connection"}}"#
            )
            let leased = try engine.call("append")
            try engine.settle(leased, "done")
            _ = try leasing.line()
            let other = try ScriptedEngine(try there.connect(), host: "beta")
            let text = try quoted(ScriptedEngine.member("text", of: leased))
            try other.tell("plans", epoch: epoch, #""batches":[\#(text)],"live":true"#)
            #expect(
                try other.answer(to: #"{"id":60,"method":"hosts","params":{"hosts":["beta"]}}"#, id: 60).contains("1"))
            let foreign = try other.call("append")
            #expect(foreign.contains(#""absent":["alpha"]"#), "\(foreign)")
            try other.settle(foreign, "refused")
            leasing.close()
            let own = try engine.call("append")
            #expect(!own.contains("absent") && own.contains(#"endedLease"#), "\(own)")
            try engine.settle(own, "done")
            try other.tell(
                "plans", epoch: epoch, #""batches":[\#(try quoted(ScriptedEngine.member("text", of: own)))]"#)
            for daemon in [here, there] {
                // On another connection than the one that settled it, so their order is open.
                #expect(
                    try eventually {
                        try daemon.connect().reply(to: "snapshot plans").contains(#""snapshot":{"sections":[]}"#)
                    })
            }
        }

        @Test func `what shared lists have not is refused, and one that is gone can come back`() throws {
            let daemon = try Daemon()
            let engine = try ScriptedEngine(try daemon.connect())
            try engine.share("plans")
            let client = try daemon.connect()
            for (method, members) in [
                ("setSchemas", #","schemas":{}"#),
                ("renameList", #","to":"others""#),
                ("mirror", #","of":"h:l""#),
                ("deleteList", #","ifRevision":0"#),
            ] {
                let reply = try client.reply(
                    to: #"{"id":1,"method":"\#(method)","params":{"list":"plans"\#(members)}}"#)
                #expect(reply.contains(#""name":"notForShared""#), "\(reply)")
            }
            let second = try client.reply(to: #"{"id":1,"method":"attach","params":{"host":"alpha"}}"#)
            #expect(second.contains(#""name":"attachExists""#), "\(second)")
            let stranger = try client.reply(to: #"{"id":1,"method":"checkpoint","params":{"list":"plans"}}"#)
            #expect(stranger.contains(#""name":"notAttached""#), "\(stranger)")
            try client.send(#"{"id":2,"method":"deleteList","params":{"list":"plans"}}"#)
            try engine.settle(try engine.call("remove"), "done")
            #expect(try client.line()?.contains(#""result":{"list":"plans"}"#) == true)
            try daemon.succeed("undelete", "plans")
            #expect(try !daemon.succeed("ls", "--json").contains("shared"))
            try daemon.succeed("section", "add", "plans", "mine")
        }

        @Test func `a change of some megabytes is one batch, and another host has it as it was made`() throws {
            let (here, there) = (try Daemon(), try Daemon())
            let engine = try ScriptedEngine(try here.connect())
            let epoch = try engine.share("plans")
            let content = String(repeating: #"ä\""#, count: 300)
            let rows = (1...4_000).map { ##"{"id":"\##($0)","text":"\##(content)"}"## }
            let file = try here.directory.write(rows.joined(separator: "\n"), to: "rows.ndjson")
            let writer = try here.startCompanion(["apply", "plans", file])
            let append = try engine.call("append")
            let text = try ScriptedEngine.member("text", of: append)
            #expect(text.utf8.count > 3 << 20)
            try engine.settle(append, "done")
            #expect(try writer.wait() == 0, "\(writer.complaints)")
            let other = try ScriptedEngine(try there.connect(), host: "beta")
            let reply = try other.tell("plans", epoch: epoch, #""batches":[\#(try quoted(text))],"live":true"#)
            #expect(try ScriptedEngine.member("chain", of: reply) == ScriptedEngine.member("chain", of: append))
            #expect(try there.succeed("show", "plans", "-o", "jsonl") == here.succeed("show", "plans", "-o", "jsonl"))
        }

        @Test func `a host that has stopped its connector leaves lists, with or without their items`() throws {
            let daemon = try Daemon()
            let attached = try daemon.connect()
            let engine = try ScriptedEngine(attached)
            for list in ["plans", "notes"] {
                try engine.share(list)
                let writer = try daemon.connect()
                try writer.send(transact(section).replacing("plans", with: list))
                try engine.settle(try engine.call("append"), "done")
                _ = try writer.line()
            }
            let early = try daemon.companion("leave", "--all")
            let advice = "systemctl disable --now diffabled-etcd"
            #expect(early.status == 5 && early.complaints.contains(advice), "\(early)")
            let follower = try daemon.connect()
            try follower.send(#"{"id":1,"method":"subscribe","params":{"list":"plans"}}"#)
            attached.close()
            _ = try follower.lines(until: #""live":false"#)
            try daemon.succeed("leave", "plans")
            let heard = try follower.lines(until: #""method":"bookmark""#)
            #expect(heard.contains { $0.contains(#""method":"reset""#) } && heard.last?.contains("live") == false)
            try daemon.succeed("append", "plans", "x")
            #expect(try daemon.ids(of: "plans") == ["x"])
            #expect(try daemon.companion("leave", "plans").complaints.contains("is not shared"))
            try daemon.succeed("leave", "notes", "--drop")
            #expect(try daemon.companion("show", "notes").status == 6)
            try daemon.succeed("undelete", "notes")
            #expect(try !daemon.succeed("ls", "--json").contains("shared"))
        }
    }
}
