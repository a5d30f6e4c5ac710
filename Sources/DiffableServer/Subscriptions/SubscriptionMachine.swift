import Diffable
import DiffableProtocol
import NIOCore

/// The state machine of one subscription: whether it waits for its list, prepares, follows, is about to end or has
/// ended, and what it writes next.
///
/// It is a value without a list, a socket or a clock, so tests drive thousands of them through random events.
/// `Subscription` has the states of the list that the machine decides about, reports what happens to them, and carries
/// out what comes back. For one that keeps up with its audience nothing is decided but `isSteady`.
struct SubscriptionMachine {
    enum State: Equatable {
        /// There is no such list, or none that its client may read.
        case waiting
        /// There is one, and what the view shows of it is being found.
        case preparing
        case following
        /// Its client may not read the list any more, and is about to hear so.
        case revoked
        case ended
    }

    /// What is left of a group that was begun.
    enum Rest {
        case nothing
        /// Other lines.
        case lines
        /// More of a line: nothing else may be sent before it.
        case pages
    }

    /// What leads to the state that is shown, when that takes long to find.
    enum Search {
        case none, running, found
    }

    /// What has become of the list that it follows.
    enum ListCondition {
        case current, deleted
        /// It was deleted, and another life of it has begun.
        case replaced
    }

    /// What is to be written or done next.
    enum Action: Equatable {
        case nothing
        /// Write more of the group that was begun, and report what is left: `reportContinued`.
        case continueGroup
        /// Compare what was sent last with what is shown now, and `decide`.
        case compare
        /// Write that the right is lost, and end.
        case tellOfLostRight
        /// Write that the list was deleted, and end.
        case tellOfDeletion
        /// Write that the list was deleted, and wait for the next.
        case tellOfDeletionAndAwaitList
        /// Wait for the next list of that name without a word, and ask again.
        case awaitList
        /// Write a bookmark; up to the state that is shown if nothing is held back, else as far as the last group led.
        case writeBookmark(isUpToDate: Bool)
    }

    /// What is to be done about a difference between what was sent and what is shown.
    enum Decision: Equatable {
        case nothing
        /// Write what leads there, and report what is left of the group: `reportBegun`. If it may be nothing, nothing is
        /// written when all changes have cancelled out. If it is long, it is searched for in the background.
        case write(mayBeNothing: Bool)
    }

    /// What another view is followed by.
    enum ViewChange: Equatable {
        case nothing
        /// Find what the view shows, for the list that it is about to follow.
        case prepareAnew
        case changeAudience
    }

    private(set) var state: State
    private(set) var rest = Rest.nothing
    private(set) var search = Search.none
    /// Why its next state from nothing is sent, if it is.
    private(set) var resetReason: NotificationWriter.ResetReason
    /// Whether it has heard that there is such a list.
    private var knowsOfList: Bool
    /// Whether an update is owed even if nothing has changed: after another view, and after `forget`.
    private(set) var owesView = false
    /// Whether the last update was of another view.
    private(set) var isOtherViewSent = false
    /// Whether its list, a mirror, is live is to be told, or what its client can do with the list.
    private(set) var owesLiveness = false
    /// When it is to be woken.
    private(set) var alarm: NIODeadline?
    /// There is something new that it is not to have before it is woken.
    private var isTooEarly = false
    /// Nil when it minds no time, as most do.
    private(set) var pace: Pace?
    private let duration: Request.Subscribe.Duration
    private let ifAbsent: AbsentList

    init(_ request: Request.Subscribe, isListThere: Bool, resetReason: NotificationWriter.ResetReason) {
        state = isListThere ? .following : .waiting
        knowsOfList = isListThere
        self.resetReason = resetReason
        pace = Pace(minInterval: request.minInterval, bookmark: request.bookmark)
        duration = request.duration
        ifAbsent = request.ifAbsent
    }

    // MARK: Questions

    /// Whether nothing but its socket decides whether it keeps up with its audience.
    @inline(__always)
    var isSteady: Bool { rest == .nothing && !owesView && !owesLiveness && pace == nil }

    /// Whether it waits for a list, and has not heard that the one it knows is gone.
    var owesDeletion: Bool { state == .waiting && knowsOfList }

    /// Whether it has to be looked after when there is something new.
    func minds(newsOf list: ListCondition?) -> Bool { !isTooEarly || list != .current }

    // MARK: The list

    /// There is a list that it may follow.
    mutating func beginPreparing() { state = .preparing }

    /// What its view shows of it is found.
    mutating func beginFollowing() { state = .following }

    mutating func oweLiveness() { owesLiveness = true }

    /// It goes on from another view than its own, from which one update leads.
    mutating func oweView() { (owesView, isOtherViewSent) = (true, true) }

    /// There is none to follow any more.
    mutating func beginWaiting() { state = .waiting }

    mutating func show(isSameView: Bool, of list: ListCondition?) -> ViewChange {
        switch state {
        case .waiting, .revoked, .ended: return .nothing
        case .preparing: return .prepareAnew
        case .following:
            // It is about to hear that it was deleted, and the view is for the next list.
            guard list == .current else { return .nothing }
            owesView = true
            // An equal view is no other one: a window whose anchor has gone stays where it is.
            if isSameView { return .nothing }
            isOtherViewSent = true
            search = .none
            return .changeAudience
        }
    }

    /// Its client may not read the list any more. Nothing more of the list is sent but the rest of a line that was begun,
    /// and then that it has ended.
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

    /// Nothing is sent any more; false when that was so before.
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

    /// Its socket can take a line: time is minded from now on.
    mutating func beginWriting(at now: NIODeadline) { pace?.begin(at: now) }

    mutating func nextAction(_ list: ListCondition?) -> Action {
        if rest != .nothing { return .continueGroup }
        switch state {
        case .preparing, .ended: return .nothing
        case .revoked: return .tellOfLostRight
        // The list was replaced, and the next one had gone before anything was said of it.
        case .waiting: return owesDeletion ? endOfList() : .nothing
        case .following:
            switch list {
            case .current?: return .compare
            case .deleted?: return endOfList()
            // It is followed on: what comes next says that it begins anew.
            case .replaced?:
                beginAnew()
                return .awaitList
            case nil: preconditionFailure("what is followed is a list")
            }
        }
    }

    /// There is no such list any more: it ends, or goes on with the next list of that name as soon as there is one.
    private mutating func endOfList() -> Action {
        guard ifAbsent == .isAwaited else { return .tellOfDeletion }
        let isNews = knowsOfList
        beginAnew()
        knowsOfList = false
        return isNews ? .tellOfDeletionAndAwaitList : .awaitList
    }

    private mutating func beginAnew() {
        state = .waiting
        search = .none
        (owesView, isOtherViewSent) = (false, false)
        if knowsOfList { resetReason = .epoch }
    }

    /// - Parameters:
    ///   - isSame: whether what was sent last is what is shown now.
    ///   - now: for one that minds the time.
    ///   - isStopping: whether the daemon says all there is before it stops.
    mutating func decide(isSame: Bool, at now: NIODeadline?, isStopping: Bool) -> Decision {
        if isSame, !owesView { return .nothing }
        if let now, isTooEarly(at: now, isStopping: isStopping) { return .nothing }
        return search == .running ? .nothing : .write(mayBeNothing: !owesView)
    }

    /// Whether it is too early for another group. What a new view shows was asked for now.
    private mutating func isTooEarly(at now: NIODeadline, isStopping: Bool) -> Bool {
        isTooEarly = false
        guard !owesView, !isStopping, let end = pace?.earliestGroup(at: now) else { return false }
        isTooEarly = true
        setAlarm(at: end)
        return true
    }

    /// What to write is searched for in the background.
    mutating func beginSearch() { search = .running }

    mutating func reportFound() { if search == .running { search = .found } }

    /// What was found is used, or nobody needs it.
    mutating func endSearch() { search = .none }

    /// The first line of a group is written, or its first page. What comes after it is another group's.
    mutating func reportBegun(_ rest: Rest, at now: NIODeadline?) {
        (owesView, isOtherViewSent) = (false, false)
        knowsOfList = true
        search = .none
        reportContinued(rest, at: now)
    }

    mutating func reportContinued(_ rest: Rest, at now: NIODeadline?) {
        self.rest = rest
        if rest == .nothing, let now { pace?.noteGroup(at: now) }
    }

    /// Whether the group that is finished is the only one.
    var isFinishedByGroup: Bool { rest == .nothing && duration == .once }

    // MARK: Time

    mutating func noteLine(at now: NIODeadline) { pace?.noteLine(at: now) }

    /// Nothing else is to be written: the bookmark that is due, if one is; otherwise it is woken when one will be.
    ///
    /// - Parameter now: for one that minds the time.
    mutating func nextBookmark(at now: NIODeadline?) -> Action {
        if owesLiveness, state == .following {
            owesLiveness = false
            if let now { pace?.noteLine(at: now) }
            return .writeBookmark(isUpToDate: pace != nil && !isTooEarly && search == .none)
        }
        guard state != .ended, let now, let due = pace?.nextBookmark else { return .nothing }
        if due > now {
            setAlarm(at: due)
            return .nothing
        }
        pace?.noteLine(at: now)
        return .writeBookmark(isUpToDate: !isTooEarly && search == .none)
    }

    /// Is woken then, or before.
    private mutating func setAlarm(at deadline: NIODeadline) { alarm = alarm.map { min($0, deadline) } ?? deadline }

    /// The time has come that it waited for.
    mutating func wake() {
        alarm = nil
        isTooEarly = false
    }
}
