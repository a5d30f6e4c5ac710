import Diffable
import DiffableJSON
import DiffableProtocol
import TestSupport
import Testing

struct ReplyTests {
    private let tasks = Reply.ListRevision(list: "tasks", epoch: "k3v9", revision: 2)

    @Test func `each reply is one line as the protocol's pages have it`() throws {
        let change = Reply.Change(
            list: "tasks", revision: 2, isChanged: true, operations: try operations(#"[{"op":"deleteAllItems"}]"#))
        let status = Reply.Status(
            version: "1.0", processID: 11, uptimeSeconds: 1, connections: 2, subscriptions: 3, lists: 4, items: 5,
            transactions: 6, groups: 7,
            traffic: .init(requests: 8, refusals: 9, deliveries: 10, bytesReceived: 12, bytesSent: 13),
            otherHosts: .init(
                sharedLists: 14, mirrors: 15, notLive: 16, isConnected: true, hosts: 17, waiting: 18, batches: 19),
            storage: .working)
        let client = Reply.Client(
            number: 1, name: "bar", processID: 2, userID: 3, connectedSeconds: 4, traffic: .init(requests: 5),
            pendingBytes: 6,
            subscriptions: [.init(subscription: 7, list: "tasks", behind: nil, deliveries: 8, bytesSent: 9)],
            handlers: [
                .init(
                    handler: 1, list: "tasks", requests: [.expand, .perform], actions: ["done"], pendingRequests: 2)
            ])
        let limits = [WireError.Limit("a", max: 7), WireError.Limit("b", max: 8)]
        let replies: [(Reply, String)] = [
            (.ping, "{}"),
            (.createList(tasks), #"{"list":"tasks","epoch":"k3v9","revision":2}"#),
            (.deleteList("tasks"), #"{"list":"tasks"}"#),
            (.staged("tasks"), #"{"list":"tasks","staged":true}"#),
            (
                .change(Reply.Change(list: "tasks", revision: 2, isChanged: false)),
                #"{"list":"tasks","revision":2,"changed":false}"#
            ),
            (.change(change), #"{"list":"tasks","revision":2,"changed":true,"operations":[{"op":"deleteAllItems"}]}"#),
            (
                .subscribe(.init(subscription: 1, list: "tasks", start: tasks)),
                #"{"subscription":1,"list":"tasks","epoch":"k3v9","revision":2}"#
            ),
            (
                .subscribe(.init(subscription: 1, list: "tasks", start: tasks, isResumed: true)),
                #"{"subscription":1,"list":"tasks","epoch":"k3v9","revision":2,"resumed":true}"#
            ),
            (
                .subscribe(.init(subscription: 1, list: "bar", start: nil, isResumed: false)),
                #"{"subscription":1,"list":"bar","resumed":false}"#
            ),
            (.setView(subscription: 1), #"{"subscription":1}"#),
            (.unsubscribe(subscription: 1), #"{"subscription":1}"#),
            (.lists([]), #"{"lists":[]}"#),
            (.handle(.init(handler: 1, list: "tasks")), #"{"handler":1,"list":"tasks"}"#),
            (.unhandle(handler: 1), #"{"handler":1}"#),
            (.answer(request: 7), #"{"request":7}"#),
            (
                .perform(.init(list: "tasks", revision: 13, result: Array(#"{"n":1}"#.utf8))),
                #"{"list":"tasks","revision":13,"result":{"n":1}}"#
            ),
            (.perform(.init(list: "tasks", revision: nil, result: nil)), #"{"list":"tasks","result":null}"#),
            (
                .expand(.init(list: "tasks", item: "milk", revision: 13)),
                #"{"list":"tasks","item":"milk","revision":13}"#
            ),
            (
                .hello(.init(version: "1", epoch: "e", limits: limits, capabilities: [], methods: ["ping"])),
                #"{"server":"diffabled","version":"1","epoch":"e","limits":{"a":7,"b":8},"capabilities":[],"#
                    + #""methods":["ping"]}"#
            ),
            (
                .status(status),
                #"{"version":"1.0","pid":11,"uptimeSeconds":1,"connections":2,"subscriptions":3,"lists":4,"#
                    + #""items":5,"transactions":6,"groups":7,"requests":8,"refusals":9,"deliveries":10,"#
                    + #""bytesReceived":12,"bytesSent":13,"sharedLists":14,"mirrors":15,"notLive":16,"connector":true,"#
                    + #""hosts":17,"waiting":18,"batches":19,"storage":"working"}"#
            ),
            (
                .clients([client]),
                #"{"clients":[{"client":1,"name":"bar","pid":2,"uid":3,"connectedSeconds":4,"requests":5,"#
                    + #""refusals":0,"deliveries":0,"bytesReceived":0,"bytesSent":0,"pendingBytes":6,"#
                    + #""subscriptions":[{"subscription":7,"list":"tasks","deliveries":8,"bytesSent":9}],"#
                    + #""handlers":[{"handler":1,"list":"tasks","requests":["perform","expand"],"actions":["done"],"#
                    + #""pendingRequests":2}]}]}"#
            ),
        ]
        for (reply, result) in replies {
            #expect(
                text { reply.write(id: .number(4), into: &$0) } == #"{"jsonrpc":"2.0","id":4,"result":\#(result)}"#
                    + "\n")
        }
    }

    @Test func `a client reads what the daemon writes`() throws {
        let hello = Reply.Hello(
            version: "1.0", epoch: "e", limits: [.init("lineLengthMax", max: 7)], capabilities: ["parts"],
            methods: ["hello", "ping"])
        #expect(try Reply.Hello(json: result(.hello(hello))) == hello)
        let lists = [
            Reply.ListSummary(
                list: "a\"", epoch: "e", revision: 1, numberOfSections: 2, numberOfItems: 3,
                access: .init(list: "a\"", owner: 1_000, group: 4_294_967_294, mode: .ownerOnly), durability: .volatile,
                handles: [.perform, .expand], actions: ["done", "undone"], may: [.see, .change]),
            Reply.ListSummary(
                list: "b", epoch: "e", revision: 1, numberOfSections: 2, numberOfItems: 3,
                access: .init(list: "b", owner: 0, group: 0, mode: .ownerOnly), durability: .durable),
        ]
        #expect(try Reply.ListSummary.all(json: result(.lists(lists))) == lists)
        let deleted = lists.enumerated().map { index, list in
            // A deleted list has no handler.
            var list = list
            list.actions = nil
            return Reply.DeletedList(
                summary: list, time: 1_795_299_539_671, name: index == 0 ? "bar" : nil, processID: index == 0 ? 1 : nil,
                userID: index == 0 ? nil : 2)
        }
        #expect(try Reply.DeletedList.all(json: result(.deletedLists(deleted))) == deleted)
        for isResumed in [nil, true, false] {
            for start in [tasks, nil] {
                let subscribe = Reply.Subscribe(subscription: 9, list: "tasks", start: start, isResumed: isResumed)
                #expect(try Reply.Subscribe(json: result(.subscribe(subscribe))) == subscribe)
            }
        }
        for file in [nil, "/etc/diffabled/diffabled.yaml"] {
            let reload = Reply.Reload(file: file, applied: ["itemsMax", "logLevel"], needRestart: ["socket"])
            #expect(try Reply.Reload(json: result(.reload(reload))) == reload)
        }
        let history = Reply.History(
            start: tasks, oldest: 1,
            revisions: [
                .init(
                    revision: 3, time: 1_795_000_000_000, numberOfOperations: 3, undoStep: UndoStep(from: 0, to: 1)),
                .init(
                    revision: 2, time: 1_795_000_000_000, numberOfOperations: 3, name: "bar", processID: 7, userID: 0,
                    undoStep: UndoStep(from: 1, to: 0)),
                .init(
                    revision: 1, time: 1_795_000_000_000, numberOfOperations: 3, name: "bar", processID: 7, userID: 0,
                    handler: .init(name: "keeper", processID: 8, userID: nil)),
            ],
            schemaChanges: [
                .init(revision: 2, time: 1_795_000_000_001, numberOfKinds: 3, name: "bar", processID: 7, userID: 0),
                .init(revision: 1, time: 1_795_000_000_000, numberOfKinds: 0),
            ])
        let schemas = Reply.Schemas(
            list: "tasks", json: Array(#"{"todo":{"newKeyword":1}}"#.utf8), others: .refuse, existing: .areKept)
        #expect(try Reply.Schemas(json: result(.schemas(schemas))) == schemas)
        #expect(try Reply.History(json: result(.history(history))) == history)
        let handle = Reply.Handle(handler: 3, list: "tasks")
        #expect(try Reply.Handle(json: result(.handle(handle))) == handle)
        for perform in [
            Reply.Perform(list: "tasks", revision: 13, result: Array(#"[1,"x"]"#.utf8)),
            Reply.Perform(list: "tasks", revision: nil, result: nil),
        ] {
            #expect(try Reply.Perform(json: result(.perform(perform))) == perform)
        }
        for revision in [nil, 13] {
            let expand = Reply.Expand(list: "tasks", item: "milk", revision: revision)
            #expect(try Reply.Expand(json: result(.expand(expand))) == expand)
        }
        let difference = Reply.Difference(
            list: "tasks", epoch: "k3v9", from: 1, to: 2, operations: [.deleteAllItems])
        let read = try Reply.Difference(json: result(.difference(difference)))
        #expect((read.list, read.epoch, read.from, read.to) == ("tasks", "k3v9", 1, 2))
        #expect(read.operations.count == 1)
    }

    /// This took 1.7 s in a release build when every name was compared with the reflected name of every case.
    @Test func `members that a newer daemon says are passed over in time`() throws {
        let unknown = String(repeating: #""new":0,"#, count: 100_000)
        let json = #"{\#(unknown)"list":"t","summary":{\#(unknown)"insertedItems":1},"revision":1,"changed":true}"#
        var change: Reply.Change?
        let time = try processorTime { change = try Reply.Change(json: Array(json.utf8)) }
        #expect(change?.summary?.insertedItems == 1)
        #expect(time < .seconds(5))
    }

    @Test func `each count of a summary has its own name`() throws {
        var summary = DifferenceSummary([], from: Snapshot(), to: Snapshot())
        (summary.insertedItems, summary.deletedItems, summary.movedItems) = (1, 2, 3)
        (summary.reconfiguredItems, summary.reloadedItems) = (4, 5)
        (summary.expandedItems, summary.collapsedItems) = (6, 7)
        (summary.insertedSections, summary.deletedSections, summary.movedSections) = (8, 9, 10)
        (summary.reloadedSections, summary.reconfiguredList) = (11, 12)
        let change = Reply.Change(list: "t", revision: 1, isChanged: true, summary: summary)
        let json = try result(.change(change))
        #expect(
            String(decoding: json, as: UTF8.self) == #"{"list":"t","revision":1,"changed":true,"#
                + #""summary":{"insertedItems":1,"deletedItems":2,"#
                + #""movedItems":3,"reconfiguredItems":4,"reloadedItems":5,"expandedItems":6,"collapsedItems":7,"#
                + #""insertedSections":8,"deletedSections":9,"movedSections":10,"reloadedSections":11,"#
                + #""reconfiguredList":12}}"#)
        #expect(try Reply.Change(json: json).summary == summary)
    }

    @Test func `a change tells its counts, but for the zeros`() throws {
        let old = try Snapshot(sections(#"{"sections":[{"id":"s","items":[{"id":"a"},{"id":"b"}]}]}"#))
        let new = try Snapshot(sections(#"{"sections":[{"id":"s","items":[{"id":"c"},{"id":"b"}]}]}"#))
        let summary = DifferenceSummary(new.difference(from: old), from: old, to: new)
        let change = Reply.Change(list: "t", revision: 1, isChanged: true, summary: summary)
        let json = try result(.change(change))
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"list":"t","revision":1,"changed":true,"summary":{"insertedItems":1,"deletedItems":1}}"#)
        #expect(try Reply.Change(json: json).summary == summary)
    }

    @Test func `help lists every method with its parameters`() throws {
        let json = String(decoding: try result(.help), as: UTF8.self)
        for method in Method.allCases { #expect(json.contains(#"{"method":"\#(method.rawValue)","params":["#)) }
        #expect(
            json.contains(#""params":["list","operations","ifRevision?","requestKey?","lease?","dryRun?","more?"]"#))
    }

    @Test(arguments: [0, 30, 200, Int.max]) func `a snapshot is one line, written in pieces`(limit: Int) throws {
        let json = #"{"sections":[{"id":"s","items":[{"id":"a","children":[{"id":"b"}]},{"id":"c"}]},{"id":"t"}]}"#
        let snapshot = try Snapshot(sections(json))
        var reply = SnapshotReplyWriter(id: .number(1), list: "t", epoch: "e", revision: 7, snapshot: snapshot)
        var line = ""
        var progress = Progress.more
        while case .more = progress { line += text { progress = reply.write(into: &$0, upTo: limit) } }
        #expect(
            line == #"{"jsonrpc":"2.0","id":1,"result":{"list":"t","epoch":"e","revision":7,"snapshot":\#(json)}}"#
                + "\n")
        guard case .result(_, let bytes) = try decodeMessage(line) else {
            Issue.record("no result")
            return
        }
        let result = try SnapshotResult(json: bytes)
        #expect(try Snapshot(result.list) == snapshot)
        #expect(String(decoding: result.bytes, as: UTF8.self) == json)
    }

    // MARK: - Errors

    @Test func `an error tells its code, its name and what it is about`() throws {
        let error = WireError(
            .noSuchItem, "tasks has no item \"milk\"", list: "tasks", operation: 0, item: "milk")
        let line = text { error.write(id: .string(Array("\"x\"".utf8)), into: &$0) }
        #expect(
            line
                == #"{"jsonrpc":"2.0","id":"x","error":{"code":4,"message":"tasks has no item \"milk\"","data":{"name":"noSuchItem","list":"tasks","operation":0,"item":"milk"}}}"#
                + "\n")
    }

    @Test func `every code is read back as it was written`() throws {
        for code in WireError.Code.allCases {
            let error = WireError(
                code, "m", list: "l", operation: 1, section: "s", item: "i", revision: 2, limit: .init("n", max: 3),
                offset: 4)
            guard case .failure(let id, let read) = try decodeMessage(text { error.write(id: .number(1), into: &$0) })
            else {
                Issue.record("no failure")
                continue
            }
            #expect(id == .number(1))
            #expect(read == error)
        }
    }

    @Test func `codes and names never change`() {
        #expect(
            WireError.Code.allCases.map { "\($0.rawValue) \($0.name)" } == [
                "-32700 parseError", "-32600 invalidRequest", "-32601 methodNotFound", "-32602 invalidParams",
                "1 noSuchList", "2 listExists", "3 noSuchSection", "4 noSuchItem", "5 duplicateSection",
                "6 duplicateItem", "7 invalidAnchor", "8 ownDescendant", "9 revisionMismatch", "10 requestKeyReused",
                "11 tooLarge", "12 permissionDenied", "13 noSpace", "14 storageFailed", "15 noSuchSubscription",
                "16 noSuchRevision", "17 shuttingDown", "18 storageUnreadable",
                "19 invalidConfiguration", "20 noHandler", "21 refused", "22 handlerTimedOut", "23 handlerLost",
                "24 handlerExists", "25 invalidContent", "26 noSuchRequest", "27 notKept", "28 mirrorExists",
                "29 unreachable", "30 outcomeUnknown", "31 notAttached", "32 attachExists", "33 notForShared",
            ])
    }

    private func result(_ reply: Reply) throws -> [UInt8] {
        guard case .result(_, let json) = try decodeMessage(text { reply.write(id: .number(1), into: &$0) }) else {
            Issue.record("no result")
            return []
        }
        return json
    }
}
