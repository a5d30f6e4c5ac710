import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// Those who follow one list through one view, and the lines that they share.
///
/// An audience belongs to one life of a list. Subscribers pull: when a socket can take more, its subscription is sent
/// what leads from what it was sent last to what is shown now. Those who stand alike get the same bytes, which are made
/// for the first of them. So nothing is queued for anybody, and a slow subscriber holds one old snapshot.
///
/// Nearly all subscribers keep up: they were sent all there was at the end of the turn before, and their sockets are
/// not full. `serve` brings these to the current state in one loop; the others go at their own pace, each when its
/// connection is served.
final class Audience {
    let list: FollowedList
    let view: View
    /// Among the list's audiences, also those that are gone.
    let number: Int
    /// Where its rows come from; nil: from the list itself.
    let selection: LiveSelection?
    /// The list's state that is shown: its newest, or an older one while the background is looking for the next.
    var state: ListState {
        guard let state = selection == nil ? list.shownState : selection?.state else { Self.isNotPrepared() }
        return state
    }
    /// What is shown of it.
    private(set) var shown: RenderedView
    /// The last revision before rows outside of a window moved unseen; nil if none did since that was shown. The next position of
    /// the window depends on the rows at that revision, so a newcomer, who is sent later ones, needs another audience.
    private var revisionBeforeMoves: Int?
    var hasUnseenMoves: Bool { revisionBeforeMoves != nil }
    private(set) var members = UnorderedGroup(\Subscription.position)
    /// What those who keep up were sent last.
    private var served: DeliveredState
    /// What led to `shown`, and from where.
    private var lastTransition: (from: RenderedView.ID, Transition)?
    /// What leads to `shown` in several steps, and from where: for the last who asked.
    private var lastCoalesced: (from: RenderedView.ID, operations: [ListOperation])?
    /// Towards `shown`, at the revision of `state`.
    private var lines: [(standing: Standing, line: EncodedUpdate)] = []
    /// Among those that have the same rows, for their group; nil when it is in none.
    var position: Int?
    /// Among those of its list that keep lines.
    var positionAmongLines: Int?
    /// What it shows is to be served at the end of the turn.
    private var isDue = false
    private let longDifferences = LongDifferences()
    /// Of the line of operations that was made last, in bytes: the next one is about as long.
    private var lineLengthUsual = 0

    /// How many lines are kept for those who might stand alike: subscribers that fell behind each in its own place
    /// share with nobody, and what is kept for them would only cost memory.
    private static let linesMax = 16
    /// How much is sent at once to those who keep up, in bytes: a few milliseconds. All who are left have it as those who
    /// do not.
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

    /// - Parameter sent: what was shown before, and is the same now. Rows outside of its window may have moved since.
    init(
        number: Int, of list: FollowedList, through view: View, _ selection: LiveSelection?, still sent: DeliveredState
    ) {
        self.list = list
        self.view = view
        self.number = number
        self.selection = selection
        shown = sent.shown
        revisionBeforeMoves = sent.revision
        served = sent
    }

    private static func isNotPrepared() -> Never {
        preconditionFailure("a view is prepared before it has an audience")
    }

    // MARK: Members

    /// - Parameter old: where it was until now; that may have waited for the last to go.
    func add(_ subscription: Subscription, insteadOf old: Audience? = nil) {
        old?.remove(subscription)
        members.add(subscription)
    }

    /// Lets a subscription go, and itself when that was the last one.
    func remove(_ subscription: Subscription) {
        guard subscription.position != nil else { return }
        members.remove(subscription)
        if members.isEmpty { list.leave(self) }
    }

    // MARK: What is shown

    /// Goes along with its list, of which the rows have taken a step from one state to another.
    func follow(_ rows: Transition, from old: ListState, to state: ListState) {
        dropLines()
        lastTransition = nil
        lastCoalesced = nil
        // Who is to start anew is told so, whether or not that changes anything.
        let isReload = state.lastReloadRevision > old.revision
        let turn = list.background.turn
        guard let window = view.window else {
            // Several transactions of one turn may have cancelled out.
            if isReload || rows.operationsAtOnce(in: turn)?.isEmpty != true { show(rows, .all(rows.new)) }
            return
        }
        if !isReload, let operations = rows.operationsAtOnce(in: turn), shown.isUntouched(by: operations) { return }
        let extract = window.extract(from: rows.new, after: window.isMoving ? shown.sent : nil)
        let step = Transition(from: shown.snapshot, to: extract.snapshot)
        if isReload || shown.extent != extract.extent || shown.anchor != extract.anchor || !step.operations.isEmpty {
            show(step, .window(extract))
        } else if window.isMoving {
            revisionBeforeMoves = revisionBeforeMoves ?? old.revision
        }
    }

    private func show(_ step: Transition, _ rows: ShownRows) {
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

    // MARK: Turns

    /// Sends those who keep up what there is, and lets the others know of it.
    func serve() {
        isDue = false
        let from = served
        if from.shown === shown && !list.isDeleted { return }
        served = target
        var position = members.count
        var lengthLeft = Self.lengthServedMax
        while let next = memberToServe(before: &position, from) {
            guard lengthLeft > 0 else {
                leaveBehind(next)
                continue
            }
            guard let line = encodedUpdate(from: from, resetReason: .initial, to: next.number, next.form) else {
                return wake()
            }
            if line.rest == nil {
                line.bytes.withUnsafeBytes { bytes in
                    send(bytes, to: next)
                    lengthLeft -= bytes.count
                    share(line, bytes, before: &position, from, &lengthLeft)
                }
            } else {
                // Several lines, or pages, are written one by one, as the socket takes them.
                leaveBehind(next)
            }
        }
    }

    /// Has everybody looked after, each at its own pace.
    func wake() {
        members.forEach { leaveBehind($0) }
    }

    /// The member follows at its own pace.
    private func leaveBehind(_ member: Subscription) {
        list.onLag()
        member.markDue()
    }

    /// Goes through the members before a position, backwards, to the next who keeps up. Whoever closes while it is
    /// served leaves its place to one that has been served already.
    @inline(__always)
    private func memberToServe(before position: inout Int, _ from: DeliveredState) -> Subscription? {
        while position > 0 {
            position -= 1
            guard position < members.count else { continue }
            let member = members[position]
            if !list.isDeleted, member.keepsUp(from: from) { return member }
            leaveBehind(member)
        }
        return nil
    }

    /// Sends a line to all those for whom it is the same, up to the first for whom it is another.
    private func share(
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

    /// What whoever is sent all there is has then. A client that comes back from this revision has the rows on which the next
    /// position of its window depends.
    var target: DeliveredState {
        DeliveredState(shown: shown, revision: revisionBeforeMoves ?? state.revision)
    }

    /// What a subscriber is sent next, from what it was sent last; the reason is for one that was sent nothing. Nil when
    /// to find it takes long: that is for `longDifference`.
    func encodedUpdate(
        from sent: DeliveredState?, resetReason: NotificationWriter.ResetReason, to subscription: Int, _ form: LineForm
    ) -> EncodedUpdate? {
        let standing = Standing(start: start(from: sent, resetReason, form), form: form)
        if let position = lines.firstIndex(where: { $0.standing == standing }) {
            let line = lines[position].line.addressed(to: subscription)
            lines[position].line = line
            return line
        }
        if let sent, isLong(from: sent, form) { return nil }
        let line = made(from: sent, resetReason, to: subscription, form)
        if lines.isEmpty, selection != nil { list.noteLines(of: self) }
        if lines.count >= Self.linesMax { lines.removeAll() }
        lines.append((standing, line))
        return line
    }

    /// They name a revision that is over.
    func dropLines() { if !lines.isEmpty { lines.removeAll(keepingCapacity: true) } }

    private func start(from sent: DeliveredState?, _ resetReason: NotificationWriter.ResetReason, _ form: LineForm)
        -> Start
    {
        guard let sent else { return .nothing(resetReason) }
        if form == .snapshots, !isReload(since: sent) { return .anything }
        return .sent(sent.shown.id, sent.revision)
    }

    private func made(
        from sent: DeliveredState?, _ resetReason: NotificationWriter.ResetReason, to subscription: Int,
        _ form: LineForm
    ) -> EncodedUpdate {
        switch form {
        case .operations(let lineLengthMax):
            let line =
                journalled(from: sent, to: subscription, lineLengthMax: lineLengthMax)
                ?? written(operations(from: sent, resetReason), to: subscription, lineLengthMax: lineLengthMax)
            lineLengthUsual = line.bytes.count
            return line
        case .snapshots:
            return written(snapshot(from: sent, resetReason), to: subscription, form)
        case .patches:
            return written(patch(from: sent, resetReason), to: subscription, form)
        }
    }

    /// Whether it takes long to find what leads from there to here.
    private func isLong(from sent: DeliveredState, _ form: LineForm) -> Bool {
        if form == .snapshots || isReload(since: sent) { return false }
        if let step = step(from: sent) { return step.operationsAtOnce(in: list.background.turn) == nil }
        return !shown.snapshot.isNear(sent.shown.snapshot, in: list.background.turn)
    }

    /// Has the background look for what leads from there to here, once for all who ask.
    func longDifference(from sent: DeliveredState, for subscription: Subscription) -> LongDifference {
        longDifferences.find(from: sent, to: target, for: subscription, list.background)
    }

    /// What a subscriber is sent next when that was found in the background. More may be shown by now: that is for the
    /// next group.
    func encodedUpdate(
        from sent: DeliveredState, to target: DeliveredState, by operations: [ListOperation], to subscription: Int,
        _ form: LineForm
    ) -> EncodedUpdate {
        switch form {
        case .operations(let lineLengthMax):
            written(changes(from: sent, to: target, by: operations), to: subscription, lineLengthMax: lineLengthMax)
        case .patches: written(patch(from: sent, to: target, by: operations), to: subscription, form)
        case .snapshots: preconditionFailure("a snapshot needs no difference")
        }
    }

    private func written(_ line: LongLineWriter, to subscription: Int, _ form: LineForm) -> EncodedUpdate {
        EncodedUpdate(line.method, to: subscription, form, capacity: 0) { writer in
            var rest = line
            guard rest.write(into: &writer, upTo: UpdateRest.pageLength) == .more else { return nil }
            return list.pages.rest(.line(rest))
        }
    }

    private func written(
        _ notification: NotificationWriter, to subscription: Int, lineLengthMax: Int
    ) -> EncodedUpdate {
        EncodedUpdate(
            notification.method, to: subscription, .operations(lineLengthMax: lineLengthMax), capacity: lineLengthUsual
        ) { writer in
            var rest = notification
            guard rest.writeRest(into: &writer, lineLengthMax: lineLengthMax) == .more else { return nil }
            return list.pages.rest(.lines(rest, lineLengthMax: lineLengthMax))
        }
    }

    /// What was journalled for one transaction and what is pushed for it are the same bytes, made once.
    private func journalled(from sent: DeliveredState?, to subscription: Int, lineLengthMax: Int) -> EncodedUpdate? {
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

    /// The step that led from there to here, if it was one.
    private func step(from sent: DeliveredState) -> Transition? {
        guard let (from, step) = lastTransition, from == sent.shown.id else { return nil }
        return step
    }

    private func isReload(since sent: DeliveredState) -> Bool { state.lastReloadRevision > sent.revision }

    /// Whether one step led from the rows that were sent to those that are shown.
    func follows(_ sent: DeliveredState) -> Bool { lastTransition?.from == sent.shown.id }

    /// Whether what a subscriber was sent last is what is shown now, because what changed since has cancelled out. False
    /// when it takes long to tell.
    func isUnchanged(since sent: DeliveredState) -> Bool {
        if isReload(since: sent) || shown.extent != sent.shown.extent { return false }
        let turn = list.background.turn
        if let step = step(from: sent) { return step.operationsAtOnce(in: turn)?.isEmpty == true }
        return shown.snapshot.isNear(sent.shown.snapshot, in: turn) && coalesced(from: sent).isEmpty
    }

    /// What leads from there to here.
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

    /// Several steps as one. Kept, because a subscriber asks first whether it is anything at all.
    private func coalesced(from sent: DeliveredState) -> [ListOperation] {
        if let lastCoalesced, lastCoalesced.from == sent.shown.id { return lastCoalesced.operations }
        let operations = shown.snapshot.difference(from: sent.shown.snapshot)
        lastCoalesced = (sent.shown.id, operations)
        return operations
    }
}
