import DequeModule
import Diffable
import DiffableJSON
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
    private(set) var options: ServerOptions
    let logger: Logger
    /// The answer to everything that is about lists, when those on disk could not be read.
    let refusal: WireError?
    /// One life of the daemon.
    let epoch: String
    let eventLoop: any EventLoop
    let startTime = NIODeadline.now()
    private var followedLists: [ListName: FollowedList] = [:]
    /// Subscriptions to lists that there are not.
    private var waiting: [ListName: [ObjectIdentifier: Subscription]] = [:]
    let timers: DeadlineTimers<Subscription>
    /// Who answers for lists.
    let handlers: Handlers
    /// Who mirrors lists, and by whom shared ones reach what keeps them.
    let mirrors: Mirrors
    let connector: Connector
    /// For what takes longer than a turn: what is shown, and what is freed.
    let background: Background
    /// The same for what is read and changed, so that neither waits for the other.
    let changes: Background
    /// What those share who are sent much.
    let pages = UpdatePages()
    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    private var connectionsMade = 0
    /// Over those that are gone.
    private(set) var trafficBefore = Reply.Traffic()
    let refusalLog: RefusalLog
    /// What it is like is told a while from now.
    private var isNewsScheduled = false
    private var memoryReturn = MemoryReturn()
    private var figuresTold = Figures()
    /// Connections that have sent no line yet.
    let silences: DeadlineTimers<Connection>
    /// By users.
    private var quotas: [Int?: UserQuota] = [:]
    var numberOfRefusedClients = 0
    /// Called when a connection has closed, so that there is a descriptor for another.
    var onRoom: () -> Void = {}
    /// In the order in which they became due.
    private var dueLists: [FollowedList] = []
    private var dueConnections: [Connection] = []
    private var isTurnScheduled = false
    private var turnsServed: UInt64 = 0
    private var turnsTaken = 0
    /// They have more to do than a turn has room for. Those who have waited longest come first.
    private var postponedConnections: Deque<Connection> = []
    private var isResumptionScheduled = false
    var turns = TurnScheduler()
    private var onEmpty: (() -> Void)?
    /// While draining: whether every request of every connection is answered, so that no list changes any more.
    private(set) var isQuiet = false

    init(store: Store, options: ServerOptions, logger: Logger, eventLoop: any EventLoop) {
        self.store = store
        self.options = options
        self.logger = logger
        self.eventLoop = eventLoop
        self.refusal = store.assumeIsolated { $0.unreadable.map { WireError($0) } }
        self.refusalLog = RefusalLog(logger)
        self.background = Background(beyond: options.turn, called: "views", on: eventLoop)
        self.changes = Background(beyond: options.turn, called: "changes", on: eventLoop)
        self.timers = DeadlineTimers(on: eventLoop) { $0.wake() }
        self.silences = DeadlineTimers(on: eventLoop) { $0.endSilent() }
        self.handlers = Handlers(options.limits, store, on: eventLoop)
        self.mirrors = Mirrors(store)
        self.connector = Connector(store)
        self.epoch = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        self.background.trim = options.memory.trim
        self.background.onFree = { [unowned self] in scheduleNews() }
    }

    /// Where the store has done what takes longer than a turn. Used on the loop.
    func workBeside() -> WorkBeside {
        let hub = NIOLoopBound(self, eventLoop: eventLoop)
        return WorkBeside(sizeMax: options.turn.itemsFreedMax) { size, work, then in
            hub.value.changes.find(size: size, while: { true }, work, use: then)
        } free: { remains, size in
            hub.value.background.free(remains, size: size)
        }
    }

    // MARK: Turns

    /// Who follows the list is told at the end of this turn.
    private func serveLater(_ list: FollowedList) {
        dueLists.append(list)
        scheduleTurn()
    }

    /// The connection is served at the end of this turn.
    func serveLater(_ connection: Connection) {
        dueConnections.append(connection)
        scheduleTurn()
    }

    /// What is due is served when the sockets that are ready have been read.
    func scheduleTurn() {
        if isTurnScheduled { return }
        isTurnScheduled = true
        let hub = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { hub.value.serveDue() }
    }

    private func serveDue() {
        isTurnScheduled = false
        turnsTaken += 1
        // What becomes due meanwhile is for the next turn.
        let lists = dueLists.count
        for position in 0..<lists { dueLists[position].serve() }
        dueLists.removeFirst(lists)
        let connections = dueConnections.count
        // Another is the first of them in each turn: who is answered first is the first to ask again, and where many
        // want to change what they have read (`ifRevision`), it would be the one that wins every time.
        let first = connections > 1 ? nextFirst(of: connections) : 0
        for position in 0..<connections { dueConnections[(position + first) % connections].serve() }
        dueConnections.removeFirst(connections)
        turns.finish()
        if onEmpty != nil { noticeQuiet() }
        if !postponedConnections.isEmpty, !isResumptionScheduled { schedulePostponed() }
    }

    /// Not in turn: the turns may well come in a rhythm of their own. Weyl's sequence, by the golden ratio.
    private func nextFirst(of count: Int) -> Int {
        turnsServed &+= 0x9E37_79B9_7F4A_7C15
        return Int((turnsServed >> 32) % UInt64(count))
    }

    /// The connection goes on when all sockets have been looked at.
    func postpone(_ connection: Connection) { postponedConnections.append(connection) }

    /// The loop looks at the sockets when nothing is left that it could do at once. So what comes after them must be
    /// something for later.
    private func schedulePostponed() {
        isResumptionScheduled = true
        let hub = NIOLoopBound(self, eventLoop: eventLoop)
        let (turn, look) = (turnsTaken, turns.looks)
        eventLoop.scheduleTask(in: options.turn.postponement) { hub.value.resumePostponed(since: turn, look) }
    }

    /// No more of them than one round may have room for.
    private func resumePostponed(since turn: Int, _ look: Int) {
        // There was something left: that may have taken so long that no socket has been looked at yet.
        if turnsTaken != turn, turns.looks == look { return schedulePostponed() }
        isResumptionScheduled = false
        turns.noteLook()
        for _ in 0..<min(postponedConnections.count, Self.resumedMax) { postponedConnections.removeFirst().resume() }
        if !postponedConnections.isEmpty { scheduleTurn() }
    }

    private static let resumedMax = 64

    /// Subscribers are kept until the last request is answered, to be sent what came of it.
    private func noticeQuiet() {
        guard !isQuiet, connections.values.allSatisfy(\.session.isIdle) else { return }
        isQuiet = true
        for connection in connections.values { connection.markDue() }
    }

    func schedule(in time: TimeAmount, _ body: @escaping () -> Void) {
        let body = NIOLoopBound(body, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: time) { body.value() }
    }

    // MARK: Lists

    /// A list that is to be followed, from its committed state on; nil when there is no such list.
    func follow(_ name: ListName) -> FollowedList? {
        if let list = followedLists[name] { return list }
        guard let state = store.assumeIsolated({ $0.list(name) }) else { return nil }
        let list = FollowedList(state, background, pages) { [unowned self] in serveLater($0) }
        followedLists[name] = list
        return list
    }

    /// The same for a client: one that it may not read is none.
    func follow(_ name: ListName, for peer: Peer) -> FollowedList? {
        store.assumeIsolated { $0.mayRead(name, peer) } ? follow(name) : nil
    }

    /// Lets go of a list that nobody follows any more.
    func leave(_ list: FollowedList) {
        guard list.isEmpty, followedLists[list.state.name] === list else { return }
        followedLists[list.state.name] = nil
    }

    /// What was found is used, or nobody wants it any more.
    func end(_ preparation: ViewPreparation) {
        preparation.end()
        if let list = preparation.list { leave(list) }
    }

    /// Begins to find what a view shows of a state of a list.
    func preparation(of state: ListState, through view: View) -> ViewPreparation {
        ViewPreparation(state, through: view, followedLists[state.name], background)
    }

    /// Called by the store before it answers those who made the changes.
    func advance(by commits: [Commit]) {
        for commit in commits {
            if !commit.forgotten.isEmpty {
                background.free(commit.forgotten, size: commit.state.snapshot.numberOfItems)
            }
            if commit.isEnd {
                handlers.endList(commit.list)
                mirrors.forget(commit.list)
            }
            guard let list = followedLists[commit.list] else { continue }
            list.advance(by: commit)
            // A list that is created again is followed anew.
            if list.isDeleted { followedLists[commit.list] = nil }
        }
        scheduleNews()
        for commit in commits {
            switch commit.event {
            case .created: endWaiting(for: commit.list)
            case .changed, .unchanged, .replaced, .deleted: break
            }
            if commit.changesAccess { reevaluate(commit.list) }
        }
    }

    // MARK: Rights

    private func takeAccessRules(_ rules: AccessRules) {
        for list in store.assumeIsolated({ $0.take(rules) }) { reevaluate(list) }
    }

    /// Others may read and change the list now than before: subscriptions and handlers whose clients may not any more are
    /// ended, and those that have waited for it and may follow it. O(subscriptions and handlers of the list).
    private func reevaluate(_ name: ListName) {
        for subscription in followedLists[name]?.subscriptions ?? [] {
            let peer = subscription.connection.peer
            if !store.assumeIsolated({ $0.mayRead(name, peer) }) { subscription.revoke() }
        }
        endWaiting(for: name)
        handlers.reevaluate(name)
    }

    // MARK: Mirrors

    func setLiveness(_ isLive: Bool, of list: ListName) {
        if mirrors.set(isLive ? .live : .notLive(since: mirrors.now), of: list) { tellLiveness(of: list) }
    }

    /// An ordinary list from now on.
    func endMirror(_ list: ListName) {
        mirrors.forget(list)
        tellLiveness(of: list)
    }

    func endMirrors(of connection: Connection) {
        for list in mirrors.end(connection) { tellLiveness(of: list) }
    }

    func tellLiveness(of list: ListName) {
        for subscription in followedLists[list]?.subscriptions ?? [] { subscription.noteLiveness() }
    }

    // MARK: Lists that there are not

    /// Lets the subscription follow the list as soon as there is one.
    func awaitList(for subscription: Subscription) {
        if let list = follow(subscription.list, for: subscription.connection.peer) { return subscription.follow(list) }
        waiting[subscription.list, default: [:]][ObjectIdentifier(subscription)] = subscription
    }

    func stopWaiting(_ subscription: Subscription) {
        waiting[subscription.list]?[ObjectIdentifier(subscription)] = nil
        if waiting[subscription.list]?.isEmpty == true { waiting[subscription.list] = nil }
    }

    /// A list that was created and deleted in one group never was there.
    private func endWaiting(for name: ListName) {
        guard let subscriptions = waiting[name]?.values else { return }
        for subscription in subscriptions {
            guard let list = follow(name, for: subscription.connection.peer) else { continue }
            stopWaiting(subscription)
            subscription.follow(list)
        }
    }

    // MARK: Connections

    func nextConnectionNumber() -> Int {
        connectionsMade += 1
        return connectionsMade
    }

    var limits: ServerLimits { options.limits }

    var numberOfConnections: Int { connections.count }

    func quota(of userID: Int?) -> UserQuota {
        if let quota = quotas[userID] { return quota }
        let quota = UserQuota(userID: userID, of: self)
        quotas[userID] = quota
        return quota
    }

    func add(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = connection
        connection.quota.enter()
        scheduleNews()
    }

    func remove(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        trafficBefore += connection.traffic
        scheduleNews()
        let quota = connection.quota
        quota.leave(connection)
        if quota.isForgettable { quotas[quota.userID] = nil }
        onRoom()
        if connections.isEmpty { onEmpty?() }
    }

    /// Lets every connection finish what it was asked, and calls back when the last is gone.
    func drain(_ whenEmpty: @escaping () -> Void) {
        onEmpty = whenEmpty
        if connections.isEmpty { return whenEmpty() }
        handlers.drain()
        store.assumeIsolated { $0.endSharedRequests() }
        for connection in connections.values { connection.drain() }
    }

    func closeAll() {
        for connection in connections.values { connection.close() }
    }

    // MARK: News

    /// Says in a while what the server is like: at most once in that while, and never when nothing happens, so that an
    /// idle daemon sleeps.
    @inline(__always)
    private func scheduleNews() {
        if !isNewsScheduled { reallyScheduleNews() }
    }

    private func reallyScheduleNews() {
        isNewsScheduled = true
        let hub = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.newsInterval) {
            hub.value.isNewsScheduled = false
            hub.value.giveBackMemory()
            hub.value.tellNews()
        }
    }

    private func tellNews() {
        let figures = figures
        // Who refuses everything, or stops, has said so, and that is what there is to know.
        guard figures != figuresTold, refusal == nil, onEmpty == nil else { return }
        figuresTold = figures
        options.onNews(figures.sentence)
    }

    /// The C library keeps freed memory that lies below memory in use. `MemoryReturn` says when it is given back. That is the
    /// last work in the background, because states of lists are freed there before.
    private func giveBackMemory() {
        if store.assumeIsolated({ $0.packHistories() }) { scheduleNews() }
        memoryReturn.note(
            store.assumeIsolated { $0.noteShrinking() }, itemsFreed: background.itemsFreed,
            length: options.memory.length())
        switch memoryReturn.next(at: .now()) {
        case .nothing: return
        case .later: return scheduleNews()
        case .now: break
        }
        let (memory, itemsFreed) = (options.memory, background.itemsFreed)
        background.find(size: .max, while: { true }) {
            let begin = NIODeadline.now()
            memory.release()
            return (length: memory.length(), duration: NIODeadline.now() - begin)
        } use: { [self] end in
            let isDueAgain = memoryReturn.finish(
                length: end.length, itemsFreed: itemsFreed, after: end.duration, at: .now())
            if isDueAgain { scheduleNews() }
        }
    }

    private static let newsInterval = TimeAmount.seconds(2)

    // MARK: Settings

    /// Other settings count from now on. Who keeps a copy of one takes the new one here. What there is stays, also where
    /// it is too much now; and the length of the lines that a client is sent is its connection's from beginning to end.
    func take(_ settings: ServerSettings) {
        options.limits = settings.limits
        store.assumeIsolated { $0.take(settings.limits.store) }
        handlers.take(settings.limits)
        takeAccessRules(settings.access)
        for connection in connections.values { connection.applyLimits() }
        for quota in quotas.values { quota.applyLimits() }
    }
}
