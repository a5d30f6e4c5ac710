import Diffable
import DiffableClient
import DiffableInput
import Synchronization

/// The list `feeds`: an item for each feed, leased by the connection, so that they vanish with this process.
///
/// What is new is sent at once, but for times alone, which are sent once a second at most: a feed that runs often is no reason
/// to write often.
package final class StatusBoard: Sendable {
    private struct State {
        /// In the order of the file.
        var feeds: [ListName] = []
        var statuses: [ListName: FeedStatus] = [:]
    }

    private let list: ListName
    private let link: DaemonLink
    private let say: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let bell = Bell()

    private static let timesPause = Duration.seconds(1)
    /// How it is drawn beyond that, its items say.
    private static let look = Content.object([
        ("title", .string("Feeds".utf8)), ("empty", .string("Nothing is fed".utf8)),
    ])

    package init(_ list: ListName, over link: DaemonLink, say: @escaping @Sendable (String) -> Void) {
        self.list = list
        self.link = link
        self.say = say
    }

    /// Which feeds there are. Those that were there keep what they said.
    package func show(_ feeds: [FeedStatus]) {
        state.withLock { state in
            let known = state.statuses
            state.feeds = feeds.map(\.list)
            state.statuses = [:]
            for feed in feeds { state.statuses[feed.list] = known[feed.list] ?? feed }
        }
        bell.ring()
    }

    package func change(_ feed: ListName, _ body: (inout FeedStatus) -> Void) {
        state.withLock { state in
            guard var status = state.statuses[feed] else { return }
            body(&status)
            state.statuses[feed] = status
        }
        bell.ring()
    }

    /// Sends what is new, until the task is cancelled.
    package func run() async {
        await link.tell(bell)
        var sent = Sent()
        while !Task.isCancelled {
            let statuses = state.withLock { state in state.feeds.compactMap { state.statuses[$0] } }
            let isUrgent = sent.failures == 0 && sent.differsInWords(from: statuses)
            if !sent.isSame(statuses), isUrgent || sent.time + sent.pause <= .now { await send(statuses, &sent) }
            let isWaiting = !sent.isSame(state.withLock { state in state.feeds.compactMap { state.statuses[$0] } })
            await bell.wait(until: isWaiting ? sent.time + sent.pause : nil)
            if let number = await link.number, number != sent.number { (sent.statuses, sent.failures) = ([], 0) }
        }
    }

    private func send(_ statuses: [FeedStatus], _ sent: inout Sent) async {
        let list = list
        let before = sent
        (sent.time, sent.hasAskedForOthers) = (.now, true)
        do {
            sent.number = try await link.perform { current in
                let known = current.number == before.number ? before.statuses : []
                if known.isEmpty {
                    try await current.connection.createList(list, durability: .volatile, ifPresent: .isKept)
                }
                var operations = Self.operations(from: known, to: statuses)
                if !operations.isEmpty {
                    if known.isEmpty { operations.insert(.reconfigureList(Self.look), at: 0) }
                    if !before.hasAskedForOthers { await warnOfOthers(statuses, current.connection) }
                    try await current.connection.transact(list, operations, lease: .connection)
                }
                return current.number
            }
            sent.statuses = statuses
            (sent.failures, sent.complaint) = (0, nil)
        } catch let error as ClientError {
            sent.statuses = []
            guard !error.isSettledByAskingAgain else { return }
            // Without it nothing is fed worse.
            sent.number = await link.number ?? sent.number
            sent.failures += 1
            let complaint = "\(error)"
            if complaint != sent.complaint {
                say("the list \(quoted(list)) does not say how the feeds are doing: \(complaint)")
            }
            sent.complaint = complaint
        } catch {}
    }

    /// Items that are there when this process begins are leased by another one.
    private func warnOfOthers(_ statuses: [FeedStatus], _ connection: Connection) async {
        do {
            try await connection.transact(list, [.appendItems(statuses.map(\.item))], mode: .dryRun)
        } catch {
            // Whatever else is wrong is said when they are written.
            guard case .refused(let refusal) = error, refusal.name == "duplicateItem" else { return }
            say(
                "another diffable-feed feeds one of these lists, as the list \(quoted(list)) says: each overwrites what the "
                    + "other writes, there too. End one of them")
        }
    }

    private static func operations(from known: [FeedStatus], to new: [FeedStatus]) -> [ListOperation] {
        if known.map(\.list) != new.map(\.list) {
            // Also those that a process before this one has left.
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
        var hasAskedForOthers = false
        /// How often in a row the daemon has said no over this connection, and what it said last.
        var failures = 0
        var complaint: String?
        var time = ContinuousClock.Instant.now - StatusBoard.timesPause

        /// Before it is sent again.
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
