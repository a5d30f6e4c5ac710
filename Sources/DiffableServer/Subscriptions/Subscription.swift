import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

/// The state that one subscriber has been sent of one list, through one view at a time. Carries out the decisions of
/// its `machine`.
///
/// While it keeps up, its audience sends it lines along with the other members. When it does not, `nextLine` is called
/// whenever its socket can take a line, and only then.
final class Subscription {
    /// Counted from 1 on each connection.
    let number: Int
    let list: ListName
    private var view: View
    /// The request without its view.
    let request: Request.Subscribe
    let connection: Connection
    private(set) var machine: SubscriptionMachine
    /// Nil while it waits for the list.
    private(set) var audience: Audience?
    /// The state that the last complete update led to, on this connection or on an earlier one.
    var sent: DeliveredState?
    /// The rows that it waits for before it can follow the list.
    private var preparation: ViewPreparation?
    /// The diff that its next update needs, computed or still being computed.
    private(set) var longDifference: LongDifference?
    /// The update of which only a part is written.
    private var group: UpdateInProgress?
    /// Its index among the audience's members; nil when it is not a member.
    var position: Int?
    /// The error that its client gets when it is revoked.
    private var lastError: WireError?
    /// The capabilities that the client was last notified of; nil if it did not ask for bookmarks.
    private var told: ListCapabilities?
    /// Whether the last bookmark reported the liveness of a mirror or a shared list.
    private var hasReportedLiveness = false
    /// The time at which it is woken.
    private var alarm: DeadlineTimers<Subscription>.Time?

    /// Lines or pages sent so far, and their total length in bytes.
    private(set) var deliveries = 0
    private(set) var bytesSent = 0

    /// The next bytes to send: a line, or a page of one.
    enum Line {
        case own(ByteWriter)
        /// A page shared by all subscribers in the same state.
        case shared(EncodedUpdate)
    }

    private struct UpdateInProgress {
        var rest: UpdateRemainder
        var target: DeliveredState
    }

    init(
        number: Int, _ request: Request.Subscribe, to audience: Audience?, from start: Start, of connection: Connection
    ) {
        self.number = number
        self.list = request.list
        self.view = request.view
        var rest = request
        rest.view = View()
        rest.since = nil
        self.request = rest
        self.audience = audience
        self.connection = connection
        let resetReason: NotificationWriter.ResetReason
        switch start {
        case .nothing(let reason): (sent, resetReason) = (nil, reason)
        case .sent(let sent, _): (self.sent, resetReason) = (sent, .initial)
        }
        machine = SubscriptionMachine(request, isListThere: audience != nil, resetReason: resetReason)
        if case .sent(_, isSameView: false) = start { machine.oweView() }
        connection.quota.register(Self.length(request.list, view, on: connection))
        if request.bookmark != nil {
            told = ListCapabilities(may: audience.map { _ in connection.permissions(on: request.list) })
        }
        if audience != nil {
            oweLiveness()
            oweCapabilities()
        }
    }

    var hasEnded: Bool { machine.state == .ended }

    /// Whether the last bytes sent do not end with a line feed. Then nothing else may be sent before the rest.
    var isInsideLine: Bool { machine.rest == .pages }

    /// The condition of the list that it follows.
    private var condition: SubscriptionMachine.ListCondition? {
        guard let list = audience?.list else { return nil }
        return list.isReplaced ? .replaced : list.isDeleted ? .deleted : .current
    }

    /// Counts a line, or a page of one, of this length in bytes.
    @inline(__always)
    func noteDelivery(of length: Int) {
        deliveries += 1
        bytesSent += length
        connection.traffic.deliveries += 1
    }

    // MARK: Memory

    /// The memory of a subscription, in bytes.
    static func length(_ list: ListName, _ view: View, on connection: Connection) -> Int {
        lengthWithoutView + list.description.utf8.count + length(view, on: connection)
    }

    /// Windows of root and of the daemon's user count without their rows.
    private static func length(_ view: View, on connection: Connection) -> Int {
        let rows = connection.peer.isPrivileged ? 0 : view.window?.limit ?? 0
        return view.lengthInMemory + rows * lengthOfWindowRow
    }

    /// Bytes that a row of a window counts. It takes 40 bytes, and a change of its list may cost a third of a
    /// microsecond for it.
    private static let lengthOfWindowRow = 1_024

    private static let lengthWithoutView = 1_536

    /// The bytes by which another view is larger than the current one.
    func growth(with view: View) -> Int {
        Self.length(view, on: connection) - Self.length(self.view, on: connection)
    }

    /// The states that are kept only for this and other slow subscriptions.
    var heldStates: [(snapshot: Snapshot, origin: RetainedStates.Origin)] {
        let list = audience?.list
        let shown = list?.isDeleted == true ? nil : audience?.shown
        if group == nil, longDifference == nil, list?.isDeleted != true, sent?.shown === shown { return [] }
        var states: [(Snapshot, RetainedStates.Origin)] = []
        for held in [sent?.shown, group?.target.shown, longDifference?.target.shown] {
            guard let held, held !== shown else { continue }
            states.append((held.snapshot, origin(of: held)))
            guard let rows = held.rows else { continue }
            var origin = origin(of: held)
            if audience?.number == held.id.audience, audience?.selection == nil { origin.rows = .all }
            states.append((rows, origin))
        }
        // A deleted list stays in memory until the client gets `listDeleted`.
        if let list, list.isDeleted { states.append((list.state.snapshot, RetainedStates.Origin(list.state, .all))) }
        return states
    }

    private func origin(of held: RenderedView) -> RetainedStates.Origin {
        let audience = audience?.number == held.id.audience ? audience : nil
        let isWhole = audience.map { $0.selection == nil && $0.view.window == nil } ?? false
        return RetainedStates.Origin(
            list: list, epoch: self.audience?.list.state.epoch ?? "",
            rows: isWhole ? .all : .ofAudience(held.id.audience), revision: held.id.revision)
    }

    /// Drops the states that it keeps. Its client gets the whole state when it reads again. In the middle of an
    /// update, the connection is closed instead: nothing but the rest of the update can follow.
    func dropKeptStates() {
        guard audience?.list.isDeleted == false, machine.forget() else {
            return connection.closeSlowReader(of: list)
        }
        if let sent { connection.hub.background.free(sent.shown.snapshot) }
        sent = nil
        longDifference = nil
        markDue()
    }

    // MARK: The list

    /// Changes to another view of the list, which is prepared. An update that was begun is finished first.
    func show(_ view: View) {
        if !hasEnded { connection.quota.register(growth(with: view)) }
        self.view = view
        // An equal window with `keep` is a request for its offset, from which it may have moved.
        let isSameView = view == audience?.view && view.window?.keep.isEmpty != false
        switch machine.show(isSameView: isSameView, of: condition) {
        case .nothing: break
        case .prepareAnew: if let list = preparation?.list { follow(list) }
        case .changeAudience:
            guard let old = audience else { preconditionFailure("what is followed has an audience") }
            longDifference = nil
            move(to: old.list.audience(for: view, after: sent?.shown, isSameView: false))
            connection.hub.slowReaders.scheduleMeasuring()
        }
    }

    private func move(to new: Audience) {
        guard let old = audience, new !== old else { return }
        audience = new
        new.add(self, insteadOf: old)
    }

    /// Joins the audience whose window is at the right position for the rows that were sent. Subscribers that were sent
    /// other rows, because they read slowly, may have the same window at another position.
    private func moveWindow() {
        guard longDifference == nil, let audience, audience.view.window?.isMoving == true else { return }
        if let sent, sent.shown === audience.shown || audience.follows(sent), !machine.isOtherViewSent { return }
        move(to: audience.list.audience(for: view, after: sent?.shown, isSameView: !machine.isOtherViewSent))
    }

    /// Follows the list that it has waited for, as soon as the rows of its view are known.
    func follow(_ list: FollowedList) {
        machine.beginPreparing()
        preparation?.end()
        let preparation = list.preparation(for: view, for: connection.quotaOfRows)
        self.preparation = preparation
        if preparation.isReady { return begin(list) }
        preparation.whenReady = { [unowned self] in begin(list) }
    }

    private func begin(_ list: FollowedList) {
        // The client may have lost the right to read the list since.
        guard !list.isDeleted, connection.hub.follow(list.state.name, for: connection.peer) === list else {
            endViewPreparation()
            machine.beginWaiting()
            connection.hub.awaitList(for: self)
            // Answers may have waited for this subscription.
            return markDue()
        }
        if preparation?.isRefused == true {
            endViewPreparation()
            machine.beginFollowing()
            return revoke(
                because: .tooMuchRegistered(list: self.list, max: connection.hub.limits.registeredLengthMax))
        }
        let audience = list.audience(for: view)
        self.audience = audience
        audience.add(self)
        endViewPreparation()
        machine.beginFollowing()
        oweLiveness()
        oweCapabilities()
        markDue()
    }

    private func endViewPreparation() {
        if let preparation { connection.hub.end(preparation) }
        preparation = nil
    }

    /// Ends it because its client may no longer read the list.
    func revoke() {
        revoke(
            because: WireError(
                .permissionDenied,
                "permission denied for the list \"\(list)\": you lost the right to read it, and this subscription has ended; "
                    + "subscribe again when its owner or root has restored that right", .read, list: list))
    }

    /// Ends it with an error.
    func revoke(because error: WireError) {
        if lastError == nil { lastError = error }
        if machine.revoke() { endGroup() }
        // The rest of a line that was begun needs no audience.
        if machine.state == .revoked { leave() }
        connection.markDue()
    }

    private func leave() {
        longDifference = nil
        endViewPreparation()
        guard let audience else { return }
        self.audience = nil
        if let sent, sent.shown !== audience.shown { audience.list.background.free(sent.shown.snapshot) }
        audience.remove(self)
        connection.hub.leave(audience.list)
    }

    /// Waits for the next list with that name.
    private func awaitList() {
        leave()
        sent = nil
        connection.hub.awaitList(for: self)
    }

    /// Ends it: nothing more is sent.
    func end() {
        endGroup()
        guard machine.end() else { return }
        connection.quota.register(-Self.length(list, view, on: connection))
        setAlarm()
        if audience == nil { connection.hub.stopWaiting(self) }
        leave()
    }

    // MARK: Mirrors

    /// Notes that the list has become live, or is no longer live.
    func noteLiveness() {
        machine.oweLiveness()
        markDue()
    }

    /// Notes that liveness is to be reported, if the list is a mirror or shared, or was when a bookmark last said so.
    private func oweLiveness() {
        if hasReportedLiveness || connection.hub.mirrors.liveness(of: list) != nil { machine.oweLiveness() }
    }

    // MARK: What the client can do

    /// Notes that the client's capabilities may have changed.
    func noteCapabilities() { if oweCapabilities() { markDue() } }

    @discardableResult
    private func oweCapabilities() -> Bool {
        guard let told, audience != nil, connection.capabilities(on: list) != told else { return false }
        machine.oweLiveness()
        return true
    }

    /// Takes the changes of the client's capabilities for the next bookmark.
    private func takeCapabilitiesChange() -> CapabilitiesChange {
        guard let told, audience != nil else { return CapabilitiesChange() }
        let abilities = connection.capabilities(on: list)
        self.told = abilities
        return abilities.changes(
            since: told, lengthMax: connection.lineLengthMax - NotificationWriter.bookmarkLengthMax)
    }

    // MARK: With all others

    /// Whether this state was the last one sent, and its socket can take a line that continues from there.
    func keepsUp(from state: DeliveredState) -> Bool {
        guard let sent, sent.shown === state.shown, sent.revision == state.revision else { return false }
        return machine.isSteady && connection.session.mayWriteLine
    }

    /// Marks its connection as due, because the audience moved on without it. It follows as soon as the socket can take
    /// a line.
    func markDue() {
        if machine.needsServing(for: condition), connection.session.mayWrite { connection.markDue() }
    }

    /// Continues with the diff that was computed for the next update.
    func reportFound() {
        machine.reportFound()
        markDue()
    }

    /// Continues at its alarm. A full socket is served when it can take data again.
    func wake() {
        alarm = nil
        machine.wake()
        if connection.session.mayWrite { connection.markDue() }
    }

    private func setAlarm() {
        let time = machine.alarm.map(DeadlineTimers<Subscription>.time)
        if time == alarm { return }
        if let alarm { connection.hub.timers.cancel(alarm, for: self) }
        alarm = time
        if let time { connection.hub.timers.set(time, for: self) }
    }

    // MARK: At its own pace

    /// Returns the next line, or the next page of one; nil when there is nothing to send.
    func nextLine() -> Line? {
        guard machine.updateTimer != nil else {
            return next(at: nil) ?? (machine.owesLiveness ? bookmark(at: nil).map(Line.own) : nil)
        }
        let now = NIODeadline.now()
        machine.beginWriting(at: now)
        let line = next(at: now)
        if line != nil { machine.noteLine(at: now) }
        let bookmark = line == nil ? bookmark(at: now) : nil
        setAlarm()
        return line ?? bookmark.map(Line.own)
    }

    /// - Parameter now: needed only with a pace.
    private func next(at now: NIODeadline?) -> Line? {
        while true {
            switch machine.nextAction(condition) {
            case .nothing, .writeBookmark: return nil
            case .continueGroup: return continued(at: now)
            case .compare: return nextGroup(at: now)
            case .tellOfLostRight: return .own(subscriptionEndedLine())
            case .tellOfDeletion:
                defer { end() }
                return .own(listDeletedLine())
            case .tellOfDeletionAndAwaitList:
                defer { awaitList() }
                return .own(listDeletedLine())
            case .awaitList: awaitList()
            }
        }
    }

    private func nextGroup(at now: NIODeadline?) -> Line? {
        audience?.list.update()
        moveWindow()
        guard let audience else { preconditionFailure("what is followed has an audience") }
        var target = audience.target
        // A new view may have been computed for an older state than the old view has shown. Revisions never go back.
        if let sent, target.revision < sent.revision { return nil }
        let isSame = sent?.shown === target.shown
        guard
            case .write(let mayBeNothing) = machine.decide(
                isSame: isSame, at: now, isStopping: connection.session.isDraining)
        else { return nil }
        if mayBeNothing, let sent, isUnchanged(since: sent, in: audience) {
            if view.window?.isMoving == true {
                self.sent = sent
                move(to: audience.list.audience(for: view, still: sent))
                return nil
            }
            // Continues as if nothing had changed: the next update still starts at the revision of the last one.
            self.sent = DeliveredState(shown: target.shown, revision: sent.revision)
            return nil
        }
        guard let line = encodedUpdate(from: audience, &target) else { return nil }
        machine.reportBegun(line.rest.kind, at: now)
        if let rest = line.rest {
            group = UpdateInProgress(rest: rest, target: target)
            connection.hub.pages.addReader(of: rest)
        } else {
            finish(target)
        }
        return .shared(line)
    }

    /// Whether all changes since have cancelled out.
    private func isUnchanged(since sent: DeliveredState, in audience: Audience) -> Bool {
        guard let longDifference else { return audience.isUnchanged(since: sent) }
        let target = longDifference.target
        guard longDifference.operations?.isEmpty == true, target.shown.extent == sent.shown.extent else { return false }
        // Only up to that state; the rows shown now may differ from it.
        self.longDifference = nil
        machine.endSearch()
        audience.list.background.free(sent.shown.snapshot)
        self.sent?.shown = target.shown
        return audience.isUnchanged(since: DeliveredState(shown: target.shown, revision: sent.revision))
    }

    /// Returns nil while the diff is being computed; `target` becomes the state that the update leads to.
    private func encodedUpdate(from audience: Audience, _ target: inout DeliveredState) -> EncodedUpdate? {
        if let sent, let longDifference {
            guard let operations = longDifference.operations else { return nil }
            self.longDifference = nil
            audience.list.background.free(sent.shown.snapshot)
            target = longDifference.target
            return audience.encodedUpdate(from: sent, to: target, by: operations, to: number, form)
        }
        let line = audience.encodedUpdate(from: sent, resetReason: machine.resetReason, to: number, form)
        if line == nil, let sent {
            machine.beginSearch()
            longDifference = audience.longDifference(from: sent, for: self)
        }
        return line
    }

    private func continued(at now: NIODeadline?) -> Line {
        guard let group else { preconditionFailure("a group that was begun has a rest") }
        let pages = connection.hub.pages
        let page = pages.takePage(pages.adapted(group.rest, lineLengthMax: connection.lineLengthMax), to: number)
        machine.reportContinued(page.rest.kind, at: now)
        if let rest = page.rest {
            self.group = UpdateInProgress(rest: rest, target: group.target)
        } else {
            self.group = nil
            // The update took several pages: its old state may be very different, and may have no other holder by now.
            if let sent { connection.hub.background.free(sent.shown.snapshot) }
            finish(group.target)
        }
        return .shared(page)
    }

    /// Sends no more of an update that was begun.
    private func endGroup() {
        if let group { connection.hub.pages.removeReader(of: group.rest) }
        group = nil
    }

    private func finish(_ target: DeliveredState) {
        sent = target
        if machine.isFinishedByGroup { end() }
    }

    private func listDeletedLine() -> ByteWriter {
        var line = ByteWriter()
        NotificationWriter.writeListDeleted(list, subscription: number, into: &line)
        return line
    }

    private func subscriptionEndedLine() -> ByteWriter {
        guard let error = lastError else { preconditionFailure("a revoked subscription has an error") }
        var line = ByteWriter()
        NotificationWriter.writeSubscriptionEnded(error, subscription: number, into: &line)
        end()
        return line
    }

    /// Returns the bookmark, if it is due.
    private func bookmark(at now: NIODeadline?) -> ByteWriter? {
        guard case .writeBookmark(let isUpToDate) = machine.nextBookmark(at: now) else { return nil }
        if isUpToDate, let audience, let sent, !audience.isLagging {
            self.sent?.revision = max(sent.revision, audience.state.revision)
            if audience.hasUnseenMoves, sent.shown === audience.shown {
                // A client that resumes from this revision has these rows.
                move(to: audience.list.audience(insteadOf: audience))
                if let shown = self.audience?.shown { self.sent?.shown = shown }
            }
        }
        var line = ByteWriter()
        let place = sent.flatMap { sent in audience.map { (epoch: $0.list.state.epoch, revision: sent.revision) } }
        let liveness = audience == nil ? nil : connection.hub.mirrors.liveness(of: list)
        hasReportedLiveness = liveness != nil
        NotificationWriter.writeBookmark(
            list, at: place, liveness, takeCapabilitiesChange(), subscription: number, into: &line)
        return line
    }
}

extension UpdateRemainder? {
    /// The kind of rest, for the machine.
    fileprivate var kind: SubscriptionMachine.Remainder {
        switch self {
        case nil: .nothing
        case let rest?: rest.isInsideLine ? .pages : .lines
        }
    }
}
