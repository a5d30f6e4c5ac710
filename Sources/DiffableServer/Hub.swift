import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import Logging
import NIOCore

/// The state that all connections share. It lives on the event loop that is also the store's queue, and is used nowhere
/// else.
///
/// At the end of an iteration the event loop serves the lists and connections that are due. Each subscriber gets one
/// write for all transactions of the iteration, before the clients that made the changes get their answers. If one user
/// has many due connections, other users' connections do not wait for all of them.
final class Hub {
    let store: Store
    private(set) var options: ServerOptions
    let logger: Logger
    /// The answer to every request about lists if the lists on disk could not be read.
    let refusal: WireError?
    /// A random id of this run of the daemon.
    let epoch: String
    let eventLoop: any EventLoop
    let startTime = NIODeadline.now()
    private var followedLists: [ListName: FollowedList] = [:]
    /// Subscriptions that wait for lists that do not exist, or that their clients may not read.
    private var waiting: [ListName: [ObjectIdentifier: Subscription]] = [:]
    let timers: DeadlineTimers<Subscription>
    /// The subscriptions to the set of lists.
    private var listsSubscriptions: [ObjectIdentifier: ListsSubscription] = [:]
    let listsTimers: DeadlineTimers<ListsSubscription>
    /// The handlers of lists.
    let handlers: Handlers
    /// The connections that mirror lists.
    let mirrors: Mirrors
    let connector: Connector
    /// The user of the request that is being processed.
    let served = ServedUser()
    /// Computes views and diffs that take long, and frees large states.
    let background: Background
    /// Decodes long lines and makes long changes, so that views and changes do not wait for each other.
    let changes: Background
    /// Encoded pages shared by subscribers that receive long updates.
    let pages = UpdatePages()
    private lazy var laggingWindows = LaggingWindows(rowsMax: options.turn.rowsFollowedMax) { [unowned self] in
        turns.polls
    }
    private(set) lazy var slowReaders = SlowReaders(of: self)
    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    private var connectionsMade = 0
    /// The traffic of all closed connections.
    private(set) var trafficBefore = Reply.Traffic()
    let refusalLog: RefusalLog
    /// Whether a report of the figures is scheduled.
    private var isReportScheduled = false
    private var memoryReturn = MemoryReleasePolicy()
    /// The bytes that the quotas of all users count, except requests that wait for handlers. When they shrink, free memory
    /// is returned to the system.
    var lengthHeld = LengthMeter()
    private var figuresReported = Figures()
    /// Connections that have sent no line yet.
    let silences: DeadlineTimers<Connection>
    /// Quotas by user; nil for peers that the kernel does not know.
    private var quotas: [Int?: UserQuota] = [:]
    var numberOfRefusedClients = 0
    /// Called when a connection has closed, so that its file descriptor is free for another.
    var onRoom: () -> Void = {}
    /// The lists that are due, in the order in which they became due.
    private var dueLists: [FollowedList] = []
    private var dueConnections: [Connection] = []
    /// Lists with views that are served after the next poll of the sockets.
    private var postponedLists: [FollowedList] = []
    /// Connections that are due, but have to wait because their user's share of this round is used up.
    private var waitingConnections = UserQueues<Connection>()
    private var isTurnScheduled = false
    /// The value of `turns.polls` when connections were last served.
    private var pollServed = -1
    /// The value of `changesGathered` after the last request.
    private var changesNoted = 0
    /// Users that may change nothing until the next commit group gathers.
    private var quotasAwaitingGroup: [UserQuota] = []
    private var turnsServed: UInt64 = 0
    /// Connections with more work than one tick has room for.
    private var postponedConnections = UserQueues<Connection>()
    private var postponedQuotas: [UserQuota] = []
    private(set) lazy var lookSignal = SocketPollSignal { [unowned self] in resumePostponed() }
    var turns: TimeSliceScheduler
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
        self.turns = TimeSliceScheduler(served)
        self.background = Background(beyond: options.turn, for: served, called: "views", on: eventLoop)
        self.changes = Background(beyond: options.turn, for: served, called: "changes", on: eventLoop)
        self.timers = DeadlineTimers(on: eventLoop) { $0.wake() }
        self.listsTimers = DeadlineTimers(on: eventLoop) { $0.wake() }
        self.silences = DeadlineTimers(on: eventLoop) { $0.closeSilent() }
        self.handlers = Handlers(options.limits, store, on: eventLoop)
        self.mirrors = Mirrors(store)
        self.connector = Connector(store)
        self.epoch = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        self.background.trim = options.memory.trim
        self.background.onFree = { [unowned self] in scheduleReport() }
        self.handlers.onChange = { [unowned self] in noteCapabilities(on: $0) }
    }

    /// Lets the store do work in the background that does not fit a tick. Used on the event loop.
    func backgroundWork() -> BackgroundWork {
        let hub = NIOLoopBound(self, eventLoop: eventLoop)
        return BackgroundWork(sizeMax: options.turn.itemsFreedMax) { size, work, then in
            hub.value.changes.compute(size: size, while: { true }, work) {
                then()
                guard let quota = hub.value.quotas[hub.value.served.current.id] else { return }
                hub.value.noteChanges(of: quota, length: hub.value.store.assumeIsolated { $0.lengthOfLastChange })
            }
        } free: { remains, size in
            hub.value.background.free(remains, size: size)
        }
    }

    // MARK: Serving

    /// Schedules the update of the list's subscribers at the end of this tick.
    private func serveLater(_ list: FollowedList) {
        dueLists.append(list)
        scheduleTurn()
    }

    /// Schedules serving the connection at the end of this tick.
    func serveLater(_ connection: Connection) {
        dueConnections.append(connection)
        scheduleTurn()
    }

    // MARK: Commit groups

    /// Counts the changes that the last request added to the gathering commit group.
    @inline(__always)
    func noteChanges(of quota: UserQuota, length: Int) {
        let (gathered, group) = store.assumeIsolated { ($0.changesGathered, $0.gatheringGroup) }
        if gathered == changesNoted { return }
        changesNoted = gathered
        guard let group, quota.noteChange(length: length, in: group) else { return }
        quotasAwaitingGroup.append(quota)
        // The group would grow by long changes that have begun before.
        changes.hold(quota.userID)
    }

    /// Lets users change lists again after they had used up their share of the last commit group.
    func noteGroupStart() {
        if quotasAwaitingGroup.isEmpty { return }
        let hub = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            let quotas = hub.value.quotasAwaitingGroup
            hub.value.quotasAwaitingGroup = []
            for quota in quotas {
                quota.endGroup()
                hub.value.changes.release(quota.userID)
            }
        }
    }

    /// Schedules serving whatever is due, after the sockets that are ready have been read.
    func scheduleTurn() {
        if isTurnScheduled { return }
        isTurnScheduled = true
        let hub = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { hub.value.serveDue() }
    }

    private func serveDue() {
        isTurnScheduled = false
        // Lists that become due during this loop wait for the next tick.
        let lists = dueLists.count
        for position in 0..<lists { dueLists[position].serve() }
        dueLists.removeFirst(lists)
        serveConnections()
        turns.finish()
        if onEmpty != nil { checkForQuiet() }
        if !waitingConnections.isEmpty || !postponedConnections.isEmpty || !postponedLists.isEmpty
            || !laggingWindows.isEmpty
        {
            lookSignal.request()
        }
    }

    private func serveConnections() {
        let isAfterPoll = turns.polls != pollServed
        pollServed = turns.polls
        if isAfterPoll, dueConnections.count == 1, waitingConnections.isEmpty {
            return dueConnections.removeFirst().serve()
        }
        let count = dueConnections.count
        // The first client to get its reply is the first to send again. With `ifRevision`, the same client would win
        // every time, so each iteration begins with another connection.
        let first = count > 1 ? chooseFirst(of: count) : 0
        for position in 0..<count {
            let connection = dueConnections[(position + first) % count]
            waitingConnections.append(connection, of: connection.quota.userID)
        }
        dueConnections.removeFirst(count)
        for _ in 0..<waitingConnections.numberOfUsers {
            guard let user = waitingConnections.beginTurn() else { return }
            var now = NIODeadline.now()
            let end = turns.servingEnd(of: quotas[user]?.turn ?? served.daemon, from: now)
            while now <= end, let connection = waitingConnections.next(of: user) {
                connection.serve()
                now = .now()
            }
            waitingConnections.endTurn(of: user)
        }
    }

    /// Chooses the first connection of a tick by Weyl's sequence with the golden ratio. Taking turns would not be fair,
    /// because ticks may have a rhythm of their own.
    private func chooseFirst(of count: Int) -> Int {
        turnsServed &+= 0x9E37_79B9_7F4A_7C15
        return Int((turnsServed >> 32) % UInt64(count))
    }

    /// Resumes the connection after the next poll of the sockets.
    func postpone(_ connection: Connection) { postponedConnections.append(connection, of: connection.quota.userID) }

    /// Resumes reading from the user's connections after the next poll of the sockets.
    func postpone(_ quota: UserQuota) {
        postponedQuotas.append(quota)
        lookSignal.request()
    }

    /// Resumes postponed work after the sockets have been polled.
    private func resumePostponed() {
        turns.notePoll()
        let quotas = postponedQuotas
        postponedQuotas = []
        for quota in quotas { quota.resumePostponed() }
        for list in postponedLists { list.resume() }
        postponedLists.removeAll()
        laggingWindows.resume()
        for _ in 0..<postponedConnections.numberOfUsers {
            guard let user = postponedConnections.beginTurn() else { break }
            for _ in 0..<Self.resumedMax { postponedConnections.next(of: user)?.resume() }
            postponedConnections.endTurn(of: user)
        }
        if !waitingConnections.isEmpty || !postponedConnections.isEmpty || !laggingWindows.isEmpty { scheduleTurn() }
    }

    /// The connections of each user that are resumed together. One round has no room for more.
    private static let resumedMax = 64

    /// Notices when the last request is answered. Subscribers stay connected until then, to receive the effects of all
    /// requests.
    private func checkForQuiet() {
        guard !isQuiet, connections.values.allSatisfy(\.session.isIdle) else { return }
        isQuiet = true
        for connection in connections.values { connection.markDue() }
    }

    func schedule(in time: TimeAmount, _ body: @escaping () -> Void) {
        let body = NIOLoopBound(body, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: time) { body.value() }
    }

    // MARK: Lists

    /// Returns a list to follow, from its committed state on; nil if the list does not exist.
    func follow(_ name: ListName) -> FollowedList? {
        if let list = followedLists[name] { return list }
        guard let state = store.assumeIsolated({ $0.list(name) }) else { return nil }
        let list = FollowedList(state, background, pages, laggingWindows) { [unowned self] in serveLater($0) }
        list.onWorkLeft = { [unowned self, unowned list] in postponedLists.append(list) }
        list.onLag = { [unowned self] in slowReaders.scheduleMeasuring() }
        followedLists[name] = list
        return list
    }

    /// Returns a list to follow for a client; nil also if the client may not read it.
    func follow(_ name: ListName, for peer: Peer) -> FollowedList? {
        store.assumeIsolated { $0.mayRead(name, peer) } ? follow(name) : nil
    }

    /// Releases a list without followers.
    func leave(_ list: FollowedList) {
        guard list.isEmpty, followedLists[list.state.name] === list else { return }
        followedLists[list.state.name] = nil
    }

    /// Releases a preparation, because its result was used or is no longer wanted.
    func end(_ preparation: ViewPreparation) {
        preparation.end()
        if let list = preparation.list { leave(list) }
    }

    /// Begins to compute the rows of a view of one state of a list.
    func preparation(
        of state: ListState, through view: View, mayBegin: @escaping () -> Bool
    ) -> ViewPreparation {
        ViewPreparation(state, through: view, followedLists[state.name], background, mayBegin: mayBegin)
    }

    /// Takes over commits. Called by the store before it answers the clients that made the changes.
    func advance(by commits: [Commit]) {
        for commit in commits {
            if !commit.forgotten.isEmpty {
                background.free(commit.forgotten, size: commit.state.snapshot.numberOfItems)
            }
            if commit.isEnd {
                handlers.endList(commit.list)
                mirrors.forget(commit.list)
            }
            if commit.isVisibleInLists { noteChange(of: commit.list) }
            guard let list = followedLists[commit.list] else { continue }
            list.advance(by: commit)
            // If the list is created again, a new `FollowedList` follows it.
            if list.isDeleted { followedLists[commit.list] = nil }
        }
        scheduleReport()
        slowReaders.noteCommits()
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
        for list in store.assumeIsolated({ $0.apply(rules) }) { reevaluate(list) }
    }

    /// Applies a change of the rights to a list: ends the subscriptions and handlers of clients that have lost their
    /// rights, and starts waiting subscriptions of clients that have got them. O(subscriptions and handlers of the
    /// list).
    private func reevaluate(_ name: ListName) {
        for subscription in followedLists[name]?.subscriptions ?? [] {
            let peer = subscription.connection.peer
            if store.assumeIsolated({ $0.mayRead(name, peer) }) {
                subscription.noteCapabilities()
            } else {
                subscription.revoke()
            }
        }
        noteChange(of: name)
        endWaiting(for: name)
        handlers.reevaluate(name)
    }

    /// Notes that clients' capabilities on the list may have changed. O(subscriptions of the list)
    func noteCapabilities(on list: ListName) {
        for subscription in followedLists[list]?.subscriptions ?? [] { subscription.noteCapabilities() }
        noteChange(of: list)
    }

    // MARK: The set of lists

    func add(_ subscription: ListsSubscription) { listsSubscriptions[ObjectIdentifier(subscription)] = subscription }

    func remove(_ subscription: ListsSubscription) { listsSubscriptions[ObjectIdentifier(subscription)] = nil }

    /// Notes that the list may have changed for the subscriptions to the set of lists. O(number of these)
    private func noteChange(of list: ListName) {
        if listsSubscriptions.isEmpty { return }
        for subscription in listsSubscriptions.values { subscription.note(list) }
    }

    // MARK: Mirrors

    func setLiveness(_ isLive: Bool, of list: ListName) {
        if mirrors.set(isLive ? .live : .notLive(since: mirrors.now), of: list) { announceLiveness(of: list) }
    }

    /// Turns a mirror into an ordinary list.
    func endMirror(_ list: ListName) {
        mirrors.forget(list)
        announceLiveness(of: list)
    }

    func endMirrors(of connection: Connection, where isEnded: (ListName) -> Bool = { _ in true }) {
        for list in mirrors.end(connection, where: isEnded) { announceLiveness(of: list) }
    }

    func announceLiveness(of list: ListName) {
        for subscription in followedLists[list]?.subscriptions ?? [] { subscription.noteLiveness() }
        noteChange(of: list)
    }

    // MARK: Lists that there are not

    /// Lets the subscription follow the list as soon as it exists.
    func awaitList(for subscription: Subscription) {
        if let list = follow(subscription.list, for: subscription.connection.peer) { return subscription.follow(list) }
        waiting[subscription.list, default: [:]][ObjectIdentifier(subscription)] = subscription
    }

    func stopWaiting(_ subscription: Subscription) {
        waiting[subscription.list]?[ObjectIdentifier(subscription)] = nil
        if waiting[subscription.list]?.isEmpty == true { waiting[subscription.list] = nil }
    }

    /// Starts the subscriptions that wait for a list. A list that was created and deleted in one commit group never
    /// existed for them.
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

    func numberOfConnections(of users: Set<UInt32>) -> Int {
        users.reduce(0) { $0 + (quotas[Int($1)]?.numberOfConnections ?? 0) }
    }

    /// The quota of the user that an id counts for. The id is nil if the kernel does not know the peer.
    func quota(of id: UInt32?) -> UserQuota {
        let userID = id.map { Int(limits.store.subordinates.user(of: $0)) }
        if let quota = quotas[userID] { return quota }
        let quota = UserQuota(userID: userID, of: self)
        quotas[userID] = quota
        return quota
    }

    func add(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = connection
        connection.quota.addConnection()
        scheduleReport()
    }

    func remove(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        trafficBefore += connection.traffic
        scheduleReport()
        let quota = connection.quota
        quota.removeConnection(connection)
        if quota.isForgettable { quotas[quota.userID] = nil }
        onRoom()
        if connections.isEmpty { onEmpty?() }
    }

    /// Lets every connection finish its requests, and calls back after the last connection has closed.
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

    /// Schedules a report of the server's figures: at most one per interval, and none when nothing happens, so that an
    /// idle daemon sleeps.
    @inline(__always)
    private func scheduleReport() {
        if !isReportScheduled { startReportTimer() }
    }

    private func startReportTimer() {
        isReportScheduled = true
        let hub = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.reportInterval) {
            hub.value.isReportScheduled = false
            hub.value.releaseMemory()
            hub.value.reportFigures()
        }
    }

    private func reportFigures() {
        let figures = figures
        // A server that refuses all requests, or is stopping, has reported that already, and the figures are not
        // relevant.
        guard figures != figuresReported, refusal == nil, onEmpty == nil else { return }
        figuresReported = figures
        options.onNews(figures.sentence)
    }

    /// Returns free memory to the system, because the C library keeps freed memory that lies below memory in use.
    /// `MemoryReleasePolicy` decides when. It is the last work in the background, because states of lists are freed there
    /// before.
    private func releaseMemory() {
        if store.assumeIsolated({ $0.packHistories() }) { scheduleReport() }
        for shrinking in [store.assumeIsolated { $0.noteShrinking() }, lengthHeld.noteShrinking()] {
            memoryReturn.note(shrinking, itemsFreed: background.itemsFreed, length: options.memory.length())
        }
        switch memoryReturn.next(at: .now()) {
        case .nothing: return
        case .later: return scheduleReport()
        case .now: break
        }
        let (memory, itemsFreed) = (options.memory, background.itemsFreed)
        background.compute(size: .max, while: { true }) {
            let begin = NIODeadline.now()
            memory.release()
            return (length: memory.length(), duration: NIODeadline.now() - begin)
        } use: { [self] end in
            let isDueAgain = memoryReturn.finish(
                length: end.length, itemsFreed: itemsFreed, after: end.duration, at: .now())
            if isDueAgain { scheduleReport() }
        }
    }

    private static let reportInterval = TimeAmount.seconds(2)

    // MARK: Settings

    /// Applies new settings from now on. Everything that has a copy of a setting gets the new one here. Existing things
    /// stay, even if they exceed a new limit. The maximum length of lines to a client never changes during its
    /// connection.
    func apply(_ settings: ServerSettings) {
        options.limits = settings.limits
        store.assumeIsolated { $0.apply(settings.limits.store) }
        handlers.apply(settings.limits)
        takeAccessRules(settings.access)
        for connection in connections.values { connection.applyLimits() }
        for quota in quotas.values { quota.applyLimits() }
    }
}

extension Commit {
    /// Whether the reply to `lists` may have changed. A change of access is handled where rights are evaluated again.
    fileprivate var isVisibleInLists: Bool {
        switch event {
        case .created, .changed, .deleted, .replaced: true
        case .unchanged: false
        }
    }
}
