import Diffable
import DiffableProtocol
import DiffableStore
import Logging
import NIOCore

/// What the connections share. It lives on the event loop that is also the store's queue, and is used nowhere else.
///
/// A turn of the loop serves all that is due at its end: however many transactions came in during the turn, each
/// subscriber is written to once, and before those who made the changes are answered.
final class Hub {
    let store: Store
    let options: ServerOptions
    let logger: Logger
    /// One life of the daemon.
    let epoch: String
    private let eventLoop: any EventLoop
    private let startTime = NIODeadline.now()
    private var audiences: [ListName: Audience] = [:]
    private var connections: [ObjectIdentifier: Connection] = [:]
    /// In the order in which they became due.
    private var dueAudiences: [Audience] = []
    private var dueConnections: [Connection] = []
    private var isTurnScheduled = false
    /// They have more to do than a turn has room for.
    private var postponedConnections: [Connection] = []
    private var onEmpty: (() -> Void)?
    /// While draining: whether every request of every connection is answered, so that no list changes any more.
    private(set) var isQuiet = false

    init(store: Store, options: ServerOptions, logger: Logger, eventLoop: any EventLoop) {
        self.store = store
        self.options = options
        self.logger = logger
        self.eventLoop = eventLoop
        self.epoch = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }

    // MARK: Turns

    /// The audience is told at the end of this turn.
    private func isDue(_ audience: Audience) {
        dueAudiences.append(audience)
        scheduleTurn()
    }

    /// The connection is served at the end of this turn.
    func isDue(_ connection: Connection) {
        dueConnections.append(connection)
        scheduleTurn()
    }

    private func scheduleTurn() {
        if isTurnScheduled { return }
        isTurnScheduled = true
        let hub = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { hub.value.serveDue() }
    }

    private func serveDue() {
        isTurnScheduled = false
        let audiences = dueAudiences
        dueAudiences.removeAll(keepingCapacity: true)
        for audience in audiences { audience.serve() }
        let connections = dueConnections
        dueConnections.removeAll(keepingCapacity: true)
        for connection in connections { connection.serve() }
        if onEmpty != nil { noticeQuiet() }
        if !postponedConnections.isEmpty { schedulePostponed() }
    }

    /// The connection goes on when all sockets have been looked at.
    func postpone(_ connection: Connection) { postponedConnections.append(connection) }

    /// The loop looks at the sockets when nothing is left that it could do at once. So what comes after them must be
    /// something for later, and not so soon that it is due before the loop has come to them.
    private func schedulePostponed() {
        let connections = NIOLoopBound(postponedConnections, eventLoop: eventLoop)
        postponedConnections = []
        eventLoop.scheduleTask(in: Self.postponement) {
            for connection in connections.value { connection.resume() }
        }
    }

    private static let postponement = TimeAmount.microseconds(200)

    /// Subscribers are kept until the last request is answered, to be sent what came of it.
    private func noticeQuiet() {
        guard !isQuiet, connections.values.allSatisfy(\.isIdle) else { return }
        isQuiet = true
        for connection in connections.values { connection.isDue() }
    }

    // MARK: Lists

    /// Who follows a list, from its committed state on; nil when there is no such list.
    func audience(of list: ListName) -> Audience? {
        if let audience = audiences[list] { return audience }
        guard let state = store.assumeIsolated({ $0.list(list) }) else { return nil }
        let audience = Audience(state)
        audiences[list] = audience
        return audience
    }

    /// Lets go of an audience that nobody is in any more, with the lines that it keeps.
    func leave(_ audience: Audience) {
        guard audience.members.isEmpty, audiences[audience.state.name] === audience else { return }
        audiences[audience.state.name] = nil
    }

    /// Called by the store before it answers those who made the changes.
    func advance(by commits: [Commit]) {
        for commit in commits {
            guard let audience = audiences[commit.list] else { continue }
            if audience.advance(by: commit) { isDue(audience) }
            // A list that is created again has another audience.
            if audience.isDeleted { audiences[commit.list] = nil }
        }
    }

    // MARK: Connections

    func add(_ connection: Connection) { connections[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        if connections.isEmpty { onEmpty?() }
    }

    /// Lets every connection finish what it was asked, and calls back when the last is gone.
    func drain(_ whenEmpty: @escaping () -> Void) {
        onEmpty = whenEmpty
        if connections.isEmpty { return whenEmpty() }
        for connection in connections.values { connection.drain() }
    }

    func closeAll() {
        for connection in connections.values { connection.close() }
    }

    // MARK: Status

    var status: Reply.Status {
        let (lists, transactions) = store.assumeIsolated { ($0.lists, $0.statistics.transactions) }
        return Reply.Status(
            version: options.version,
            uptimeSeconds: Int((NIODeadline.now() - startTime).nanoseconds / 1_000_000_000),
            connections: connections.count,
            subscriptions: connections.values.reduce(0) { $0 + $1.subscriptions.count },
            lists: lists.count,
            items: lists.reduce(0) { $0 + $1.snapshot.numberOfItems },
            transactions: transactions)
    }
}
