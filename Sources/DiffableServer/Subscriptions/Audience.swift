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
    /// Of the line that was made last, in bytes: the next one is about as long.
    private var lineLengthUsual = 0

    /// How many lines are kept for those who might stand alike: subscribers that fell behind each in its own place
    /// share with nobody, and what is kept for them would only cost memory.
    private static let linesMax = 16

    /// What decides what a subscriber gets next, but for its number.
    private struct Standing: Hashable {
        var start: Start
        var lineLengthMax: Int
    }

    private enum Start: Hashable {
        /// What was sent last, and the revision that it was sent for.
        case sent(Shown.ID, Int)
        /// From nothing; why is said in the `reset`.
        case nothing(NotificationWriter.ResetReason)
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

    /// What was shown at an earlier revision; nil when nobody can tell any more, for a window that lost its anchor shows
    /// what it showed before. Costs what differs between then and now.
    func shown(at state: ListState) -> Shown? {
        if state === list.shownState { return shown }
        let (snapshot, extent) = list.shown(of: state, through: view)
        if case .anchor(let anchor)? = view.window?.start, !snapshot.contains(anchor) { return nil }
        return Shown(Shown.ID(audience: number, revision: state.revision), snapshot, extent)
    }

    // MARK: Turns

    /// Sends those who keep up what there is, and lets the others know of it.
    func serve() {
        let from = served
        if from.shown === shown && !list.isDeleted { return }
        served = Sent(shown: shown, revision: list.shownState.revision)
        var position = members.count
        while let next = memberToServe(before: &position, from) {
            let line = firstLine(
                from: from, resetReason: .initial, to: next.number, lineLengthMax: next.connection.lineLengthMax)
            if line.rest == nil {
                line.bytes.withUnsafeBytes { bytes in
                    send(bytes, to: next)
                    share(line, bytes, before: &position, from)
                }
            } else {
                // Several lines are written one by one, as the socket takes them.
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
        let (subscription, lineLengthMax) = (line.subscription, line.lineLengthMax)
        while let member = memberToServe(before: &position, from) {
            guard member.number == subscription, member.connection.lineLengthMax == lineLengthMax else {
                position += 1
                return
            }
            send(bytes, to: member)
        }
    }

    @inline(__always)
    private func send(_ bytes: UnsafeRawBufferPointer, to member: Subscription) {
        member.sent = served
        member.connection.send(bytes)
    }

    // MARK: Lines

    /// What a subscriber is sent next, from what it was sent last; the reason is for one that was sent nothing.
    func firstLine(
        from sent: Sent?, resetReason: NotificationWriter.ResetReason, to subscription: Int, lineLengthMax: Int
    ) -> FirstLine {
        let standing = Standing(
            start: sent.map { .sent($0.shown.id, $0.revision) } ?? .nothing(resetReason), lineLengthMax: lineLengthMax)
        let known = lines[standing]
        if let known, known.subscription == subscription { return known }
        let line =
            known?.addressed(to: subscription)
            ?? made(from: sent, resetReason, to: subscription, lineLengthMax: lineLengthMax)
        if lines.count >= Self.linesMax { lines.removeAll() }
        lines[standing] = line
        return line
    }

    private func made(
        from sent: Sent?, _ resetReason: NotificationWriter.ResetReason, to subscription: Int, lineLengthMax: Int
    ) -> FirstLine {
        let line =
            journalled(from: sent, to: subscription, lineLengthMax: lineLengthMax)
            ?? written(notification(from: sent, resetReason), to: subscription, lineLengthMax: lineLengthMax)
        lineLengthUsual = line.bytes.count
        return line
    }

    private func written(
        _ notification: NotificationWriter, to subscription: Int, lineLengthMax: Int
    ) -> FirstLine {
        FirstLine(
            notification.method, to: subscription, lineLengthMax: lineLengthMax, capacity: lineLengthUsual
        ) { writer in
            var rest = notification
            return rest.writeRest(into: &writer, lineLengthMax: lineLengthMax) == .done ? nil : rest
        }
    }

    /// What was journalled for one transaction and what is pushed for it are the same bytes, made once.
    private func journalled(from sent: Sent?, to subscription: Int, lineLengthMax: Int) -> FirstLine? {
        guard let sent, !isReload(since: sent), let encoded = step(from: sent)?.encoded,
            NotificationWriter.isOneLine(encoded: encoded, lineLengthMax: lineLengthMax)
        else { return nil }
        let state = list.shownState
        let capacity = NotificationWriter.headLengthMax + encoded.count
        return FirstLine(.changes, to: subscription, lineLengthMax: lineLengthMax, capacity: capacity) { writer in
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

    private func notification(
        from sent: Sent?, _ resetReason: NotificationWriter.ResetReason
    ) -> NotificationWriter {
        guard let sent else { return reset(resetReason) }
        if isReload(since: sent) { return reset(.reload) }
        let operations = step(from: sent)?.operations ?? shown.snapshot.difference(from: sent.shown.snapshot)
        return NotificationWriter(
            changesOf: list.state.name, from: sent.revision, to: list.shownState.revision, operations: operations,
            extent: shown.extent)
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
