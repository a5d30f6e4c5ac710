import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

/// A subscription of `followLists`. Carries out the decisions of its `follower`.
final class ListsSubscription {
    /// Counted from 1 on each connection, together with the subscriptions to lists.
    let number: Int
    private let connection: Connection
    private let includesContent: Bool
    private var follower: ListsFollower
    private var alarm: DeadlineTimers<ListsSubscription>.Time?
    /// Bytes in the user's quota.
    private var lengthRegistered = 0

    init(number: Int, _ request: Request.FollowLists, _ lists: [Reply.ListSummary], of connection: Connection) {
        self.number = number
        self.connection = connection
        includesContent = request.includesContent
        follower = ListsFollower(known: Set(lists.map(\.list)), minInterval: request.minInterval)
        updateQuota()
        connection.hub.add(self)
    }

    /// The memory of a subscription that knows some lists, in bytes.
    static func length(lists: Int) -> Int { 512 + 128 * lists }

    private func updateQuota() {
        let length = Self.length(lists: follower.known.count)
        connection.quota.register(length - lengthRegistered)
        lengthRegistered = length
    }

    var isUpToDate: Bool { follower.isUpToDate }

    /// Whether other connections have their time slice first, because it has many changes to report.
    var isBehind: Bool { follower.numberOfChanged > 16 }

    func isSettled(for barrier: Outbox.Barrier) -> Bool {
        follower.isSettled(for: barrier.list) && barrier.formerName.map(follower.isSettled) ?? true
    }

    /// Notes that the list may have changed for the client.
    func note(_ list: ListName) {
        follower.note(list)
        markDue()
    }

    func noteAll() {
        follower.noteAll()
        markDue()
    }

    private func markDue() { if alarm == nil, connection.session.mayWrite { connection.markDue() } }

    func wake() {
        alarm = nil
        follower.wake()
        markDue()
    }

    /// Returns the next line, or nil when there is nothing to report.
    func nextLine() -> ByteWriter? {
        if follower.isUpToDate { return nil }
        let line = follower.nextLine(
            at: .now(), isStopping: connection.session.isDraining, lineLengthMax: connection.lineLengthMax
        ) { [connection, includesContent] in connection.summary(of: $0, includingContent: includesContent) }
        updateQuota()
        setAlarm(follower.alarm.map(DeadlineTimers<ListsSubscription>.time))
        return line?.line(subscription: number)
    }

    private func setAlarm(_ time: DeadlineTimers<ListsSubscription>.Time?) {
        if time == alarm { return }
        if let alarm { connection.hub.listsTimers.cancel(alarm, for: self) }
        alarm = time
        if let time { connection.hub.listsTimers.set(time, for: self) }
    }

    /// Ends it: nothing more is sent.
    func end() {
        setAlarm(nil)
        connection.quota.register(-lengthRegistered)
        lengthRegistered = 0
        connection.hub.remove(self)
    }
}

extension Connection {
    /// Returns a list as `lists` reports it to this client; nil if it does not exist for the client.
    func summary(of list: ListName, includingContent: Bool) -> Reply.ListSummary? {
        let peer = peer
        return hub.store.assumeIsolated { $0.list(list, for: peer) }.map {
            summary($0.state, $0.access, includingContent: includingContent)
        }
    }

    func summary(
        _ state: ListState, _ access: ListAccess, namingActions: Bool = false, includingContent: Bool = false
    ) -> Reply.ListSummary {
        var summary = Reply.ListSummary(state, access)
        summary.may = permissions(on: summary.list)
        if includingContent { summary.content = state.snapshot.content }
        return hub.mirrors.completed(hub.handlers.completed(summary, namingActions: namingActions))
    }

    func carryOut(_ request: Request.FollowLists, _ id: RequestID) {
        let max = hub.limits.subscriptionsPerConnectionMax
        guard numberOfSubscriptions < max else {
            return answer(id, .failure(.tooManySubscriptions(list: nil, max: max)))
        }
        let peer = peer
        let lists = hub.store.assumeIsolated { $0.lists(for: peer) }.map {
            summary($0.state, $0.access, includingContent: request.includesContent)
        }
        guard ListsSubscription.length(lists: lists.count) <= quota.roomForRegistrations else {
            return answer(id, .failure(.tooMuchRegistered(list: nil, max: hub.limits.registeredLengthMax)))
        }
        subscriptionsMade += 1
        listsSubscriptions.append(ListsSubscription(number: subscriptionsMade, request, lists, of: self))
        reply(id, .success(.followLists(Reply.FollowLists(subscription: subscriptionsMade, lists: lists))))
    }

    var numberOfSubscriptions: Int { subscriptions.count + listsSubscriptions.count }

    /// Ends a subscription of `followLists`. Returns false if there is none with this number.
    func endListsSubscription(_ number: Int) -> Bool {
        guard let position = listsSubscriptions.firstIndex(where: { $0.number == number }) else { return false }
        listsSubscriptions.remove(at: position).end()
        return true
    }

    /// Sends the next line about the set of lists; false when there is none.
    func writeLineOfLists() -> Bool {
        for subscription in listsSubscriptions {
            if subscription.isBehind, let effects = session.takeRoomForPage(&hub.turns, at: .now()) {
                carryOut(effects)
                return false
            }
            guard let line = subscription.nextLine() else { continue }
            traffic.deliveries += 1
            line.withUnsafeBytes(send)
            return true
        }
        return false
    }
}
