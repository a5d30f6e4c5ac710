import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// The subscribers that follow one list through one view, and the lines that they share.
///
/// An audience belongs to one incarnation of a list. Subscribers pull: when a socket can take more, its subscription
/// gets the diff from the state that it was sent last to the state that is shown now. Subscribers in the same state get
/// the same bytes, which are made for the first of them. So nothing is queued, and a slow subscriber holds one old
/// snapshot.
///
/// Nearly all subscribers keep up: they were sent the complete state at the end of the previous tick, and their sockets
/// are not full. `serve` brings these to the current state in one loop. The others follow at their own pace, each when
/// its connection is served.
final class Audience {
    let list: FollowedList
    let view: View
    /// Its number among all audiences of the list so far, including those that were removed.
    let number: Int
    /// The source of its rows; nil: the list itself.
    let selection: LiveSelection?
    /// The user of its first subscriber.
    let user: UserShare
    /// The state that its window shows while it lags; nil while it does not.
    private var stateBehind: ListState?
    /// The state for which the background finds the rows of its window.
    private var stateSought: ListState?
    var isLagging: Bool { stateBehind != nil }
    /// The list's state that is shown: the newest, or an older one while the background computes the next or its window
    /// lags.
    var state: ListState {
        guard let state = stateBehind ?? stateOfRows else { Self.isNotPrepared() }
        return state
    }
    /// The rows that are shown of `state`.
    private(set) var shown: RenderedView
    /// The last revision before rows outside of a window moved unseen; nil if none did since that was shown. The next
    /// position of the window depends on the rows at that revision, so a newcomer, who is sent later ones, needs
    /// another audience.
    private var revisionBeforeMoves: Int?
    var hasUnseenMoves: Bool { revisionBeforeMoves != nil }
    private(set) var members = UnorderedBag(\Subscription.position)
    /// The state that subscribers were sent last if they keep up.
    private var served: DeliveredState
    /// The step that led to `shown`, and the view that it started from.
    private var lastTransition: (from: RenderedView.ID, Transition)?
    /// The diff of several steps that leads to `shown`, and the view that it starts from. Cached for the last caller.
    private var lastCoalesced: (from: RenderedView.ID, operations: [ListOperation])?
    /// Lines that lead to `shown`, at the revision of `state`.
    private var lines: [(standing: UpdateKey, line: EncodedUpdate)] = []
    /// Its index in the group of audiences with the same rows; nil when it is in none.
    var position: Int?
    /// Its index among the list's audiences that keep lines.
    var positionAmongLines: Int?
    /// Whether `shown` is to be served at the end of this tick.
    private var isDue = false
    private let longDifferences = LongDifferences()
    /// Bytes of the line of operations that was made last: the next one is about as long.
    private var lineLengthUsual = 0

    /// The number of lines kept for subscribers in the same state. Subscribers that fell behind, each at a different
    /// state, share no lines, so keeping theirs would only cost memory.
    private static let linesMax = 16
    /// Bytes sent together to subscribers that keep up: a few milliseconds of work. The other subscribers then follow at
    /// their own pace.
    private static let lengthServedMax = 16 << 20

    /// - Parameter position: the position of the window, if it depends on the rows that were sent before.
    init(
        number: Int, of list: FollowedList, through view: View, _ selection: LiveSelection?,
        at position: Window.Position? = nil
    ) {
        self.list = list
        self.view = view
        self.number = number
        self.selection = selection
        user = list.background.served.current
        let state = selection?.state ?? list.shownState
        let id = RenderedView.ID(audience: number, revision: state.revision)
        guard let rows = selection == nil ? state.snapshot : selection?.shown else { Self.isNotPrepared() }
        if let window = view.window, let position {
            shown = RenderedView(id, .window(window.extract(from: rows, at: position)))
        } else {
            shown = RenderedView(id, view.window.shown(of: rows))
        }
        served = DeliveredState(shown: shown, revision: state.revision)
    }

    /// - Parameter sent: the state that was shown before, and is unchanged. Rows outside its window may have moved
    ///   since.
    init(
        number: Int, of list: FollowedList, through view: View, _ selection: LiveSelection?, still sent: DeliveredState
    ) {
        self.list = list
        self.view = view
        self.number = number
        self.selection = selection
        user = list.background.served.current
        shown = sent.shown
        revisionBeforeMoves = sent.revision
        served = sent
    }

    private static func isNotPrepared() -> Never {
        preconditionFailure("a view is prepared before it has an audience")
    }

    // MARK: Members

    /// - Parameter old: its audience until now, which may have stayed only for this member.
    func add(_ subscription: Subscription, insteadOf old: Audience? = nil) {
        old?.remove(subscription)
        members.add(subscription)
    }

    /// Removes a subscription, and the audience itself after the last one.
    func remove(_ subscription: Subscription) {
        guard subscription.position != nil else { return }
        members.remove(subscription)
        if members.isEmpty { list.leave(self) }
    }

    // MARK: What is shown

    /// Follows its list, whose rows have taken a step from one state to another.
    func follow(_ rows: Transition, from old: ListState, to state: ListState) {
        if isLagging { return }
        // A reload always sends a reset, even if it changes nothing.
        let isReload = state.lastReloadRevision > old.revision
        let operations = rows.operationsAtOnce(in: list.background.turn)
        guard let window = view.window else {
            forgetSteps()
            // Several transactions of one tick may have cancelled out.
            if isReload || operations?.isEmpty != true { updateShown(rows, .all(rows.new)) }
            return
        }
        if !isReload, let operations, shown.isUntouched(by: operations) { return forgetSteps() }
        switch list.laggingWindows.admit(self) {
        case .now: move(window, to: rows.new, from: old)
        case .later: stateBehind = old
        case .inBackground:
            stateBehind = old
            computeInBackground()
        }
    }

    /// The work of bringing its window up to date, in rows.
    var rowsToFollow: Int {
        guard let window = view.window, let rows else { return 0 }
        return window.rowsToFollow(in: rows)
    }

    /// All rows of its view now.
    private var rows: Snapshot? { selection == nil ? list.shownState.snapshot : selection?.shown }

    /// The state of `rows`.
    private var stateOfRows: ListState? { selection == nil ? list.shownState : selection?.state }

    /// Brings its window up to date if it lags.
    func catchUp() {
        guard let old = stateBehind, let window = view.window, let rows else { return }
        (stateBehind, stateSought) = (nil, nil)
        if isOver { return }
        move(window, to: rows, from: old)
        noteCaughtUp()
    }

    /// Whether it has no subscribers left, or its list is deleted.
    private var isOver: Bool { position == nil || list.isDeleted }

    /// Has the background find the rows of its window. If the list changes in the meantime, it finds them again.
    private func computeInBackground() {
        guard let window = view.window, let rows, let goal = stateOfRows else { return }
        stateSought = goal
        let (before, sent) = (shown.snapshot, window.isMoving ? shown.sent : nil)
        let find: @Sendable () -> (Window.Extract, [ListOperation]) = {
            let extract = window.extract(from: rows, after: sent)
            return (extract, extract.snapshot.difference(from: before))
        }
        list.background.compute(
            for: user, size: rowsToFollow, while: { [self] in stateSought === goal && !isOver }, find
        ) { [self] extract, operations in
            guard stateSought === goal, !isOver, let old = stateBehind else { return }
            (stateBehind, stateSought) = (goal, nil)
            list.background.free(before)
            updateShown(extract, by: Transition(to: extract.snapshot, by: operations), from: old)
            if goal === stateOfRows { stateBehind = nil } else { computeInBackground() }
            noteCaughtUp()
        }
    }

    /// Serves its subscribers, even if its rows have not changed, because replies wait until that is known.
    private func noteCaughtUp() {
        members.forEach { $0.markDue() }
        list.scheduleServing()
    }

    private func move(_ window: Window, to rows: Snapshot, from old: ListState) {
        let extract = window.extract(from: rows, after: window.isMoving ? shown.sent : nil)
        updateShown(extract, by: Transition(from: shown.snapshot, to: extract.snapshot), from: old)
    }

    private func updateShown(_ extract: Window.Extract, by step: Transition, from old: ListState) {
        forgetSteps()
        let isReload = state.lastReloadRevision > old.revision
        if isReload || shown.extent != extract.extent || shown.anchor != extract.anchor || !step.operations.isEmpty {
            updateShown(step, .window(extract))
        } else if view.window?.isMoving == true {
            revisionBeforeMoves = revisionBeforeMoves ?? old.revision
        }
    }

    private func forgetSteps() {
        dropLines()
        lastTransition = nil
        lastCoalesced = nil
    }

    private func updateShown(_ step: Transition, _ rows: ShownRows) {
        if !isDue {
            isDue = true
            list.noteShown(by: self)
        }
        lastTransition = (shown.id, step)
        shown = RenderedView(RenderedView.ID(audience: number, revision: state.revision), rows)
        revisionBeforeMoves = nil
    }

    /// The rows that it showed at an earlier state of the list.
    func shown(at state: ListState, _ rows: ShownRows) -> RenderedView {
        RenderedView(RenderedView.ID(audience: number, revision: state.revision), rows)
    }

    // MARK: Serving

    /// Sends the current state to members that keep up, and marks the others as due.
    func serve() {
        isDue = false
        let from = served
        if from.shown === shown && !list.isDeleted { return }
        served = target
        var position = members.count
        var lengthLeft = Self.lengthServedMax
        while let next = memberToServe(before: &position, from) {
            guard lengthLeft > 0 else {
                letLag(next)
                continue
            }
            guard let line = encodedUpdate(from: from, resetReason: .initial, to: next.number, next.form) else {
                return wake()
            }
            if line.rest == nil {
                line.bytes.withUnsafeBytes { bytes in
                    send(bytes, to: next)
                    lengthLeft -= bytes.count
                    sendToSimilarMembers(line, bytes, before: &position, from, &lengthLeft)
                }
            } else {
                // Several lines, or pages, are written one by one, as the socket takes them.
                letLag(next)
            }
        }
    }

    /// Marks all members as due, each at its own pace.
    func wake() {
        members.forEach { letLag($0) }
    }

    /// Lets the member follow at its own pace.
    private func letLag(_ member: Subscription) {
        list.onLag()
        member.markDue()
    }

    /// Returns the next member before a position, backwards, that keeps up, and marks the skipped ones as due. If a
    /// member leaves while it is served, the last member, which has been served already, takes its position.
    @inline(__always)
    private func memberToServe(before position: inout Int, _ from: DeliveredState) -> Subscription? {
        while position > 0 {
            position -= 1
            guard position < members.count else { continue }
            let member = members[position]
            if !list.isDeleted, member.keepsUp(from: from) { return member }
            letLag(member)
        }
        return nil
    }

    /// Sends a line to the following members that need the same bytes, and stops at the first that needs other bytes.
    private func sendToSimilarMembers(
        _ line: EncodedUpdate, _ bytes: UnsafeRawBufferPointer, before position: inout Int, _ from: DeliveredState,
        _ lengthLeft: inout Int
    ) {
        let (subscription, form) = (line.subscription, line.form)
        while lengthLeft > 0, let member = memberToServe(before: &position, from) {
            guard member.number == subscription, member.form == form else {
                position += 1
                return
            }
            send(bytes, to: member)
            lengthLeft -= bytes.count
        }
    }

    @inline(__always)
    private func send(_ bytes: UnsafeRawBufferPointer, to member: Subscription) {
        member.sent = served
        member.noteDelivery(of: bytes.count)
        member.connection.send(bytes)
    }

    // MARK: Lines

    /// The state of a subscriber that has been sent everything. A client that resumes from this revision has the rows
    /// on which the next position of its window depends.
    var target: DeliveredState {
        DeliveredState(shown: shown, revision: revisionBeforeMoves ?? state.revision)
    }

    /// Returns the next update of a subscriber, from the state that it was sent last; the reason is for a subscriber
    /// that was sent nothing. Returns nil if the diff takes long to compute: then use `longDifference`.
    func encodedUpdate(
        from sent: DeliveredState?, resetReason: NotificationWriter.ResetReason, to subscription: Int, _ form: LineForm
    ) -> EncodedUpdate? {
        let standing = UpdateKey(start: start(from: sent, resetReason, form), form: form)
        if let position = lines.firstIndex(where: { $0.standing == standing }) {
            let line = lines[position].line.addressed(to: subscription)
            lines[position].line = line
            return line
        }
        if let sent, isLong(from: sent, form) { return nil }
        let line = newUpdate(from: sent, resetReason, to: subscription, form)
        if lines.isEmpty, selection != nil { list.noteLines(of: self) }
        if lines.count >= Self.linesMax { lines.removeAll() }
        lines.append((standing, line))
        return line
    }

    /// Drops the kept lines, because they name an outdated revision.
    func dropLines() { if !lines.isEmpty { lines.removeAll(keepingCapacity: true) } }

    private func start(from sent: DeliveredState?, _ resetReason: NotificationWriter.ResetReason, _ form: LineForm)
        -> Start
    {
        guard let sent else { return .nothing(resetReason) }
        if form == .snapshots, !isReload(since: sent) { return .anything }
        return .sent(sent.shown.id, sent.revision)
    }

    private func newUpdate(
        from sent: DeliveredState?, _ resetReason: NotificationWriter.ResetReason, to subscription: Int,
        _ form: LineForm
    ) -> EncodedUpdate {
        switch form {
        case .operations(let lineLengthMax):
            let line =
                journalledUpdate(from: sent, to: subscription, lineLengthMax: lineLengthMax)
                ?? encoded(operations(from: sent, resetReason), to: subscription, lineLengthMax: lineLengthMax)
            lineLengthUsual = line.bytes.count
            return line
        case .snapshots:
            return encoded(snapshot(from: sent, resetReason), to: subscription, form)
        case .patches:
            return encoded(patch(from: sent, resetReason), to: subscription, form)
        }
    }

    /// Whether the diff from the sent state takes long to compute.
    private func isLong(from sent: DeliveredState, _ form: LineForm) -> Bool {
        if form == .snapshots || isReload(since: sent) { return false }
        if let step = step(from: sent) { return step.operationsAtOnce(in: list.background.turn) == nil }
        return !shown.snapshot.sharesMostPages(with: sent.shown.snapshot, in: list.background.turn)
    }

    /// Has the background compute the diff from the sent state, once for all subscribers that wait for it.
    func longDifference(from sent: DeliveredState, for subscription: Subscription) -> LongDifference {
        longDifferences.difference(from: sent, to: target, for: subscription, list.background)
    }

    /// Returns the next update of a subscriber from a diff that was computed in the background. The audience may show a
    /// newer state by now: that belongs to the next update.
    func encodedUpdate(
        from sent: DeliveredState, to target: DeliveredState, by operations: [ListOperation], to subscription: Int,
        _ form: LineForm
    ) -> EncodedUpdate {
        switch form {
        case .operations(let lineLengthMax):
            encoded(changes(from: sent, to: target, by: operations), to: subscription, lineLengthMax: lineLengthMax)
        case .patches: encoded(patch(from: sent, to: target, by: operations), to: subscription, form)
        case .snapshots: preconditionFailure("a snapshot needs no difference")
        }
    }

    private func encoded(_ line: LongLineWriter, to subscription: Int, _ form: LineForm) -> EncodedUpdate {
        EncodedUpdate(line.method, to: subscription, form, capacity: 0) { writer in
            var rest = line
            guard rest.write(into: &writer, upTo: UpdateRemainder.pageLength) == .more else { return nil }
            return list.pages.makeRemainder(.line(rest))
        }
    }

    private func encoded(
        _ notification: NotificationWriter, to subscription: Int, lineLengthMax: Int
    ) -> EncodedUpdate {
        EncodedUpdate(
            notification.method, to: subscription, .operations(lineLengthMax: lineLengthMax), capacity: lineLengthUsual
        ) { writer in
            var rest = notification
            guard rest.writeRest(into: &writer, lineLengthMax: lineLengthMax) == .more else { return nil }
            return list.pages.makeRemainder(.lines(rest, lineLengthMax: lineLengthMax))
        }
    }

    /// Reuses the journal's bytes for a step of one transaction, because the journal and the pushed line have the same
    /// operations.
    private func journalledUpdate(from sent: DeliveredState?, to subscription: Int, lineLengthMax: Int)
        -> EncodedUpdate?
    {
        guard let sent, !isReload(since: sent), let encoded = step(from: sent)?.encoded,
            NotificationWriter.isOneLine(encoded: encoded, lineLengthMax: lineLengthMax)
        else { return nil }
        let capacity = NotificationWriter.headLengthMax + encoded.count
        let form = LineForm.operations(lineLengthMax: lineLengthMax)
        return EncodedUpdate(.changes, to: subscription, form, capacity: capacity) { writer in
            NotificationWriter.writeRest(
                ofChangesOf: state.name, from: sent.revision, to: state.revision, encoded: encoded, into: &writer)
            return nil
        }
    }

    /// The step that led from the sent state to the shown one, if it was a single step.
    private func step(from sent: DeliveredState) -> Transition? {
        guard let (from, step) = lastTransition, from == sent.shown.id else { return nil }
        return step
    }

    private func isReload(since sent: DeliveredState) -> Bool { state.lastReloadRevision > sent.revision }

    /// Whether one step led from the sent rows to the shown ones.
    func follows(_ sent: DeliveredState) -> Bool { lastTransition?.from == sent.shown.id }

    /// Whether a subscriber was last sent exactly what is shown now, because the changes since have cancelled out.
    /// False when that takes long to compute.
    func isUnchanged(since sent: DeliveredState) -> Bool {
        if isReload(since: sent) || shown.extent != sent.shown.extent { return false }
        let turn = list.background.turn
        if let step = step(from: sent) { return step.operationsAtOnce(in: turn)?.isEmpty == true }
        return shown.snapshot.sharesMostPages(with: sent.shown.snapshot, in: turn) && coalesced(from: sent).isEmpty
    }

    /// Returns the diff from the sent state to the shown one.
    private func difference(from sent: DeliveredState) -> [ListOperation] {
        if let step = step(from: sent) { return step.operations }
        return coalesced(from: sent)
    }

    private func operations(
        from sent: DeliveredState?, _ resetReason: NotificationWriter.ResetReason
    ) -> NotificationWriter {
        guard let sent else { return reset(resetReason) }
        if isReload(since: sent) { return reset(.reload) }
        return changes(from: sent, to: target, by: difference(from: sent))
    }

    private func snapshot(from sent: DeliveredState?, _ resetReason: NotificationWriter.ResetReason) -> LongLineWriter {
        guard let sent else { return snapshot(resetReason) }
        return snapshot(isReload(since: sent) ? .reload : nil)
    }

    private func patch(from sent: DeliveredState?, _ resetReason: NotificationWriter.ResetReason) -> LongLineWriter {
        guard let sent else { return snapshot(resetReason) }
        if isReload(since: sent) { return snapshot(.reload) }
        return patch(from: sent, to: target, by: difference(from: sent))
    }

    /// Combines several steps into one diff. It is cached, because a subscriber first asks whether it is empty.
    private func coalesced(from sent: DeliveredState) -> [ListOperation] {
        if let lastCoalesced, lastCoalesced.from == sent.shown.id { return lastCoalesced.operations }
        let operations = shown.snapshot.difference(from: sent.shown.snapshot)
        lastCoalesced = (sent.shown.id, operations)
        return operations
    }
}
