import Diffable
import DiffableProtocol
import DiffableStore
import NIOCore

/// Measures the earlier states of lists that connections keep because their clients are slow. If they exceed a user's
/// limit, the oldest are dropped.
///
/// Nothing is measured while all clients keep up. Root and the daemon's user have no limit.
final class SlowReaders {
    private unowned let hub: Hub
    private var areStatesKept = false
    private var isScheduled = false
    private var haveListsChanged = false
    private var statesMeasured = 0
    /// The users with `statesLength` above 0.
    private var quotas: [UserQuota] = []

    private static let pauseMin = TimeAmount.milliseconds(50)
    /// The pause after a measurement, as a multiple of its duration in the background.
    private static let pausePerMeasurement = 4
    /// The pause after a measurement, as a multiple of the time that the event loop took to collect the states.
    private static let pausePerCollection = 50

    /// A subscription that keeps a state, or a reply on a connection.
    private struct Holder {
        let connection: Connection
        let subscription: Subscription?
        let origin: RetainedStates.Origin
    }

    private struct User {
        let quota: UserQuota
        var states = RetainedStates()
        var holders: [Holder] = []
    }

    init(of hub: Hub) { self.hub = hub }

    /// Notes that a client may start to keep an earlier state.
    @inline(__always)
    func scheduleMeasuring() {
        if !isScheduled { schedule(in: Self.pauseMin) }
    }

    /// Notes that lists have changed, so that kept states share less memory with them.
    @inline(__always)
    func noteCommits() {
        haveListsChanged = true
        if areStatesKept { scheduleMeasuring() }
    }

    private func schedule(in pause: TimeAmount) {
        isScheduled = true
        hub.schedule(in: pause) { [weak hub] in hub?.slowReaders.measure() }
    }

    // MARK: Measuring

    private func measure() {
        let begin = NIODeadline.now()
        let users = users
        let collection = NIODeadline.now() - begin
        let states = users.reduce(0) { $0 + $1.states.count }
        areStatesKept = states > 0
        if states == 0 {
            isScheduled = false
            return applyMeasurements([], of: users)
        }
        if !haveListsChanged, states == statesMeasured { return scheduleNext(in: .seconds(1)) }
        haveListsChanged = false
        statesMeasured = states
        let work = users.map(\.states)
        hub.background.compute(for: hub.served.daemon, size: work.reduce(0) { $0 + $1.size }, while: { true }) {
            let begin = NIODeadline.now()
            return (work.map { $0.measured() }, NIODeadline.now() - begin)
        } use: { [self, hub] (measured: [RetainedStates.Measured], duration: TimeAmount) in
            withExtendedLifetime(hub) { applyMeasurements(measured, of: users) }
            scheduleNext(
                in: max(Self.pauseMin, duration * Self.pausePerMeasurement, collection * Self.pausePerCollection))
        }
    }

    /// Schedules another measurement if states count, or if lists have changed during the last one.
    private func scheduleNext(in pause: TimeAmount) {
        isScheduled = false
        if !quotas.isEmpty || haveListsChanged { schedule(in: pause) }
    }

    private var users: [User] {
        var users: [ObjectIdentifier: User] = [:]
        func add(_ snapshot: Snapshot, _ holder: Holder) {
            let quota = holder.connection.quota
            var user = users.removeValue(forKey: ObjectIdentifier(quota)) ?? User(quota: quota)
            user.states.add(snapshot, holder.origin, of: user.holders.count) { newest(for: holder) }
            user.holders.append(holder)
            users[ObjectIdentifier(quota)] = user
        }
        for connection in hub.connections.values where !connection.peer.isPrivileged {
            for (snapshot, origin) in connection.heldStates {
                add(snapshot, Holder(connection: connection, subscription: nil, origin: origin))
            }
            for subscription in connection.subscriptions {
                for (snapshot, origin) in subscription.heldStates {
                    add(snapshot, Holder(connection: connection, subscription: subscription, origin: origin))
                }
            }
        }
        return Array(users.values)
    }

    private func newest(for holder: Holder) -> RetainedStates.Newest {
        let origin = holder.origin
        guard let state = hub.store.assumeIsolated({ $0.list(origin.list) }), state.epoch == origin.epoch else {
            return RetainedStates.Newest()
        }
        switch origin.rows {
        case .all: return RetainedStates.Newest(rows: state.snapshot)
        case .ofReply: return RetainedStates.Newest(list: state.snapshot)
        case .ofAudience(let number):
            let audience = holder.subscription?.audience
            let rows = audience?.number == number ? audience?.shown.snapshot : nil
            return RetainedStates.Newest(rows: rows ?? Snapshot(), list: state.snapshot)
        }
    }

    // MARK: Counting

    private func applyMeasurements(_ measured: [RetainedStates.Measured], of users: [User]) {
        let before = quotas
        quotas = []
        for (user, var measured) in zip(users, measured) {
            let quota = user.quota
            for holder in measured.shorten(to: quota.roomForRegistrations + quota.statesLength) {
                dropState(of: user.holders[holder])
            }
            quota.registerStates(quota.numberOfConnections == 0 ? 0 : measured.length)
            if quota.statesLength > 0 { quotas.append(quota) }
        }
        for quota in before where !quotas.contains(where: { $0 === quota }) { quota.registerStates(0) }
    }

    /// Drops a state if its client has not made progress since the measurement.
    private func dropState(of holder: Holder) {
        let states = holder.subscription?.heldStates ?? holder.connection.heldStates
        guard states.contains(where: { $0.origin == holder.origin }) else { return }
        guard let subscription = holder.subscription else {
            return holder.connection.closeSlowReader(of: holder.origin.list)
        }
        subscription.dropKeptStates()
    }
}

extension Connection {
    /// The states in the reply that is being written, and in the finished one.
    fileprivate var heldStates: [(snapshot: Snapshot, origin: RetainedStates.Origin)] {
        var states: [(Snapshot, RetainedStates.Origin)] = []
        if case .snapshot(_, let snapshot)? = session.openLine, let stateOfReply {
            states.append((snapshot, stateOfReply))
        }
        if let state = preparation?.found?.state {
            states.append((state.snapshot, RetainedStates.Origin(state, .all)))
        }
        return states
    }

    /// Closes the connection in the middle of a reply or an update.
    func closeSlowReader(of list: ListName) {
        noteRefusal(.tooMuchRegistered(list: list, max: hub.limits.registeredLengthMax), of: nil)
        close()
    }
}

extension RetainedStates.Origin {
    init(_ state: ListState, _ rows: RetainedStates.Rows) {
        self.init(list: state.name, epoch: state.epoch, rows: rows, revision: state.revision)
    }
}
