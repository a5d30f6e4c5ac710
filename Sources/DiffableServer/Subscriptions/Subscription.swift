import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

/// What one subscriber has been sent of one list, through one view at a time.
///
/// One that keeps up is sent lines by its audience, with all the others. For one that does not, `nextLine` is called
/// whenever its socket can take a line, and never otherwise.
final class Subscription {
    /// Counted from 1 on each connection.
    let number: Int
    let list: ListName
    private var view: View
    private let request: Request.Subscribe
    let connection: Connection
    /// Nil while it waits for the list.
    private(set) var audience: Audience?
    /// What the last finished group led to, on this connection or on an earlier one.
    var sent: Sent?
    /// Whether it has heard that there is such a list.
    private var knowsOfList: Bool
    /// It got another view after that: a group is owed that leads to it, even when both show the same.
    private var hasNewView = false
    /// Why it begins with a `reset`, if it does.
    private var resetReason: NotificationWriter.ResetReason
    /// What it waits for before it can follow the list.
    private var groundwork: Groundwork?
    /// What it waits for before its next group, or has now found.
    private(set) var longDifference: LongDifference?
    /// A group of which not all is written.
    private var group: Group?
    private(set) var hasEnded = false
    /// Its client may not read the list any more, and is about to hear so.
    private var isRevoked = false
    /// Among the audience's members, for the audience; nil when it is none.
    var position: Int?

    /// How many lines, or pages of long ones, it was sent, and how long they were together, in bytes.
    private(set) var deliveries = 0
    private(set) var bytesSent = 0

    /// Nil when it minds no time, as most do.
    private var pace: Pace?
    /// When it is woken.
    private var alarm: Alarms<Subscription>.Time?
    /// There is something new that it is not to have before it is woken.
    private var isHeldBack = false

    private struct Group {
        var rest: FirstLine.Rest
        var target: Sent
    }

    init(
        number: Int, _ request: Request.Subscribe, to audience: Audience?, from start: Start, of connection: Connection
    ) {
        self.number = number
        self.list = request.list
        self.view = request.view
        self.request = request
        self.audience = audience
        self.knowsOfList = audience != nil
        self.connection = connection
        self.pace = Pace(minInterval: request.minInterval, bookmark: request.bookmark)
        switch start {
        case .nothing(let reason): (sent, resetReason) = (nil, reason)
        case .sent(let sent): (self.sent, resetReason) = (sent, .initial)
        }
    }

    /// Where a subscription goes on from.
    enum Start {
        case nothing(NotificationWriter.ResetReason)
        case sent(Sent)
    }

    /// Goes on with another view of the list, for which the ground is prepared. A group that was begun is finished
    /// before.
    func show(_ view: View) {
        self.view = view
        guard let old = audience else {
            if let list = groundwork?.list { follow(list) }
            return
        }
        // It is about to hear that, and the view is for the next list.
        if old.list.isDeleted { return }
        hasNewView = true
        let new = old.list.audience(for: view)
        guard new !== old else { return }
        audience = new
        longDifference = nil
        new.add(self, insteadOf: old)
    }

    /// Follows the list that it has waited for, as soon as it is known what its view shows.
    func follow(_ list: FollowedList) {
        groundwork?.end()
        let groundwork = list.groundwork(for: view)
        self.groundwork = groundwork
        if groundwork.isReady { return begin(list) }
        groundwork.whenReady = { [unowned self] in begin(list) }
    }

    private func begin(_ list: FollowedList) {
        // Its client may have lost the right to read it meanwhile.
        guard !list.isDeleted, connection.hub.follow(list.state.name, for: connection.peer) === list else {
            endGroundwork()
            connection.hub.awaitList(for: self)
            // Answers may have waited for it.
            return isBehind()
        }
        let audience = list.audience(for: view)
        self.audience = audience
        audience.add(self)
        endGroundwork()
        isBehind()
    }

    private func endGroundwork() {
        if let groundwork { connection.hub.end(groundwork) }
        groundwork = nil
    }

    /// Counts a line, or a page of one, of so many bytes.
    @inline(__always)
    func noteDelivery(of length: Int) {
        deliveries += 1
        bytesSent += length
        connection.traffic.deliveries += 1
    }

    /// How many revisions it has still to be sent; nil when there is no list.
    var revisionsBehind: Int? {
        guard let audience else { return nil }
        return isSettled ? 0 : audience.list.state.revision - (sent?.revision ?? 0)
    }

    // MARK: With all others

    /// How its lines are written.
    var form: LineForm {
        switch request.form {
        case .operations: .operations(lineLengthMax: connection.lineLengthMax)
        case .snapshots: .snapshots
        case .patches: .patches
        }
    }

    /// Whether that was what it was sent last, and its socket can take a line that leads on from there.
    func keepsUp(from state: Sent) -> Bool {
        guard let sent, sent.shown === state.shown, sent.revision == state.revision else { return false }
        return group == nil && !hasNewView && pace == nil && connection.mayWriteLine
    }

    /// Its audience moved on without it: it follows as soon as the socket can take a line.
    func isBehind() {
        if isHeldBack, audience?.list.isDeleted == false { return }
        if connection.mayWrite { connection.isDue() }
    }

    // MARK: At its own pace

    /// Whether an answer that waits for what came of it need not wait for this one any more.
    func isSettled(for barrier: Outbox.Barrier) -> Bool {
        if hasEnded || list != barrier.list { return true }
        if isRevoked { return false }
        if pace?.minInterval != nil { return true }
        guard let audience else { return groundwork == nil }
        // Another life of the list than the one that it follows is over, and it has heard so.
        if !audience.list.isDeleted, audience.list.state.epoch != barrier.epoch { return true }
        return isSettled(upTo: barrier.revision)
    }

    /// Whether it has been sent all there is. Nothing is left to send to one that has ended.
    var isSettled: Bool {
        if isRevoked { return hasEnded }
        guard !hasEnded, let audience else { return groundwork == nil }
        return isSettled(upTo: audience.list.state.revision)
    }

    /// Whether it has been sent all that its view shows up to a revision.
    private func isSettled(upTo revision: Int) -> Bool {
        guard let audience, let sent, group == nil, !hasNewView, !audience.list.isDeleted else { return false }
        if sent.revision >= revision { return true }
        audience.list.update()
        // What changed since did not change what is shown.
        return sent.shown === audience.shown && audience.state.revision >= revision
    }

    /// Whether what it was sent last does not end with a line feed: nothing else may be sent before the rest.
    var isInsideLine: Bool {
        if case .pages? = group?.rest { true } else { false }
    }

    /// The next line, or the next page of one, or nil when there is nothing to say.
    func nextLine() -> ByteWriter? {
        if hasEnded { return nil }
        if pace == nil { return next(at: nil) }
        let now = NIODeadline.now()
        pace?.begin(at: now)
        let line = next(at: now)
        if line != nil { self.pace?.noteLine(at: now) }
        return line ?? bookmark(at: now)
    }

    /// - Parameter now: for those with a pace.
    private func next(at now: NIODeadline?) -> ByteWriter? {
        if let group { return continued(group, at: now) }
        if isRevoked { return lastWord() }
        guard let audience else { return nil }
        if audience.list.isDeleted { return farewell() ?? (hasEnded ? nil : next(at: now)) }
        audience.list.update()
        var target = audience.target
        if let sent, sent.shown === target.shown, !hasNewView { return nil }
        if let now, holdsBack(at: now) { return nil }
        guard let line = firstLine(from: audience, &target) else { return nil }
        // What comes after this view's group.
        hasNewView = false
        knowsOfList = true
        if let rest = line.rest {
            group = Group(rest: rest, target: target)
            if isInsideLine { audience.beginLongLine() }
        } else {
            finish(target, at: now)
        }
        return line.bytes
    }

    /// Nil while it is looked for; `target` is where it leads.
    private func firstLine(from audience: Audience, _ target: inout Sent) -> FirstLine? {
        if let sent, let longDifference {
            guard let operations = longDifference.operations else { return nil }
            self.longDifference = nil
            audience.list.background.letGo(of: sent.shown.snapshot)
            target = longDifference.target
            return audience.firstLine(from: sent, to: target, by: operations, to: number, form)
        }
        let line = audience.firstLine(from: sent, resetReason: resetReason, to: number, form)
        if line == nil, let sent { longDifference = audience.longDifference(from: sent, for: self) }
        return line
    }

    private func continued(_ group: Group, at now: NIODeadline?) -> ByteWriter {
        switch group.rest {
        case .lines(var writer):
            self.group = nil
            var line = ByteWriter()
            NotificationWriter.writePrefix(writer.method, subscription: number, into: &line)
            if writer.writeRest(into: &line, lineLengthMax: connection.lineLengthMax) == .done {
                finish(group.target, at: now)
            } else {
                self.group = Group(rest: .lines(writer), target: group.target)
            }
            return line
        case .pages(let line):
            guard let audience else { preconditionFailure("a line that was begun belongs to an audience") }
            let page = audience.page(of: line)
            if let rest = page.rest {
                self.group = Group(rest: .pages(rest), target: group.target)
            } else {
                leaveLine()
                finish(group.target, at: now)
            }
            return page.bytes
        }
    }

    private func leaveLine() {
        if isInsideLine { audience?.endLongLine() }
        group = nil
    }

    private func finish(_ target: Sent, at now: NIODeadline?) {
        sent = target
        if let now { pace?.noteGroup(at: now) }
        if request.duration == .once { end() }
    }

    /// Tells that the list was deleted, unless it never heard that there was one, and ends, or waits for the next. A list
    /// that was replaced is followed on.
    private func farewell() -> ByteWriter? {
        if audience?.list.isReplaced == true {
            followAnew()
            return nil
        }
        var line = ByteWriter()
        NotificationWriter.writeListDeleted(list, subscription: number, into: &line)
        guard request.ifAbsent == .isAwaited else {
            end()
            return line
        }
        let isNews = knowsOfList
        followAnew()
        return isNews ? line : nil
    }

    /// Goes on with the next list of that name, as soon as there is one.
    private func followAnew() {
        leave()
        sent = nil
        hasNewView = false
        if knowsOfList { resetReason = .epoch }
        knowsOfList = false
        connection.hub.awaitList(for: self)
    }

    /// Its client may not read the list any more. Nothing more of the list is sent but the rest of a line that was begun, and
    /// then that it has ended.
    func revoke() {
        isRevoked = true
        if !isInsideLine {
            group = nil
            leave()
        }
        connection.isDue()
    }

    private func lastWord() -> ByteWriter {
        let error = WireError(
            .permissionDenied,
            "the list \"\(list)\" may not be read by this user any more; its owner or root can allow it again, and then "
                + "it can be followed anew", list: list)
        var line = ByteWriter()
        NotificationWriter.writeSubscriptionEnded(error, subscription: number, into: &line)
        end()
        return line
    }

    private func leave() {
        longDifference = nil
        endGroundwork()
        guard let audience else { return }
        self.audience = nil
        if let sent, sent.shown !== audience.shown { audience.list.background.letGo(of: sent.shown.snapshot) }
        audience.remove(self)
        connection.hub.leave(audience.list)
    }

    /// Nothing is sent any more.
    func end() {
        hasEnded = true
        leaveLine()
        if let alarm { connection.hub.alarms.cancel(alarm, for: self) }
        alarm = nil
        if audience == nil { connection.hub.stopWaiting(self) }
        leave()
    }
}

// MARK: - In its own time

extension Subscription {
    /// Whether it is too early for another group. What a new view shows was asked for now, and a daemon that stops says
    /// all there is.
    private func holdsBack(at now: NIODeadline) -> Bool {
        isHeldBack = false
        guard !hasNewView, !connection.isDraining, let end = pace?.groupIsHeldBack(at: now) else { return false }
        isHeldBack = true
        wake(at: end)
        return true
    }

    /// The bookmark that is due, if one is; otherwise it is woken when one will be.
    private func bookmark(at now: NIODeadline) -> ByteWriter? {
        guard let due = pace?.nextBookmark else { return nil }
        if due > now {
            wake(at: due)
            return nil
        }
        if !isHeldBack, longDifference == nil, let audience { sent?.revision = audience.state.revision }
        var line = ByteWriter()
        let place = sent.flatMap { sent in audience.map { (epoch: $0.list.state.epoch, revision: sent.revision) } }
        NotificationWriter.writeBookmark(list, at: place, subscription: number, into: &line)
        pace?.noteLine(at: now)
        return line
    }

    /// Is woken then, or before.
    private func wake(at deadline: NIODeadline) {
        let time = Alarms<Subscription>.time(deadline)
        if let alarm {
            if alarm <= time { return }
            connection.hub.alarms.cancel(alarm, for: self)
        }
        alarm = time
        connection.hub.alarms.set(time, for: self)
    }

    /// The time has come that it waited for. A socket that takes nothing now is served when it does.
    func wake() {
        alarm = nil
        isHeldBack = false
        if connection.mayWrite { connection.isDue() }
    }
}
