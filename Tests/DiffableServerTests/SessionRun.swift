import Diffable
import DiffableJSON
import DiffableProtocol
import NIOCore
import TestSupport

@testable import DiffableServer

/// A session among random events, without a socket or a clock: a client, a store that applies changes with delays, background
/// work for reads, subscriptions with pending lines, a socket with varying room, a user's quota, and a hub that serves
/// sometimes. Invariants are checked wherever they can be observed, and the final state in `finish`.
final class SessionRun {
    private enum Kind: CaseIterable {
        /// Answered at once.
        case ping
        /// Answered by the store, after the subscriptions got the change.
        case change
        /// Answered after all earlier requests.
        case read
        /// Like `read`, in several pages.
        case longRead
        /// Answered by another client, out of order.
        case ask
    }

    private struct Line {
        let number: Int
        let kind: Kind
    }

    private struct Feed {
        var sent = 0
        /// The rest of an unfinished line: the revision that it leads to, and the number of pages left.
        var rest: (revision: Int, pages: Int)?
    }

    private var random: SplitMix64
    /// Whether input and output arrive in large amounts.
    private let isHasty: Bool
    private var session = Session(number: 1)
    private var turns = TimeSliceScheduler()
    private var now = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private var numberOfLines = 0
    private var wire: [Line] = []
    private var kept: [Line] = []
    /// A line without its end.
    private var partial: Line?
    private var hasClosedItsSide = false
    private var isInputClosed = false
    private var isReadGranted = false

    // The executor of requests.
    private var received: [Line] = []
    private var changes: [(line: Line, place: Outbox.Reservation)] = []
    private var barriers: [Int: Int] = [:]
    private var asks: [Line] = []
    /// Requests to the client as a handler: updates that have to be sent first, and finished requests.
    private var requests: [Int: Int] = [:]
    private var dropped: Set<Int> = []
    private var unsentRequests: Set<Int> = []
    private var numberOfRequests = 0
    private var revision = 0
    private var preparedRead: Int?
    private var isReadAwaited = false
    private var feeds: [Feed]
    private var isQuotaUsedUp = false

    private var room = 0
    private var leftovers: [Int] = []
    private var written: [UInt8] = []

    // Positions in queues.
    private var queued: Session.Effects = []
    private var isQuiet = false
    private var hasDrained = false
    private var closes = 0

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        isHasty = Int.random(in: 0..<10, using: &random) == 0
        self.random = random
        feeds = []
        for _ in 0..<number(0..<4) { feeds.append(Feed()) }
    }

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    // MARK: Events

    func run(events: Int) throws {
        isQuotaUsedUp = chance(10)
        try carryOut(session.askToRead(externalState))
        for _ in 0..<events where session.isOpen {
            now = now + .microseconds(Int64(number(0..<400)))
            switch number(0..<22) {
            case 20: try finishAsk()
            case 21: try notify()
            case 0, 1, 2: send(lines: isHasty ? number(1..<20) : number(1..<4))
            case 3, 4, 5: try readFromSocket()
            case 6, 7: try finishChange()
            case 8: try findWhatReadNeeds()
            case 9, 10: try takeLeftover()
            case 11: room = number(0..<(isHasty ? 4_000 : 40))
            case 12, 13, 14: try endTurn()
            case 15: try lookAtSockets()
            case 16: try setQuota(isUsedUp: chance(50))
            case 17: try commit()
            case 18: if chance(15) { hasClosedItsSide = true }
            default:
                if chance(4) { try drain() }
                if chance(2) { try loseSocket() }
            }
        }
    }

    /// Does all remaining work, and checks the results.
    func finish() throws {
        for round in 0..<100_000 where session.isOpen {
            room = 1_000
            if try !makeProgress() { break }
            if round == 99_999 { throw SessionFailure("it never comes to rest") }
        }
        let answers = try checkWritten()
        guard session.hasSocket || hasDrained || !session.isOpen && kept.isEmpty && wire.isEmpty && !isReadAwaited
        else {
            throw SessionFailure("what came before the socket went is not carried out")
        }
        guard closes > 0 || session.isOpen else { return }
        let inOrder = received.filter { $0.kind != .ask }.map(\.number)
        guard answers == inOrder else {
            throw SessionFailure("\(received.count) requests have these answers: \(answers)")
        }
        guard !session.isOpen || unsentRequests.isSubset(of: dropped) else {
            throw SessionFailure("a handler is not asked what nothing holds back")
        }
        guard hasDrained || kept.isEmpty && wire.isEmpty else {
            throw SessionFailure("lines are left that may be read")
        }
        guard feeds.allSatisfy({ $0.sent == revision && $0.rest == nil }) else {
            throw SessionFailure("a subscription is behind, and nobody knows")
        }
        let isToClose = hasDrained || isInputClosed && feeds.isEmpty
        guard closes == (isToClose ? 1 : 0) else { throw SessionFailure("it closes \(closes) times") }
        guard isToClose || isInputClosed || isReadGranted else { throw SessionFailure("reading is never resumed") }
    }

    private func makeProgress() throws -> Bool {
        if !leftovers.isEmpty {
            try takeLeftover()
        } else if queued.contains(.serve) {
            try endTurn()
        } else if queued.contains(.postpone) {
            try lookAtSockets()
        } else if isQuotaUsedUp {
            try setQuota(isUsedUp: false)
        } else if !changes.isEmpty {
            try finishChange()
        } else if !asks.isEmpty {
            try finishAsk()
        } else if isReadAwaited, preparedRead == nil {
            try findWhatReadNeeds()
        } else if isReadGranted, !wire.isEmpty || hasClosedItsSide && !isInputClosed {
            try readFromSocket()
        } else if hasDrained, !isQuiet, session.isIdle {
            isQuiet = true
            try carryOut(session.markDue())
        } else {
            return false
        }
        return true
    }

    private func send(lines: Int) {
        if hasClosedItsSide { return }
        for _ in 0..<lines {
            numberOfLines += 1
            wire.append(Line(number: numberOfLines, kind: Kind.allCases[number(0..<Kind.allCases.count)]))
        }
    }

    /// Acts as `Connection.channelRead` and the channel after it.
    private func readFromSocket() throws {
        guard isReadGranted else { return }
        if wire.isEmpty {
            guard hasClosedItsSide, !isInputClosed else { return }
            isInputClosed = true
            isReadGranted = false
            if let line = partial { kept.append(line) }
            partial = nil
            session.endInput()
            session.beginReadingKeptLines()
            try carryOutActions()
            return try carryOut(session.markDue())
        }
        isReadGranted = false
        let count = number(1..<wire.count + 1)
        var lines = Array(wire[..<count])
        wire.removeFirst(count)
        if let line = partial { lines.insert(line, at: 0) }
        partial = chance(30) ? lines.removeLast() : nil
        if session.takesInput {
            turns.notePoll()
            kept += lines
            if session.mayReadMore(externalState) {
                session.beginReading(&turns, at: now)
                while !kept.isEmpty {
                    try receive(kept.removeFirst())
                    guard session.shouldReadNextLine(externalState, at: now) else { break }
                }
            }
            try carryOut(session.markDue())
        }
        if session.isOpen, !isInputClosed { try carryOut(session.askToRead(externalState)) }
    }

    private func endTurn() throws {
        guard queued.contains(.serve) else { return }
        queued.remove(.serve)
        let start = now
        session.beginServing()
        try carryOutActions()
        if session.isOver(externalState) { end() }
        turns.finish()
        // Writing and reading have time slices of 4 ms at most.
        guard now - start < .milliseconds(10) else { throw SessionFailure("the others never have their turn") }
    }

    private func lookAtSockets() throws {
        guard queued.contains(.postpone) else { return }
        queued.remove(.postpone)
        turns.notePoll()
        try carryOut(session.resume())
    }

    private func setQuota(isUsedUp: Bool) throws {
        isQuotaUsedUp = isUsedUp
        while !isQuotaUsedUp, queued.contains(.waitForQuota) {
            queued.remove(.waitForQuota)
            let hasReadLine = try session.beginQuotaTurn(externalState) && readKeptLine()
            try carryOut(session.endQuotaTurn(hasReadLine: hasReadLine, externalState))
        }
    }

    private func takeLeftover() throws {
        guard !leftovers.isEmpty else { return }
        let length = leftovers.removeFirst()
        try carryOut(session.finishLeftover(length: length))
        if closes > 0, leftovers.isEmpty { end() }
    }

    /// Commits a change of another client.
    private func commit() throws {
        if hasDrained { return }
        try advance()
    }

    /// Acts as `Audience.serve`.
    private func advance() throws {
        revision += 1
        for index in feeds.indices {
            if session.mayWriteLine, feeds[index].sent == revision - 1, chance(70) {
                feeds[index].sent = revision
                try write("s\(index):\(revision)\n")
            } else if session.mayWrite {
                try carryOut(session.markDue())
            }
        }
    }

    private func finishChange() throws {
        guard !changes.isEmpty else { return }
        let (line, place) = changes.remove(at: number(0..<changes.count))
        // Some commits change nothing.
        if chance(80) {
            try advance()
            barriers[line.number] = revision
        }
        let barrier = barriers[line.number].map { Outbox.Barrier(list: "l", epoch: "e", revision: $0) }
        session.outbox.fill(place, after: feeds.isEmpty ? nil : barrier) { $0.append(Array("a\(line.number)\n".utf8)) }
        try carryOut(session.markDue())
    }

    /// Acts as `ForwardedRequest.end`.
    private func finishAsk() throws {
        guard !asks.isEmpty else { return }
        let line = asks.remove(at: number(0..<asks.count))
        // Some handlers change the list before they answer.
        if chance(50) { try advance() }
        let text = Array("u\(line.number)\n".utf8)
        session.unordered.endAwaiting()
        if !feeds.isEmpty, chance(80) {
            barriers[line.number] = revision
            var writer = ByteWriter()
            writer.append(text)
            session.unordered.append(reply: writer, after: Outbox.Barrier(list: "l", epoch: "e", revision: revision))
        } else {
            session.outbox.appendUnordered { $0.append(text) }
        }
        try carryOut(session.markDue())
    }

    /// Acts as `Connection.queue`, or as the end of the last waiter.
    private func notify() throws {
        if chance(30), let request = unsentRequests.subtracting(dropped).randomElement(using: &random) {
            dropped.insert(request)
            if session.unordered.noteDropped() { session.unordered.removeDropped { dropped.contains($0) } }
            return
        }
        for _ in 0..<(isHasty ? number(1..<50) : 1) {
            numberOfRequests += 1
            unsentRequests.insert(numberOfRequests)
            let barrier = feeds.isEmpty ? nil : Outbox.Barrier(list: "l", epoch: "e", revision: revision)
            if barrier != nil { requests[numberOfRequests] = revision }
            session.unordered.append(request: numberOfRequests, after: barrier)
        }
        try carryOut(session.markDue())
    }

    /// Acts as `Connection.writeUnorderedLines`, with short pages.
    private func writeUnorderedLines() throws -> Bool {
        var text = ""
        var rest: [UnorderedLines.Waiting] = []
        for entry in session.unordered.take() {
            let isPassed = entry.barrier.map { barrier in
                feeds.allSatisfy { $0.sent >= barrier.revision && $0.rest == nil }
            }
            guard text.utf8.count < 20, isPassed ?? true else {
                rest.append(entry)
                continue
            }
            switch entry.pending {
            case .reply(let line): text += String(decoding: line.bytes, as: UTF8.self)
            case .request(let number):
                guard unsentRequests.remove(number) != nil else { throw SessionFailure("a request is sent twice") }
                if !dropped.contains(number) { text += "r\(number)\n" }
            }
        }
        session.unordered.putBack(rest)
        if text.isEmpty { return false }
        try write(text)
        return true
    }

    private func findWhatReadNeeds() throws {
        guard isReadAwaited, let line = received.last else { return }
        preparedRead = line.number
        try carryOut(session.markDue())
    }

    private func drain() throws {
        hasDrained = true
        try carryOut(session.drain())
    }

    /// Acts as `Connection.loseSocket` after the channel has delivered the socket's input.
    private func loseSocket() throws {
        guard session.hasSocket, closes == 0 else { return }
        if session.takesInput { kept += (partial.map { [$0] } ?? []) + wire }
        (partial, wire, feeds) = (nil, [], [])
        (hasClosedItsSide, isInputClosed, isReadGranted) = (true, true, false)
        while !leftovers.isEmpty { try carryOut(session.finishLeftover(length: leftovers.removeFirst())) }
        session.loseSocket()
        session.openLine = nil
        if session.isOver(externalState) { end() } else { try carryOut(session.markDue()) }
    }

    private func end() {
        session.end()
        queued = []
    }

    // MARK: Decisions of the session

    private var externalState: Session.ExternalState {
        Session.ExternalState(
            hasBytes: !kept.isEmpty || partial != nil, isQuotaUsedUp: isQuotaUsedUp,
            isChannelWritable: leftovers.count < 2, isNewerViewAwaited: isReadAwaited && kept.isEmpty)
    }

    private func carryOut(_ effects: Session.Effects) throws {
        if effects.isEmpty { return }
        guard session.isOpen else { throw SessionFailure("something is to be done after the end") }
        let places = effects.intersection([.serve, .postpone, .waitForQuota])
        guard queued.isDisjoint(with: places) else { throw SessionFailure("it stands in a queue twice") }
        queued.formUnion(places)
        if effects.contains(.read) {
            guard !isReadGranted else { throw SessionFailure("more is read than the channel asked for") }
            isReadGranted = true
        }
        if effects.contains(.close), session.hasSocket {
            closes += 1
            if leftovers.isEmpty { end() }
        }
    }

    /// Acts as `Connection`, with a delay for each action.
    private func carryOutActions() throws {
        var isSettling = false
        while true {
            now = now + .microseconds(100)
            let action = session.nextAction(externalState, &turns, at: now)
            if isSettling { try checkPostponement(action) }
            if case .noteKept = action { isSettling = true } else { isSettling = false }
            switch action {
            case .send(let lines):
                guard leftovers.isEmpty || externalState.isChannelWritable else {
                    throw SessionFailure("answers are given to a channel that is full")
                }
                try write(String(decoding: lines.bytes, as: UTF8.self), mayWait: true)
                session.outbox.reuse(lines)
            case .continueLine(let line): try write(line)
            case .checkBarrier(let barrier):
                session.reportBarrier(isPassed: feeds.allSatisfy { $0.sent >= barrier.revision && $0.rest == nil })
            case .prepare: try prepare()
            case .carryOut: try carryOutRead()
            case .offerUnordered: session.reportUnordered(hadLines: try writeUnorderedLines())
            case .offerSubscriptions: session.reportSubscriptions(hadLine: try writeLineOfFeed())
            case .readLine: try carryOut(session.reportLine(wasThere: readKeptLine()))
            // The kept bytes count towards the user's quota.
            case .noteKept: if chance(20) { try setQuota(isUsedUp: !isQuotaUsedUp) }
            case .checkSubscriptions:
                session.reportSubscriptionsFinished(feeds.isEmpty || session.isDraining && isQuiet && areFeedsUpToDate)
            case .arrange(let effects): try carryOut(effects)
            case .finish(let effects): return try carryOut(effects)
            }
        }
    }

    /// Checks that after writing and reading as much as possible, the session only continues later if lines are left.
    private func checkPostponement(_ action: Session.Action) throws {
        let effects: Session.Effects =
            switch action {
            case .arrange(let effects), .finish(let effects): effects
            default: []
            }
        guard !effects.contains(.postpone) || externalState.hasBytes else {
            throw SessionFailure("it is postponed for lines that are not there")
        }
    }

    private var areFeedsUpToDate: Bool { feeds.allSatisfy { $0.sent == revision && $0.rest == nil } }

    // MARK: Requests

    private func readKeptLine() throws -> Bool {
        if kept.isEmpty { return false }
        try receive(kept.removeFirst())
        return true
    }

    private func receive(_ line: Line) throws {
        guard !isQuotaUsedUp else { throw SessionFailure("a line is read that the user's quota has nothing for") }
        guard !hasDrained, session.isOpen else { throw SessionFailure("a line is read after the last") }
        guard !isReadAwaited else { throw SessionFailure("a line is read behind a read that waits for its turn") }
        guard session.outbox.waitingCount < Session.answersMax else { throw SessionFailure("too many answers wait") }
        received.append(line)
        switch line.kind {
        case .ping: session.outbox.append { $0.append(Array("a\(line.number)\n".utf8)) }
        case .change: changes.append((line, session.outbox.reserve()))
        case .ask:
            session.unordered.awaitReply()
            asks.append(line)
        case .read, .longRead:
            isReadAwaited = true
            if chance(50) { preparedRead = line.number }
            session.outbox.append(.lists(.init()), .null)
        }
        // The user may now exceed the quota.
        if chance(5) { isQuotaUsedUp = true }
    }

    private func prepare() throws {
        guard changes.isEmpty, let line = received.last else {
            throw SessionFailure("a read's turn has come before it is known what came of earlier changes")
        }
        if !session.hasSocket { preparedRead = line.number }
        session.reportRead(isPrepared: preparedRead == line.number)
    }

    private func carryOutRead() throws {
        guard isReadAwaited, let line = received.last, preparedRead == line.number else {
            throw SessionFailure("a read is carried out that is not prepared, or again")
        }
        isReadAwaited = false
        preparedRead = nil
        guard session.hasSocket else { return }
        guard line.kind == .longRead else { return try write("a\(line.number)\n") }
        var writer = ByteWriter()
        writer.append(
            Array("a\(line.number)<\(String(repeating: ".", count: number(1..<(isHasty ? 1_600 : 30))))>\n".utf8))
        session.openLine = .longAnswer(writer, written: 0)
    }

    // MARK: Output

    private func write(_ line: OpenLine) throws {
        switch line {
        case .longAnswer(let line, let start):
            let end = min(start + 8, line.count)
            if end < line.count { session.openLine = .longAnswer(line, written: end) }
            try write(line.withUnsafeBytes { String(decoding: $0[start..<end], as: UTF8.self) })
        case .notification(let index):
            guard try writePage(ofFeed: index) else { throw SessionFailure("a line that was begun has no end") }
        case .snapshot, .reply, .backup: throw SessionFailure("nobody asked for that")
        }
    }

    private func writeLineOfFeed() throws -> Bool {
        for index in feeds.indices where feeds[index].sent < revision {
            if let effects = session.takeRoomForPage(&turns, at: now) {
                try carryOut(effects)
                return false
            }
            if chance(20) {
                // The changes cancelled out, which counts as a written line.
                feeds[index].sent = revision
                written += Array("s\(index):\(revision)\n".utf8)
                continue
            }
            if chance(70) {
                feeds[index].sent = revision
                try write("s\(index):\(revision)\n")
            } else {
                feeds[index].rest = (revision, number(1..<4))
                session.openLine = .notification(index)
                try write("s\(index):\(revision)<")
            }
            return true
        }
        return false
    }

    private func writePage(ofFeed index: Int) throws -> Bool {
        guard let rest = feeds[index].rest else { return false }
        if rest.pages == 0 {
            feeds[index].rest = nil
            feeds[index].sent = rest.revision
            try write(">\n")
        } else {
            feeds[index].rest?.pages -= 1
            session.openLine = .notification(index)
            try write("...")
        }
        return true
    }

    /// Acts as `Connection+Sending`: the channel keeps bytes that the socket does not take.
    private func write(_ text: String, mayWait: Bool = false) throws {
        guard session.isOpen, closes == 0 else { throw SessionFailure("\(text) is written after the end") }
        if !session.hasSocket { return }
        guard mayWait || leftovers.isEmpty else { throw SessionFailure("\(text) is made for a socket that is full") }
        written += Array(text.utf8)
        let sent = leftovers.isEmpty ? min(room, text.utf8.count) : 0
        room -= sent
        if sent < text.utf8.count {
            leftovers.append(text.utf8.count - sent)
            session.leaveToChannel(length: text.utf8.count - sent)
        }
    }

    /// Returns the answered requests, in the order of the answers.
    private func checkWritten() throws -> [Int] {
        var (answers, sent): ([Int], [Int: Int]) = ([], [:])
        var unordered: Set<Int> = []
        for line in written.split(separator: UInt8(ascii: "\n")) {
            var text = line[...]
            if let start = line.firstIndex(of: UInt8(ascii: "<")) {
                let rest = line[start...].dropFirst()
                let isWhole = rest.last == UInt8(ascii: ">") && rest.dropLast().allSatisfy { $0 == UInt8(ascii: ".") }
                // The connection may have ended since.
                guard isWhole || !session.isOpen && closes == 0 else {
                    throw SessionFailure("a line is torn: \(String(decoding: line, as: UTF8.self))")
                }
                text = line[..<start]
            }
            let numbers = text.dropFirst().split(separator: UInt8(ascii: ":")).map {
                Int(String(decoding: $0, as: UTF8.self)) ?? -1
            }
            switch (text.first, numbers.count) {
            case (UInt8(ascii: "a")?, 1):
                answers.append(numbers[0])
                guard let barrier = barriers[numbers[0]] else { continue }
                guard feeds.indices.allSatisfy({ (sent[$0] ?? 0) >= barrier }) else {
                    throw SessionFailure("answer \(numbers[0]) comes before what it says was changed")
                }
            case (UInt8(ascii: "s")?, 2): sent[numbers[0]] = numbers[1]
            case (UInt8(ascii: "u")?, 1):
                guard unordered.insert(numbers[0]).inserted else { throw SessionFailure("an ask is answered twice") }
                guard feeds.indices.allSatisfy({ (sent[$0] ?? 0) >= barriers[numbers[0]] ?? 0 }) else {
                    throw SessionFailure("answer \(numbers[0]) comes before what it says was changed")
                }
            case (UInt8(ascii: "r")?, 1):
                guard feeds.indices.allSatisfy({ (sent[$0] ?? 0) >= requests[numbers[0]] ?? 0 }) else {
                    throw SessionFailure("request \(numbers[0]) comes before the state that it is about")
                }
            default: throw SessionFailure("lines stand in each other: \(String(decoding: line, as: UTF8.self))")
            }
        }
        let asked = Set(received.filter { $0.kind == .ask }.map(\.number))
        guard unordered == asked || !session.isOpen && closes == 0 else {
            throw SessionFailure("of the asks \(asked) these are answered: \(unordered)")
        }
        return answers
    }
}

struct SessionFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
