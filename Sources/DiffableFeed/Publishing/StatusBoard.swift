import Diffable
import DiffableClient
import DiffableInput
import Synchronization

/// The list `feeds`. It has one item for each feed, leased by the connection, so the items vanish when this process ends. A new
/// state is sent at once, up to ten times a second. Changes of times alone are sent at most once a second, so a feed that runs
/// often causes few writes.
package final class StatusBoard: Sendable {
    private struct State {
        /// In the file's order.
        var feeds: [ListName] = []
        var statuses: [ListName: FeedStatus] = [:]
        /// Whether this process handles the actions of the items.
        var isHandling = false

        var shown: [FeedStatus] {
            feeds.compactMap { feed in
                statuses[feed].map { status in
                    var status = status
                    status.hasActions = isHandling
                    return status
                }
            }
        }
    }

    let list: ListName
    let link: DaemonLink
    private let say: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let wakeSignal = WakeSignal()
    /// Signalled each time the list has been changed, for the handler.
    let listIsThere = WakeSignal()

    private static let timesPause = Duration.seconds(1)
    static let alternative = "use another list for the status (--feeds)"
    /// The list's own content. The rest of the appearance is in the items.
    private static let look = Content.object([
        ("title", .string("Feeds".utf8)), ("empty", .string("Nothing is fed".utf8)),
    ])

    package init(_ list: ListName, over link: DaemonLink, say: @escaping @Sendable (String) -> Void) {
        self.list = list
        self.link = link
        self.say = say
    }

    package func show(_ feeds: [FeedStatus]) {
        state.withLock { state in
            let known = state.statuses
            state.feeds = feeds.map(\.list)
            state.statuses = [:]
            for feed in feeds { state.statuses[feed.list] = known[feed.list] ?? feed }
        }
        wakeSignal.signal()
    }

    package func change(_ feed: ListName, _ body: (inout FeedStatus) -> Void) {
        state.withLock { state in
            guard var status = state.statuses[feed] else { return }
            body(&status)
            state.statuses[feed] = status
        }
        wakeSignal.signal()
    }

    func setHandling(_ isHandling: Bool) {
        state.withLock { $0.isHandling = isHandling }
        wakeSignal.signal()
    }

    package func run() async {
        await link.addReconnectSignal(wakeSignal)
        var sent = Sent()
        while !Task.isCancelled {
            let statuses = state.withLock(\.shown)
            let isUrgent =
                sent.failures == 0 && sent.differsInWords(from: statuses) && sent.urgent.take(at: .now)
            if !sent.isSame(statuses), isUrgent || sent.time + sent.pause <= .now { await send(statuses, &sent) }
            let isWaiting = !sent.isSame(state.withLock(\.shown))
            await wakeSignal.wait(until: isWaiting ? sent.time + sent.pause : nil)
            if let number = await link.number, number != sent.number { (sent.statuses, sent.failures) = ([], 0) }
        }
    }

    private func send(_ statuses: [FeedStatus], _ sent: inout Sent) async {
        let list = list
        let before = sent
        (sent.time, sent.hasAskedForOthers) = (.now, true)
        do {
            (sent.number, sent.epoch) = try await link.perform { current in
                var known = current.number == before.number ? before.statuses : []
                var epoch = before.epoch
                if !known.isEmpty, try await current.connection.epoch(of: list) != epoch { known = [] }
                if known.isEmpty {
                    try await current.connection.createList(list, durability: .volatile, ifPresent: .isKept)
                    epoch = try await current.connection.list(list, alternative: Self.alternative)?.epoch
                }
                var operations = Self.operations(from: known, to: statuses)
                if !operations.isEmpty {
                    if known.isEmpty { operations.insert(.reconfigureList(Self.look), at: 0) }
                    if !before.hasAskedForOthers { await warnOfOthers(statuses, current.connection) }
                    try await current.connection.transact(list, operations, lease: .connection)
                }
                return (current.number, epoch)
            }
            sent.statuses = statuses
            (sent.failures, sent.complaint) = (0, nil)
            listIsThere.signal()
        } catch is CancellationError {
        } catch {
            sent.statuses = []
            if let error = error as? ClientError, error.isSettledByAskingAgain { return }
            // The feeds work without this list.
            sent.number = await link.number ?? sent.number
            sent.failures += 1
            let complaint = "\(error)"
            if complaint != sent.complaint {
                say("the feeds go on, but the list \(quoted(list)) cannot show the status of the feeds: \(complaint)")
            }
            sent.complaint = complaint
        }
    }

    /// Warns if the list has items that another process has leased for the same feeds.
    private func warnOfOthers(_ statuses: [FeedStatus], _ connection: Connection) async {
        do {
            try await connection.transact(list, [.appendItems(statuses.map(\.item))], mode: .dryRun)
        } catch {
            // Other errors are reported when the items are written.
            guard case .refused(let refusal) = error, refusal.code == .duplicateItem else { return }
            say(
                "another diffable-feed feeds one of the same lists, as the list \(quoted(list)) shows, and each of the two "
                    + "processes overwrites the other's changes. Stop one of them")
        }
    }

    private static func operations(from known: [FeedStatus], to new: [FeedStatus]) -> [ListOperation] {
        if known.map(\.list) != new.map(\.list) {
            // Includes items that an earlier process left.
            let ids = Set(known.map(\.item.id) + new.map(\.item.id)).sorted { "\($0)" < "\($1)" }
            return (ids.isEmpty ? [] : [.deleteItems(ids, .isPassedOver)])
                + (new.isEmpty ? [] : [.appendItems(new.map(\.item))])
        }
        let changed = zip(known, new).filter { $0 != $1 }.map {
            ItemReconfiguration(id: $1.item.id, content: .some($1.item.content))
        }
        return changed.isEmpty ? [] : [.reconfigureItems(changed)]
    }

    private struct Sent {
        var statuses: [FeedStatus] = []
        var number = 0
        var epoch: String?
        var hasAskedForOthers = false
        /// The number of consecutive refusals on this connection, and the last message.
        var failures = 0
        var complaint: String?
        var time = ContinuousClock.Instant.now - StatusBoard.timesPause
        /// Limits the changes that are sent without waiting for `timesPause`: a hostile source can alternate between
        /// failure and success.
        var urgent = TokenBucket(50, perSecond: 10, at: .now)

        var pause: Duration {
            failures == 0
                ? StatusBoard.timesPause
                : Backoff.doubled(FeedSchedule.pauseMin, times: failures, upTo: FeedSchedule.pauseMax)
        }

        func isSame(_ statuses: [FeedStatus]) -> Bool { statuses == self.statuses }

        func differsInWords(from statuses: [FeedStatus]) -> Bool {
            statuses.map(\.withoutTimes) != self.statuses.map(\.withoutTimes)
        }
    }
}

extension FeedStatus {
    fileprivate var withoutTimes: FeedStatus {
        var status = self
        (status.lastSuccess, status.nextAttempt) = (nil, nil)
        return status
    }
}
