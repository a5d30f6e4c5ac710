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
    /// What is shown of `list.shownState`.
    private(set) var shown: Shown
    /// In no order.
    private(set) var members: [Subscription] = []
    /// What those who keep up were sent last.
    private var served: Sent
    /// What led to `shown`, and from where.
    private var lastStep: (from: Shown.ID, Step)?
    /// Towards `shown`, at the current revision.
    private var lines: [Standing: FirstLine] = [:]
    /// Of lines that do not fit one page.
    private var pages = LongLinePages()
    /// Of the line of operations that was made last, in bytes: the next one is about as long.
    private var lineLengthUsual = 0

    /// How many lines are kept for those who might stand alike: subscribers that fell behind each in its own place
    /// share with nobody, and what is kept for them would only cost memory.
    private static let linesMax = 16

    /// What decides what a subscriber gets next, but for its number.
    private struct Standing: Hashable {
        var start: Start
        var form: LineForm
    }

    private enum Start: Hashable {
        /// What was sent last, and the revision that it was sent for.
        case sent(Shown.ID, Int)
        /// From nothing; why is said in the `reset`.
        case nothing(NotificationWriter.ResetReason)
        /// A whole state is the same for all who have one already.
        case anything
    }

    init(number: Int, of list: FollowedList, through view: View, _ selection: LiveSelection?) {
        self.list = list
        self.view = view
        self.number = number
        self.selection = selection
        let state = list.shownState
        let id = Shown.ID(audience: number, revision: state.revision)
        let rows = selection?.snapshot ?? state.snapshot
        let extract = view.window?.extract(from: rows)
        shown = Shown(id, extract?.snapshot ?? rows, extract?.extent)
        served = Sent(shown: shown, revision: state.revision)
    }

    // MARK: Members

    /// - Parameter old: where it was until now; that may have waited for the last to go.
    func add(_ subscription: Subscription, insteadOf old: Audience? = nil) {
        old?.remove(subscription)
        subscription.position = members.count
        members.append(subscription)
    }

    /// Lets a subscription go, and itself when that was the last one.
    func remove(_ subscription: Subscription) {
        guard let position = subscription.position else { return }
        subscription.position = nil
        let last = members.removeLast()
        if last !== subscription {
            members[position] = last
            last.position = position
        }
        if members.isEmpty { list.leave(self) }
    }

    // MARK: What is shown

    /// Goes along with its list, which has taken a step from an earlier state.
    func follow(_ step: Step, from old: ListState) {
        // They name the revision.
        if !lines.isEmpty { lines.removeAll(keepingCapacity: true) }
        lastStep = nil
        let rows = selection?.follow(step) ?? step
        if selection == nil && view.window == nil { return show(rows) }
        // Who is to start anew is told so, whether or not that changes anything.
        let isReload = list.shownState.lastReloadRevision > old.revision
        guard let window = view.window else {
            if isReload || !rows.operations.isEmpty { show(rows) }
            return
        }
        if !isReload, shown.isUntouched(by: rows.operations) { return }
        let extract = window.extract(from: rows.new, previousOffset: shown.extent?.offset ?? 0)
        let step = Step(from: shown.snapshot, to: extract.snapshot)
        if isReload || shown.extent != extract.extent || !step.operations.isEmpty { show(step, extract.extent) }
    }

    private func show(_ step: Step, _ extent: Window.Extent? = nil) {
        lastStep = (shown.id, step)
        shown = Shown(Shown.ID(audience: number, revision: list.shownState.revision), step.new, extent)
    }

    /// What was shown of a state of the list. Nil when nobody can tell any more: a window that has lost its anchor shows
    /// what is where it was before, and who asks may have come there by another way. Costs what differs between that
    /// state and the current one.
    func shown(at state: ListState) -> Shown? {
        var known = shown
        if state !== list.shownState {
            let (snapshot, extent) = list.shown(of: state, through: view)
            known = Shown(Shown.ID(audience: number, revision: state.revision), snapshot, extent)
        }
        if case .anchor(let anchor)? = view.window?.start, !known.snapshot.contains(anchor) { return nil }
        return known
    }

    // MARK: Turns

    /// Sends those who keep up what there is, and lets the others know of it.
    func serve() {
        let from = served
        if from.shown === shown && !list.isDeleted { return }
        served = Sent(shown: shown, revision: list.shownState.revision)
        var position = members.count
        while let next = memberToServe(before: &position, from) {
            let line = firstLine(from: from, resetReason: .initial, to: next.number, next.form)
            if line.rest == nil {
                line.bytes.withUnsafeBytes { bytes in
                    send(bytes, to: next)
                    share(line, bytes, before: &position, from)
                }
            } else {
                // Several lines, or pages, are written one by one, as the socket takes them.
                next.isBehind()
            }
        }
    }

    /// Goes through the members before a position, backwards, to the next who keeps up. Whoever closes while it is
    /// served leaves its place to one that has been served already.
    @inline(__always)
    private func memberToServe(before position: inout Int, _ from: Sent) -> Subscription? {
        while position > 0 {
            position -= 1
            guard position < members.count else { continue }
            let member = members[position]
            if !list.isDeleted, member.keepsUp(from: from) { return member }
            member.isBehind()
        }
        return nil
    }

    /// Sends a line to all those for whom it is the same, up to the first for whom it is another.
    private func share(_ line: FirstLine, _ bytes: UnsafeRawBufferPointer, before position: inout Int, _ from: Sent) {
        let (subscription, form) = (line.subscription, line.form)
        while let member = memberToServe(before: &position, from) {
            guard member.number == subscription, member.form == form else {
                position += 1
                return
            }
            send(bytes, to: member)
        }
    }

    @inline(__always)
    private func send(_ bytes: UnsafeRawBufferPointer, to member: Subscription) {
        member.sent = served
        member.noteDelivery(of: bytes.count)
        member.connection.send(bytes)
    }

    // MARK: Lines

    /// What a subscriber is sent next, from what it was sent last; the reason is for one that was sent nothing.
    func firstLine(
        from sent: Sent?, resetReason: NotificationWriter.ResetReason, to subscription: Int, _ form: LineForm
    ) -> FirstLine {
        let standing = Standing(start: start(from: sent, resetReason, form), form: form)
        let known = lines[standing]
        if let known, known.subscription == subscription { return known }
        let line = known?.addressed(to: subscription) ?? made(from: sent, resetReason, to: subscription, form)
        if lines.count >= Self.linesMax { lines.removeAll() }
        lines[standing] = line
        return line
    }

    private func start(from sent: Sent?, _ resetReason: NotificationWriter.ResetReason, _ form: LineForm) -> Start {
        guard let sent else { return .nothing(resetReason) }
        if form == .snapshots, !isReload(since: sent) { return .anything }
        return .sent(sent.shown.id, sent.revision)
    }

    private func made(
        from sent: Sent?, _ resetReason: NotificationWriter.ResetReason, to subscription: Int, _ form: LineForm
    ) -> FirstLine {
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

    /// More of a line.
    func page(of line: LongLine) -> Page { pages.page(of: line) }

    /// Somebody begins to read a line that does not fit one page.
    func beginLongLine() { pages.enter() }

    func endLongLine() { pages.leave() }

    private func written(_ line: LongLineWriter, to subscription: Int, _ form: LineForm) -> FirstLine {
        FirstLine(line.method, to: subscription, form, capacity: 0) { writer in
            var rest = line
            guard rest.write(into: &writer, upTo: LongLine.pageLength) == .more else { return nil }
            return .pages(pages.newLine(rest))
        }
    }

    private func written(
        _ notification: NotificationWriter, to subscription: Int, lineLengthMax: Int
    ) -> FirstLine {
        FirstLine(
            notification.method, to: subscription, .operations(lineLengthMax: lineLengthMax), capacity: lineLengthUsual
        ) { writer in
            var rest = notification
            return rest.writeRest(into: &writer, lineLengthMax: lineLengthMax) == .done ? nil : .lines(rest)
        }
    }

    /// What was journalled for one transaction and what is pushed for it are the same bytes, made once.
    private func journalled(from sent: Sent?, to subscription: Int, lineLengthMax: Int) -> FirstLine? {
        guard let sent, !isReload(since: sent), let encoded = step(from: sent)?.encoded,
            NotificationWriter.isOneLine(encoded: encoded, lineLengthMax: lineLengthMax)
        else { return nil }
        let state = list.shownState
        let capacity = NotificationWriter.headLengthMax + encoded.count
        let form = LineForm.operations(lineLengthMax: lineLengthMax)
        return FirstLine(.changes, to: subscription, form, capacity: capacity) { writer in
            NotificationWriter.writeRest(
                ofChangesOf: state.name, from: sent.revision, to: state.revision, encoded: encoded, into: &writer)
            return nil
        }
    }

    /// The step that led from there to here, if it was one.
    private func step(from sent: Sent) -> Step? {
        guard let (from, step) = lastStep, from == sent.shown.id else { return nil }
        return step
    }

    private func isReload(since sent: Sent) -> Bool { list.shownState.lastReloadRevision > sent.revision }

    /// What leads from there to here.
    private func difference(from sent: Sent) -> [Operation] {
        step(from: sent)?.operations ?? coalesced(from: sent)
    }

    private func operations(
        from sent: Sent?, _ resetReason: NotificationWriter.ResetReason
    ) -> NotificationWriter {
        guard let sent else { return reset(resetReason) }
        if isReload(since: sent) { return reset(.reload) }
        return NotificationWriter(
            changesOf: list.state.name, from: sent.revision, to: list.shownState.revision,
            operations: difference(from: sent), extent: shown.extent)
    }

    private func snapshot(from sent: Sent?, _ resetReason: NotificationWriter.ResetReason) -> LongLineWriter {
        guard let sent else { return snapshot(resetReason) }
        return snapshot(isReload(since: sent) ? .reload : nil)
    }

    private func patch(from sent: Sent?, _ resetReason: NotificationWriter.ResetReason) -> LongLineWriter {
        guard let sent else { return snapshot(resetReason) }
        if isReload(since: sent) { return snapshot(.reload) }
        return LongLineWriter(
            patchOf: list.state.name, from: sent.revision, to: list.shownState.revision, old: sent.shown.snapshot,
            operations: difference(from: sent), extent: shown.extent)
    }

    private func snapshot(_ reason: NotificationWriter.ResetReason?) -> LongLineWriter {
        let state = list.shownState
        return LongLineWriter(
            snapshotOf: state.name, epoch: state.epoch, revision: state.revision, reason: reason,
            snapshot: shown.snapshot, extent: shown.extent)
    }

    /// Several steps as one.
    private func coalesced(from sent: Sent) -> [Diffable.Operation] {
        let operations = shown.snapshot.difference(from: sent.shown.snapshot)
        #if DEBUG
            if PlantedFault.current == .skipsCoalescedDelete {
                return operations.filter { if case .deleteItems = $0 { false } else { true } }
            }
        #endif
        return operations
    }

    private func reset(_ reason: NotificationWriter.ResetReason) -> NotificationWriter {
        let state = list.shownState
        return NotificationWriter(
            resetOf: state.name, epoch: state.epoch, revision: state.revision, reason: reason,
            snapshot: shown.snapshot, extent: shown.extent)
    }
}

extension Shown {
    /// Whether operations on the list that a window is over leave it as it is. They may where they may not.
    fileprivate func isUntouched(by operations: [Operation]) -> Bool {
        operations.allSatisfy { operation in
            switch operation {
            case .reconfigureItems(let changes): changes.allSatisfy { !snapshot.contains($0.id) }
            case .reloadItems(let reloads): reloads.allSatisfy { !snapshot.contains($0.id) }
            case .reloadSections(let reloads): reloads.allSatisfy { !snapshot.contains($0.id) }
            case .expandItems(let ids), .collapseItems(let ids): ids.allSatisfy { !snapshot.contains($0) }
            default: false
            }
        }
    }
}
