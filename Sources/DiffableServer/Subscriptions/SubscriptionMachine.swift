import Diffable
import DiffableProtocol
import NIOCore

/// The state machine of one subscription: whether it waits for its list, prepares, follows, is about to end or has
/// ended, and what it writes next.
///
/// It is a value without a list, a socket or a clock, so tests drive thousands of them through random events.
/// `Subscription` has the states of the list that the machine decides about, reports what happens to them, and carries
/// out the machine's actions. While a subscription keeps up with its audience, only `isSteady` is used.
struct SubscriptionMachine {
    enum State: Equatable {
        /// The list does not exist, or the client may not read it.
        case waiting
        /// The list exists, and the rows of the view are being computed.
        case preparing
        case following
        /// The client may no longer read the list, and is about to be notified.
        case revoked
        case ended
    }

    /// The part of an update that is still to be written.
    enum Remainder {
        case nothing
        /// Other lines.
        case lines
        /// More of the same line: nothing else may be sent before it.
        case pages
    }

    /// The progress of a diff that takes long to compute.
    enum Search {
        case none, running, found
    }

    /// The condition of the list that it follows.
    enum ListCondition {
        case current, deleted
        /// The list was deleted, and another incarnation exists.
        case replaced
    }

    /// The next thing to write or do.
    enum Action: Equatable {
        case nothing
        /// Write more of the update that was begun, and report the rest with `reportContinued`.
        case continueGroup
        /// Compare the sent state with the shown one, then call `decide`.
        case compare
        /// Report that the right to read is lost, and end.
        case tellOfLostRight
        /// Report that the list was deleted, and end.
        case tellOfDeletion
        /// Report that the list was deleted, and wait for the next one with that name.
        case tellOfDeletionAndAwaitList
        /// Wait for the next list with that name without reporting anything, and ask again.
        case awaitList
        /// Write a bookmark: for the shown state if nothing is held back, otherwise for the state of the last update.
        case writeBookmark(isUpToDate: Bool)
    }

    /// The decision about a difference between the sent and the shown state.
    enum Decision: Equatable {
        case nothing
        /// Write the diff, and report the rest of the update with `reportBegun`. If `mayBeNothing`, write nothing when
        /// all changes have cancelled out. A diff that takes long is computed in the background.
        case write(mayBeNothing: Bool)
    }

    /// The step that another view requires.
    enum ViewChange: Equatable {
        case nothing
        /// Compute the rows of the view, for the list that it is about to follow.
        case prepareAnew
        case changeAudience
    }

    private(set) var state: State
    private(set) var rest = Remainder.nothing
    private(set) var search = Search.none
    /// The reason in the next reset, if one is sent.
    private(set) var resetReason: NotificationWriter.ResetReason
    /// Whether the client knows that the list exists.
    private var knowsOfList: Bool
    /// Whether an update is owed even if nothing has changed: after another view, and after `forget`.
    private(set) var owesView = false
    /// Whether the last update was of another view.
    private(set) var isOtherViewSent = false
    /// Whether a bookmark is owed that reports the liveness of a mirror or the client's capabilities.
    private(set) var owesLiveness = false
    /// The time at which it is to be woken.
    private(set) var alarm: NIODeadline?
    /// Whether there is news that is held back until it is woken.
    private var isTooEarly = false
    /// Nil for most subscriptions, which have no time limits.
    private(set) var updateTimer: UpdateTimer?
    private let duration: Request.Subscribe.Duration
    private let ifAbsent: AbsentList

    init(_ request: Request.Subscribe, isListThere: Bool, resetReason: NotificationWriter.ResetReason) {
        state = isListThere ? .following : .waiting
        knowsOfList = isListThere
        self.resetReason = resetReason
        updateTimer = UpdateTimer(minInterval: request.minInterval, bookmark: request.bookmark)
        duration = request.duration
        ifAbsent = request.ifAbsent
    }

    // MARK: Questions

    /// Whether its socket alone decides if it keeps up with its audience.
    @inline(__always)
    var isSteady: Bool { rest == .nothing && !owesView && !owesLiveness && updateTimer == nil }

    /// Whether it waits for a list, and its client has not been notified that the previous one was deleted.
    var owesDeletion: Bool { state == .waiting && knowsOfList }

    /// Whether it has to be served when there is news.
    func needsServing(for list: ListCondition?) -> Bool { !isTooEarly || list != .current }

    // MARK: The list

    /// Begins to prepare, because there is a list that it may follow.
    mutating func beginPreparing() { state = .preparing }

    /// Begins to follow, because the rows of its view are known.
    mutating func beginFollowing() { state = .following }

    mutating func oweLiveness() { owesLiveness = true }

    /// Notes that it starts from another view than its own, so one update leads to its own.
    mutating func oweView() { (owesView, isOtherViewSent) = (true, true) }

    /// Begins to wait, because there is no longer a list to follow.
    mutating func beginWaiting() { state = .waiting }

    mutating func show(isSameView: Bool, of list: ListCondition?) -> ViewChange {
        switch state {
        case .waiting, .revoked, .ended: return .nothing
        case .preparing: return .prepareAnew
        case .following:
            // The client is about to be notified of the deletion, and the view is for the next list.
            guard list == .current else { return .nothing }
            owesView = true
            // An equal view is not another view: a window whose anchor was deleted stays where it is.
            if isSameView { return .nothing }
            isOtherViewSent = true
            search = .none
            return .changeAudience
        }
    }

    /// Ends it, because its client may no longer read the list. If a line was begun, its rest is still sent. After it,
    /// only the end of the subscription is reported.
    ///
    /// - Returns: Whether it leaves the list at once.
    mutating func revoke() -> Bool {
        guard state == .following else { return false }
        state = .revoked
        if rest == .pages { return false }
        rest = .nothing
        search = .none
        return true
    }

    /// Forgets the sent state, so that the client gets the whole state next.
    ///
    /// - Returns: false in the middle of an update.
    mutating func forget() -> Bool {
        guard state == .following, rest == .nothing else { return false }
        resetReason = .history
        search = .none
        // Even if it is too early for another update, and before a bookmark, which has no revision now.
        owesView = true
        return true
    }

    /// Ends it. Returns false if it had already ended.
    mutating func end() -> Bool {
        guard state != .ended else { return false }
        state = .ended
        rest = .nothing
        search = .none
        alarm = nil
        isTooEarly = false
        return true
    }

    // MARK: What is written

    /// Begins to count time, because its socket can take a line.
    mutating func beginWriting(at now: NIODeadline) { updateTimer?.begin(at: now) }

    mutating func nextAction(_ list: ListCondition?) -> Action {
        if rest != .nothing { return .continueGroup }
        switch state {
        case .preparing, .ended: return .nothing
        case .revoked: return .tellOfLostRight
        // The list was replaced, and the next one was deleted before the client was notified of it.
        case .waiting: return owesDeletion ? endOfList() : .nothing
        case .following:
            switch list {
            case .current?: return .compare
            case .deleted?: return endOfList()
            // Following continues with the new incarnation, whose reset gives the reason.
            case .replaced?:
                resync()
                return .awaitList
            case nil: preconditionFailure("what is followed is a list")
            }
        }
    }

    /// Handles the deletion of its list: it ends, or waits for the next list with that name.
    private mutating func endOfList() -> Action {
        guard ifAbsent == .isAwaited else { return .tellOfDeletion }
        let isNews = knowsOfList
        resync()
        knowsOfList = false
        return isNews ? .tellOfDeletionAndAwaitList : .awaitList
    }

    private mutating func resync() {
        state = .waiting
        search = .none
        (owesView, isOtherViewSent) = (false, false)
        if knowsOfList { resetReason = .epoch }
    }

    /// - Parameters:
    ///   - isSame: whether the sent state is the shown one.
    ///   - now: needed only with a pace.
    ///   - isStopping: whether the daemon sends everything before it stops.
    mutating func decide(isSame: Bool, at now: NIODeadline?, isStopping: Bool) -> Decision {
        if isSame, !owesView { return .nothing }
        if let now, isTooEarly(at: now, isStopping: isStopping) { return .nothing }
        return search == .running ? .nothing : .write(mayBeNothing: !owesView)
    }

    /// Whether it is too early for another update. Never too early for a new view, because the client asked for it now.
    private mutating func isTooEarly(at now: NIODeadline, isStopping: Bool) -> Bool {
        isTooEarly = false
        guard !owesView, !isStopping, let end = updateTimer?.earliestGroup(at: now) else { return false }
        isTooEarly = true
        setAlarm(at: end)
        return true
    }

    /// Notes that the diff to write is being computed in the background.
    mutating func beginSearch() { search = .running }

    mutating func reportFound() { if search == .running { search = .found } }

    /// Forgets the computed diff, because it was used or is not needed.
    mutating func endSearch() { search = .none }

    /// Notes that the first line or page of an update is written. Later changes belong to the next update.
    mutating func reportBegun(_ rest: Remainder, at now: NIODeadline?) {
        (owesView, isOtherViewSent) = (false, false)
        knowsOfList = true
        search = .none
        reportContinued(rest, at: now)
    }

    mutating func reportContinued(_ rest: Remainder, at now: NIODeadline?) {
        self.rest = rest
        if rest == .nothing, let now { updateTimer?.noteGroup(at: now) }
    }

    /// Whether the finished update is the only one that was requested.
    var isFinishedByGroup: Bool { rest == .nothing && duration == .once }

    // MARK: Time

    mutating func noteLine(at now: NIODeadline) { updateTimer?.noteLine(at: now) }

    /// Returns the bookmark, if it is due and nothing else is to be written. Otherwise sets the alarm for it.
    ///
    /// - Parameter now: needed only with a pace.
    mutating func nextBookmark(at now: NIODeadline?) -> Action {
        if owesLiveness, state == .following {
            owesLiveness = false
            if let now { updateTimer?.noteLine(at: now) }
            return .writeBookmark(isUpToDate: updateTimer != nil && !isTooEarly && search == .none)
        }
        guard state != .ended, let now, let due = updateTimer?.nextBookmark else { return .nothing }
        if due > now {
            setAlarm(at: due)
            return .nothing
        }
        updateTimer?.noteLine(at: now)
        return .writeBookmark(isUpToDate: !isTooEarly && search == .none)
    }

    /// Sets the alarm, unless it is set to an earlier time.
    private mutating func setAlarm(at deadline: NIODeadline) { alarm = alarm.map { min($0, deadline) } ?? deadline }

    /// Continues at the alarm.
    mutating func wake() {
        alarm = nil
        isTooEarly = false
    }
}
