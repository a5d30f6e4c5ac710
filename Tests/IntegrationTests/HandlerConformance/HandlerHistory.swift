import Foundation
import TestSupport

/// A daemon, and a few connections that ask and answer at random, from a seed; their events are the `record`.
///
/// One thread sends and reads for all. There are two lists: all revisions of `steady` are read afterwards; `fragile` is deleted
/// and made again.
final class HandlerHistory {
    private(set) var record = HandlerRecord()
    /// The revisions of the list that stays.
    private(set) var past: [Int: HandlerAudit] = [:]
    static let requestsPerHandlerMax = 12
    static let requestsPerAskerMax = 16
    private static let leaves = (1...4).map { "leaf \($0)" }
    private static let actions = ["a", "b", "c"]
    private static let lists = ["steady", "steady", "steady", "fragile"]

    private let daemon: Daemon
    private let proxy: FaultyProxy?
    private var random: SplitMix64
    private var peers: [HandlerPeer] = []
    private var connectionsMade = 0
    private var idsMade = 0

    init(seed: UInt64, fault: HandlerFault? = nil) throws {
        random = SplitMix64(seed: seed)
        let daemon = try Daemon(
            configured: """
                requestsPerHandlerMax: \(Self.requestsPerHandlerMax)
                requestsPerAskerMax: \(Self.requestsPerAskerMax)

                """)
        self.daemon = daemon
        proxy = try fault.map { fault in
            try FaultyProxy(at: daemon.directory.file("faulty"), to: daemon.socket) { HandlerFaultLines(fault) }
        }
        let setter = try daemon.connect()
        for list in ["steady", "fragile"] {
            for line in Self.creation(of: list) {
                guard try setter.reply(to: line).contains("result") else { throw Failure("\(list) is not made") }
            }
        }
        for habit in Self.habits { peers.append(try peer(habit)) }
    }

    private static let habits = [
        HandlerPeer.Habit(name: "watching handler", subscription: "", handling: 70, isMute: false),
        HandlerPeer.Habit(name: "patient handler", subscription: #","minInterval":30"#, handling: 70, isMute: false),
        HandlerPeer.Habit(name: "blind handler", subscription: nil, handling: 70, isMute: false),
        HandlerPeer.Habit(name: "mute handler", subscription: "", handling: 50, isMute: true),
        HandlerPeer.Habit(name: "watching asker", subscription: "", handling: 5, isMute: false),
        HandlerPeer.Habit(name: "lazy asker", subscription: "", handling: 5, isMute: true),
        HandlerPeer.Habit(name: "asker", subscription: nil, handling: 0, isMute: false),
        HandlerPeer.Habit(name: "other asker", subscription: nil, handling: 0, isMute: false),
    ]

    private static func creation(of list: String, _ ids: (Int, Int) = (0, 0)) -> [String] {
        let items = (leaves + ["mark"]).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
        return [
            #"{"id":\#(ids.0),"method":"createList","params":{"list":"\#(list)","durability":"volatile"}}"#,
            #"{"id":\#(ids.1),"method":"transact","params":{"list":"\#(list)","operations":[{"op":"appendSections","#
                + #""sections":[{"id":"s","items":[\#(items)]}]}]}}"#,
        ]
    }

    // MARK: Chance

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private func chance(_ percent: Int) -> Bool { number(0...99) < percent }
    private func any<Element>(of elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    private func nextID() -> Int {
        idsMade += 1
        return idsMade
    }

    // MARK: The run

    /// Makes that many random steps, then answers everything and reads the history.
    func run(steps: Int) throws {
        for _ in 0..<steps {
            let position = number(0...peers.count - 1)
            try act(peers[position])
            if chance(50) { try readAll() }
            if chance(10) { usleep(UInt32(number(0...4_000))) }
            for (position, peer) in peers.enumerated() where peer.isEnded || peer.isFinished && chance(3) {
                // Finished clients are read to their end later.
                if !peer.isEnded { finished.append(peer) }
                peers[position] = try self.peer(peer.habit)
            }
        }
        try end()
        past = try HandlerAudit.past(of: "steady", through: daemon.connect())
    }

    private var finished: [HandlerPeer] = []

    private func readAll() throws {
        for peer in peers + finished { _ = try peer.read(&record) }
        finished.removeAll(where: \.isEnded)
    }

    /// Answers all open requests until no caller waits. An answer that is lost in a proxy never arrives: after a silence, the
    /// promises judge that.
    ///
    /// Requests of closed clients continue until the daemon has read their end, and then handlers are notified.
    private func end() throws {
        let witness = try daemon.connect()
        var lastLine = ContinuousClock.now
        while try (peers + finished).contains(where: \.isAwaited) || !areClosedEnded(as: witness) {
            for peer in peers + finished {
                peer.isMute = false
                if try peer.read(&record) > 0 { lastLine = .now }
                if !peer.isFinished { while let notice = peer.open.first { try answer(notice, by: peer) } }
            }
            guard ContinuousClock.now < lastLine + .seconds(proxy == nil ? 240 : 3) else {
                return try complain(about: peers + finished)
            }
            usleep(1_000)
        }
        // This is the last request of each connection.
        for peer in peers where !peer.isFinished { try send(.other, "ping", on: peer) }
        lastLine = .now
        while peers.contains(where: { !$0.isEnded && $0.unansweredCount > 0 }) {
            for peer in peers where try peer.read(&record) > 0 { lastLine = .now }
            guard ContinuousClock.now < lastLine + .seconds(proxy == nil ? 240 : 3) else { return }
            usleep(1_000)
        }
    }

    /// Whether the daemon has no connections but the ones that are open here.
    private func areClosedEnded(as witness: RawClient) throws -> Bool {
        let status = try ReadLine(witness.reply(to: #"{"id":1,"method":"status"}"#))
        guard let connections = status.result?.connections else { throw Failure("there is no status: \(status)") }
        return connections <= 1 + (peers + finished).count { !$0.isEnded }
    }

    /// Reports connections that do not end. Missing answers are reported by promises.
    private func complain(about peers: [HandlerPeer]) throws {
        if let peer = peers.first(where: { $0.isAwaited && $0.unansweredCount == 0 }), proxy == nil {
            throw Failure("\(peer.name) has sent its last, is answered, follows nothing, and is still connected")
        }
        if !peers.contains(where: \.isAwaited), proxy == nil {
            throw Failure("clients have closed connections that the daemon still has")
        }
    }

    private func peer(_ habit: HandlerPeer.Habit) throws -> HandlerPeer {
        connectionsMade += 1
        let peer = try HandlerPeer(connectionsMade, habit, at: proxy?.socket ?? daemon.socket)
        record.note(habit, of: peer.number)
        try send(.other, "hello", #""name":"\#(peer.name)""#, on: peer)
        if let members = habit.subscription {
            try send(.other, "subscribe", #""list":"steady"\#(members)"#, on: peer)
        }
        return peer
    }

    // MARK: Random steps

    private func act(_ peer: HandlerPeer) throws {
        if peer.isFinished { return }
        switch number(0...99) {
        case 0: return peer.close(&record)
        // With a proxy, both directions end together.
        case 1: return proxy == nil ? peer.finish(&record) : peer.close(&record)
        case 2 where peer.habit.isMute: return peer.isMute = true
        case 3...5 where peer.isMute: return peer.isMute = false
        case 6 where chance(15): return try recreate(by: peer)
        case 7...8: return try send(.other, "ping", on: peer)
        case 9: return try clearLeaves(by: peer)
        case 10...13: return try misanswer(by: peer)
        default: break
        }
        // A client that reads nothing sends nothing either, or both sides might wait forever.
        if peer.isMute { return }
        if chance(peer.habit.handling) { try handle(peer) } else { try ask(peer) }
    }

    private func handle(_ peer: HandlerPeer) throws {
        if peer.handlers.isEmpty || chance(4) { return try register(peer) }
        if chance(2) {
            let handler = any(of: peer.handlers)
            return try send(.unhandle(handler), "unhandle", #""handler":\#(handler)"#, on: peer)
        }
        // The other requests wait for a timeout or the handler's end.
        if let notice = peer.open.randomElement(using: &random), notice.request % 9 > 0 { try answer(notice, by: peer) }
    }

    private func register(_ peer: HandlerPeer) throws {
        let kinds = ["perform", "propose", "expand"].filter { _ in chance(65) }
        let actions = chance(40) ? [any(of: Self.actions), any(of: Self.actions)] : nil
        let registration = HandlerRecord.Registration(
            list: any(of: Self.lists), kinds: Set(kinds.isEmpty ? ["perform"] : kinds),
            actions: kinds.isEmpty || kinds.contains("perform") ? actions : nil, replaces: chance(7))
        var members = #""list":"\#(registration.list)","requests":\#(registration.kinds.sorted())"#
        if let actions = registration.actions { members += #","actions":\#(actions)"# }
        if registration.replaces { members += #","replace":true"# }
        try send(.handle(registration), "handle", members, on: peer)
    }

    private func ask(_ peer: HandlerPeer) throws {
        let id = nextID()
        let list = any(of: Self.lists)
        let subject: HandlerRecord.Subject =
            switch number(0...9) {
            case 0...3: .perform(action: any(of: Self.actions))
            case 4...7: .propose
            default: .expand(item: any(of: Self.leaves))
            }
        var hasRevision = false
        var members = #""list":"\#(list)""#
        switch subject {
        case .perform(let action):
            // Sometimes more than a socket takes at once.
            let padding = chance(4) ? #","padding":"\#(String(repeating: "x", count: number(1...60_000)))""# : ""
            members += #","action":"\#(action)","arguments":{"tag":\#(id)\#(padding)}"#
            if chance(40) { members += #","items":["mark"]"# }
        case .propose: members += #","operations":[\#(Self.marking(id))]"#
        case .expand(let item): members += #","item":"\#(item)""#
        }
        if subject.kind != "expand", chance(10) {
            hasRevision = true
            members += #","ifRevision":\#(number(1...40))"#
        }
        let milliseconds = chance(80) ? number(1...400) : 60_000
        members += #","timeout":\#(milliseconds)"#
        let ask = HandlerRecord.Ask(
            list: list, subject: subject, milliseconds: milliseconds, hasRevision: hasRevision)
        try peer.send([(id, .ask(ask), Self.line(id, subject.kind, members))], &record)
    }

    /// Returns a change that is visible whenever it is made, however often.
    private static func marking(_ tag: Int, members: String = "") -> String {
        #"{"op":"reconfigureItems","items":[{"id":"mark","content":{"tag":\#(tag)\#(members)}}]}"#
    }

    /// Usually makes the requested change and answers, in one write.
    private func answer(_ notice: HandlerRecord.Notice, by peer: HandlerPeer) throws {
        var requests: [(id: Int, HandlerRecord.Request, line: String)] = []
        func append(_ request: HandlerRecord.Request, _ method: String, _ members: String) {
            let id = nextID()
            requests.append((id, request, Self.line(id, method, members)))
        }
        let tag = notice.tag ?? 0
        if notice.kind != "propose", chance(70) {
            let operation =
                if let item = notice.item {
                    #"{"op":"appendItems","parent":"\#(item)","items":[{"id":"child \#(notice.request)"}]}"#
                } else {
                    #"{"op":"reconfigureItems","items":[{"id":"mark","content":{"tag":\#(-notice.request)}}]}"#
                }
            append(
                .work(list: notice.list, for: notice.request), "transact",
                #""list":"\#(notice.list)","operations":[\#(operation)]"#)
        }
        let request = #""request":\#(notice.request)"#
        for _ in 0..<(chance(5) ? 2 : 1) {
            switch number(0...9) {
            case 0...2:
                append(
                    .answer(request: notice.request, .refusal), "answer", #"\#(request),"refusal":"no, \#(tag)""#)
            case 3 where notice.kind == "propose", 4 where notice.kind == "propose":
                let operations = Self.marking(tag, members: #","instead":true"#)
                append(
                    .answer(request: notice.request, .instead), "answer", #"\#(request),"operations":[\#(operations)]"#)
            default:
                let result = notice.kind == "perform" ? #","result":{"tag":\#(tag)}"# : ""
                append(.answer(request: notice.request, .consent), "answer", request + result)
            }
        }
        try peer.send(requests, &record)
    }

    /// Answers a request that is another client's, finished, or nonexistent.
    private func misanswer(by peer: HandlerPeer) throws {
        if peer.isMute { return }
        let others = peers.filter { $0 !== peer }
        let over = peer.known.filter { request in !peer.open.contains { $0.request == request } }
        // A request that it may yet get would be its own to answer.
        let request = any(of: over + others.flatMap(\.known) + [number(1_000_000...2_000_000)])
        try send(
            .answer(request: request, .consent), "answer", #""request":\#(request),"result":{"tag":0}"#, on: peer)
    }

    private func recreate(by peer: HandlerPeer) throws {
        if peer.isMute { return }
        let ids = (nextID(), nextID(), nextID())
        let lines = Self.creation(of: "fragile", (ids.1, ids.2))
        try peer.send(
            [
                (ids.0, .deletion(list: "fragile"), Self.line(ids.0, "deleteList", #""list":"fragile""#)),
                (ids.1, .other, lines[0]), (ids.2, .other, lines[1]),
            ], &record)
    }

    /// Removes children, so that items can be expanded again.
    private func clearLeaves(by peer: HandlerPeer) throws {
        if peer.isMute { return }
        let operations = Self.leaves.map { #"{"op":"replaceChildren","parent":"\#($0)","items":[]}"# }
        try send(
            .other, "transact",
            #""list":"\#(any(of: Self.lists))","operations":[\#(operations.joined(separator: ","))]"#, on: peer)
    }

    private func send(
        _ request: HandlerRecord.Request, _ method: String, _ members: String = "", on peer: HandlerPeer
    ) throws {
        if peer.isMute { return }
        let id = nextID()
        try peer.send([(id, request, Self.line(id, method, members))], &record)
    }

    private static func line(_ id: Int, _ method: String, _ members: String) -> String {
        #"{"id":\#(id),"method":"\#(method)","params":{\#(members)}}"#
    }
}
