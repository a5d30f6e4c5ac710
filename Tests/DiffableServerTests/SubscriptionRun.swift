import Diffable
import DiffableProtocol
import NIOCore
import TestSupport

@testable import DiffableServer

/// A subscription among random events, without a list, socket or clock: a list that is created, changed, deleted and replaced,
/// rights, views, slow diffs, a full socket, and time. Each line and decision is checked against the run's own knowledge
/// (`SubscriptionRun+Laws.swift`), and the final state in `finish`.
final class SubscriptionRun {
    /// One incarnation of the list.
    final class Life {
        var revision = 1
        /// The shown content, which may return to an earlier value, and the number of changes.
        var content = 0
        var stamp = 1
        var condition = SubscriptionMachine.ListCondition.current
        /// The shown content at each revision.
        var contents = [0: 0, 1: 0]
    }

    struct RenderedView: Equatable {
        var view: Int
        var stamp: Int
    }

    struct DeliveredState {
        var shown: RenderedView
        var content: Int
        var revision: Int
    }

    private var random: SplitMix64
    private(set) var machine: SubscriptionMachine
    let request: Request.Subscribe
    private(set) var now = NIODeadline.uptimeNanoseconds(1_000_000_000)

    // The list, and the subscription's knowledge of it.
    private var life: Life?
    private var mayRead = true
    private(set) var followed: Life?
    private var prepared: (life: Life, view: Int)?
    private var isRegistered = false
    private var view = 0
    private(set) var sent: DeliveredState?
    private(set) var search: (target: DeliveredState, isFound: Bool)?
    private(set) var group: (target: DeliveredState, linesLeft: Int, rest: SubscriptionMachine.Remainder)?
    /// Whether another view was shown since the last update.
    private(set) var isOwedGroup = false
    /// Whether there were changes too early for an update.
    var isHeldBack = false

    private var hasRoom = true
    private var isDue = false
    private(set) var isStopping = false

    // The client's copy.
    private var mirror: (life: Life, revision: Int)?
    private(set) var knowsOfList = false
    private(set) var hasEverKnown = false
    private var hasEnded = false
    /// The time of the last line, or of the first serving.
    private(set) var lastLine: NIODeadline?
    private(set) var lastGroupEnd: NIODeadline?
    private(set) var lines = 0

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        let isThere = chance(60)
        request = Request.Subscribe(
            list: "l", minInterval: chance(40) ? chance(50) ? 50 : 200 : nil,
            bookmark: chance(40) ? chance(50) ? 30 : 80 : nil,
            ifAbsent: !isThere || chance(60) ? .isAwaited : .isError, duration: chance(20) ? .once : .lasting)
        machine = SubscriptionMachine(request, isListThere: isThere, resetReason: .initial)
        self.random = random
        (knowsOfList, hasEverKnown) = (isThere, isThere)
        if isThere {
            life = Life()
            followed = life
        }
    }

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    // MARK: Events

    func run(events: Int) throws {
        if followed == nil { try awaitList() }
        connectionMarkDue()
        for _ in 0..<events {
            switch number(0..<25) {
            case 0..<7: try change()
            case 7: if life == nil { try create() }
            case 8: if chance(40) { try delete(.deleted) }
            case 9: if chance(40) { try delete(.replaced) }
            case 10, 11: if let prepared { try begin(prepared.life) }
            case 12: try reportFound()
            case 13: setRoom(chance(70))
            case 14..<18: try serve()
            case 18, 19: pass(.milliseconds(Int64(number(0..<60))))
            case 20: try show()
            case 21: if chance(20) { try setRight(false) }
            case 22: try setRight(true)
            case 23: try forget()
            default:
                if chance(3) { try end() }
                if chance(3) { isStopping = true }
            }
            try checkSteady()
        }
    }

    /// Runs until nothing is left to do, and checks the result.
    func finish() throws {
        for _ in 0..<200 {
            if !hasRoom { setRoom(true) }
            if let prepared { try begin(prepared.life) }
            try reportFound()
            try serve()
            guard let alarm = machine.alarm, !isDue, hasRoom else { continue }
            pass(alarm > now ? alarm - now : .zero)
        }
        if machine.state == .ended {
            guard followed == nil, !isRegistered else {
                throw SubscriptionFailure("something is kept for one that has ended")
            }
            try checkEnd()
            guard machine.nextBookmark(at: now + .seconds(1)) == .nothing else {
                throw SubscriptionFailure("one that has ended gets a bookmark")
            }
            return
        }
        guard let life, mayRead else {
            guard machine.state == .waiting, isRegistered, !knowsOfList else {
                throw SubscriptionFailure(
                    "it is \(machine.state), waits for a list: \(isRegistered), knows of one: \(knowsOfList)")
            }
            return
        }
        guard machine.state == .following, followed === life, let sent, let mirror, mirror.life === life else {
            throw SubscriptionFailure("there is a list, and it is \(machine.state)")
        }
        guard sent.shown.view == view, sent.content == life.content, machine.rest == .nothing, !isOwedGroup else {
            throw SubscriptionFailure("it is behind for ever")
        }
    }

    private func change() throws {
        guard let life else { return }
        let before = target(life)
        life.revision += 1
        if chance(70) {
            life.content = number(0..<3)
            life.stamp += 1
        }
        life.contents[life.revision] = life.content
        guard followed === life else { return }
        // The audience does the same.
        if let sent, sent.shown == before.shown, sent.revision == before.revision, machine.isSteady, hasRoom,
            life.content != before.content
        {
            try tell(group: sent, to: target(life), rest: .nothing)
            self.sent = target(life)
        } else {
            try markDue()
        }
    }

    private func create() throws {
        life = Life()
        try endWaiting()
    }

    private func delete(_ condition: SubscriptionMachine.ListCondition) throws {
        guard let old = life else { return }
        old.condition = condition
        life = condition == .replaced ? Life() : nil
        guard followed === old else { return }
        try markDue()
        guard isDue || !hasRoom else { throw SubscriptionFailure("the end of a list waits for the next group") }
    }

    private func setRight(_ right: Bool) throws {
        mayRead = right
        guard !right else { return try endWaiting() }
        guard followed != nil, followed?.condition == .current else { return }
        if machine.revoke() {
            guard group?.rest != .pages else { throw SubscriptionFailure("a line is torn when the right is lost") }
            group = nil
            leave()
        } else if let group, group.rest == .lines, machine.state == .revoked {
            throw SubscriptionFailure("lines are left to be told of a list that may not be read")
        }
        try checkSearch()
        connectionMarkDue()
    }

    private func endWaiting() throws {
        guard isRegistered, let life, mayRead else { return }
        isRegistered = false
        try follow(life)
    }

    private func awaitList() throws {
        if let life, mayRead { try follow(life) } else { isRegistered = true }
    }

    private func follow(_ life: Life) throws {
        machine.beginPreparing()
        prepared = (life, view)
        if chance(50) { try begin(life) }
    }

    private func begin(_ life: Life) throws {
        guard prepared?.view == view else { throw SubscriptionFailure("what was prepared is not what is shown") }
        prepared = nil
        guard life.condition == .current, life === self.life, mayRead else {
            machine.beginWaiting()
            try awaitList()
            return try markDue()
        }
        followed = life
        machine.beginFollowing()
        try markDue()
    }

    private func reportFound() throws {
        // Work that is no longer needed may also finish.
        guard search?.isFound == false || search == nil && chance(20) else { return }
        search?.isFound = true
        machine.reportFound()
        try checkSearch()
        try markDue()
    }

    private func setRoom(_ room: Bool) {
        hasRoom = room
        if room { connectionMarkDue() }
    }

    private func pass(_ time: TimeAmount) {
        now = now + time
        guard let alarm = machine.alarm, alarm <= now else { return }
        machine.wake()
        isHeldBack = false
        if hasRoom { connectionMarkDue() }
    }

    private func show() throws {
        // The request waits until no line is open.
        if machine.rest == .pages || machine.state == .ended { return }
        let new = number(0..<3)
        let isSame = new == view
        let isShown = machine.state == .following && followed?.condition == .current
        let change = machine.show(isSameView: isSame, of: followed?.condition)
        // A view for the next list counts when that list is followed.
        view = new
        switch change {
        case .nothing: break
        case .prepareAnew: if let life = prepared?.life { try follow(life) }
        case .changeAudience:
            guard isShown, !isSame else { throw SubscriptionFailure("an audience is left for no other") }
            search = nil
        }
        if isShown { isOwedGroup = true }
        try checkSearch()
        connectionMarkDue()
    }

    /// Drops the sent state, because the user has no room for it.
    private func forget() throws {
        guard machine.state == .following, sent != nil else { return }
        guard machine.forget() == (group == nil) else {
            throw SubscriptionFailure("it forgets in the middle of an update, or not between two")
        }
        if group != nil { return }
        guard machine.resetReason == .history else { throw SubscriptionFailure("the reset has another reason") }
        (sent, search, isOwedGroup) = (nil, nil, true)
        try checkSearch()
        try markDue()
    }

    // MARK: As the subscription does

    private func connectionMarkDue() { isDue = true }

    private func markDue() throws {
        try checkMinds()
        if machine.needsServing(for: followed?.condition), hasRoom { connectionMarkDue() }
    }

    private func target(_ life: Life) -> DeliveredState {
        DeliveredState(
            shown: RenderedView(view: view, stamp: life.stamp), content: life.content, revision: life.revision)
    }

    private func leave() {
        (search, prepared, followed) = (nil, nil, nil)
        isOwedGroup = false
    }

    private func end() throws {
        group = nil
        guard machine.end() else { return }
        isRegistered = false
        leave()
        try checkEnd()
        guard !machine.end() else { throw SubscriptionFailure("it ends twice") }
    }

    private func serve() throws {
        guard isDue, hasRoom else { return }
        isDue = false
        for _ in 0..<100 {
            guard hasRoom, machine.state != .ended else { return }
            let before = lines
            try writeNext()
            if lines == before { return }
            // The socket takes a limited amount.
            if chance(10) { hasRoom = false }
        }
        throw SubscriptionFailure("it always has something to say")
    }

    private func writeNext() throws {
        let minds = machine.updateTimer != nil
        if minds { machine.beginWriting(at: now) }
        lastLine = lastLine ?? now
        let before = lines
        try next()
        if lines > before {
            if minds { machine.noteLine(at: now) }
        } else if minds {
            let isDue = isBookmarkDue
            if case .writeBookmark(let isUpToDate) = machine.nextBookmark(at: now) {
                guard isDue else { throw SubscriptionFailure("a bookmark comes too early") }
                guard isUpToDate == (!isHeldBack && search == nil) else {
                    throw SubscriptionFailure("a bookmark says \(isUpToDate ? "more" : "less") than was sent")
                }
                if isUpToDate, let followed { sent?.revision = followed.revision }
                try tellBookmark()
            } else {
                guard !isDue else { throw SubscriptionFailure("a bookmark does not come") }
                try checkAlarm()
            }
        }
    }

    private func next() throws {
        while true {
            switch machine.nextAction(followed?.condition) {
            case .nothing, .writeBookmark: return
            case .continueGroup: return try continueGroup()
            case .compare: return try nextGroup()
            case .tellOfLostRight:
                try tellLast(isOfDeletion: false)
                return try end()
            case .tellOfDeletion:
                try tellLast(isOfDeletion: true)
                return try end()
            case .tellOfDeletionAndAwaitList:
                try tellDeletion()
                return try awaitNext()
            case .awaitList:
                // A follower does not see this change if the next state is the same.
                if followed?.condition == .deleted, knowsOfList { throw SubscriptionFailure("a deletion is not told") }
                try awaitNext()
            }
        }
    }

    private func awaitNext() throws {
        leave()
        sent = nil
        try awaitList()
        try checkSearch()
    }

    private func nextGroup() throws {
        guard let life = followed else { throw SubscriptionFailure("nothing is followed") }
        let goal = target(life)
        let isSame = sent?.shown == goal.shown
        let decision = machine.decide(
            isSame: isSame, at: machine.updateTimer == nil ? nil : now, isStopping: isStopping)
        try check(decision, isSame: isSame)
        guard case .write(let mayBeNothing) = decision else { return }
        if mayBeNothing, let sent, search.map({ $0.target.content == sent.content }) ?? (sent.content == goal.content) {
            if let found = search {
                search = nil
                machine.endSearch()
                self.sent?.shown = found.target.shown
            }
            if sent.content == goal.content {
                self.sent?.shown = goal.shown
                return
            }
        }
        var leadsTo = goal
        if let found = search {
            leadsTo = found.target
            search = nil
        } else if sent != nil, chance(30) {
            machine.beginSearch()
            search = (goal, false)
            return
        }
        let lines = chance(60) ? 0 : number(1..<4)
        let rest: SubscriptionMachine.Remainder = lines == 0 ? .nothing : chance(50) ? .lines : .pages
        machine.reportBegun(rest, at: machine.updateTimer == nil ? nil : now)
        try checkSearch()
        try tell(group: sent, to: leadsTo, rest: rest)
        isOwedGroup = false
        if lines > 0 { group = (leadsTo, lines, rest) }
        try checkOnce()
        if lines == 0 { try finish(leadsTo) } else if chance(30) { hasRoom = false }
    }

    private func continueGroup() throws {
        guard var rest = group else { throw SubscriptionFailure("a group goes on that was not begun") }
        if !mayRead, machine.state == .revoked, rest.rest == .lines {
            throw SubscriptionFailure("a line is begun of a list that may not be read")
        }
        rest.linesLeft -= 1
        group = nil
        try noteLine()
        group = rest.linesLeft > 0 ? rest : nil
        machine.reportContinued(group == nil ? .nothing : rest.rest, at: machine.updateTimer == nil ? nil : now)
        try checkOnce()
        if group == nil { try finish(rest.target) }
    }

    private func finish(_ target: DeliveredState) throws {
        group = nil
        sent = target
        lastGroupEnd = now
        if let followed { mirror = (followed, target.revision) }
        if machine.isFinishedByGroup {
            hasEnded = true
            try end()
        }
    }

    // MARK: The client's lines

    private func noteLine() throws {
        guard !hasEnded else { throw SubscriptionFailure("a line comes after the end") }
        guard hasRoom else { throw SubscriptionFailure("a line is made for a socket that is full") }
        guard group?.rest != .pages else { throw SubscriptionFailure("a line is torn by another") }
        lines += 1
        lastLine = now
    }

    private func tell(
        group from: DeliveredState?, to target: DeliveredState, rest: SubscriptionMachine.Remainder
    ) throws {
        guard let followed else { throw SubscriptionFailure("a list is told of that is not followed") }
        guard machine.state == .following else { throw SubscriptionFailure("\(machine.state) is told of the list") }
        try noteLine()
        if let from {
            guard let mirror, mirror.life === followed, mirror.revision == from.revision else {
                throw SubscriptionFailure("a change leads on from what the client has not")
            }
            guard isOwedGroup || from.content != target.content else {
                throw SubscriptionFailure("a group comes that changes nothing, and nobody asked for it")
            }
        } else {
            try checkReset(isOtherLife: mirror.map { $0.life !== followed } ?? false)
        }
        (knowsOfList, hasEverKnown) = (true, true)
        if rest == .nothing {
            mirror = (followed, target.revision)
            lastGroupEnd = now
        }
    }

    private func tellDeletion() throws {
        guard knowsOfList else { throw SubscriptionFailure("a list has gone that the client never heard of") }
        guard request.ifAbsent == .isAwaited else {
            throw SubscriptionFailure("it waits for a list, and asked to end with this one")
        }
        try checkDeletion()
        knowsOfList = false
        try noteLine()
    }

    private func tellLast(isOfDeletion: Bool) throws {
        guard isOfDeletion ? request.ifAbsent == .isError : machine.state == .revoked else {
            throw SubscriptionFailure("it ends and should not")
        }
        if isOfDeletion { try checkDeletion() }
        try noteLine()
        hasEnded = true
    }

    private func tellBookmark() throws {
        try noteLine()
        guard let followed, let sent else { return }
        guard followed.contents[sent.revision] == sent.content else {
            throw SubscriptionFailure("a bookmark stands for what the client does not have")
        }
        mirror = mirror.map { ($0.life, sent.revision) }
    }
}

struct SubscriptionFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
