import SharedLog

/// Hosts that share a list, in virtual time: the real code of the daemon's store and the connector, on models of disks, sockets,
/// networks and etcd, with all kinds of failures, and then without any.
///
/// The checker of `make soak-hosts` reads the recorded requests, answers and contents of etcd. This class checks the rest: every
/// request is answered, all hosts reach the same state and become idle, and hosts that write at once get equal shares.
package final class Simulation {
    package struct Settings: Sendable {
        package var seed: UInt64 = 1
        package var hosts = 30
        /// Seconds with failures.
        package var seconds = 20
        /// The number of hosts that write at once at the end.
        package var crowd = 12
        /// The number of compare-and-swaps for each of these hosts.
        package var swapsOfEach = 12
        package var users = 30
        package var harm = true
        package var limits = SharingLimits()
        package var fault: PlantedFault?
        /// The file for the records; nil for none.
        package var path: String?

        package init() { (limits.batchesBetweenCheckpoints, limits.batchesKept) = (60, 10) }
    }

    private let settings: Settings
    let world: World
    let etcd: Etcd
    private let records: Records
    private let recorder: LogRecorder
    private(set) var hosts: [SimulatedHost] = []
    private(set) var users: [User] = []
    let promises = Promises()
    var report = SimulationReport()
    /// The longest wait, in microseconds.
    private static let quietMax = 90_000_000

    package init(_ settings: Settings) {
        self.settings = settings
        world = World(seed: settings.seed)
        etcd = Etcd(world, settings.fault)
        records = Records(settings.path)
        recorder = LogRecorder(world, records)
        let (etcd, recorder) = (etcd, recorder)
        etcd.onChange = { recorder.take($0, of: etcd.state) }
        // The simulated etcd never loses data, so a new incarnation is a bug, and hosts would repeat it.
        recorder.onNewLife = { [world, promises] in
            promises.break("a host took it that etcd has lost what was acknowledged (new epoch)")
            world.isStopped = true
        }
        hosts = (1...settings.hosts).map { number in
            SimulatedHost(number, world, etcd, settings.limits, settings.fault)
        }
        users = (0..<settings.users).map { number in
            User(number, at: hosts[number % hosts.count], of: hosts, world, records, settings.fault) { [promises] in
                promises.break($0)
            }
        }
    }

    package func run() -> SimulationReport {
        records.write("run", "\"engineWait\":10")
        beginList()
        for user in users { user.start() }
        let end = world.now + settings.seconds * 1_000_000
        if settings.harm { Harm(world, etcd, hosts, until: end).begin() }
        world.run(until: end)
        report.swapsUnderHarm = recorder.position.batch
        for user in users { user.stop() }
        report.settling = settle("after all that went wrong")
        crowd()
        _ = settle("after all had written at once")
        tryLeases()
        _ = settle("after a host was gone")
        quiet()
        finish()
        return report
    }

    /// Creates the list in etcd, adds hosts one by one, and lets one of them make the common section.
    private func beginList() {
        let (keys, epoch) = (SimulatedHost.space, "e0")
        let record = JSONText.encoded(ListRecord(id: epoch, access: "{}"))
        let head = JSONText.encoded(Head.beginning(of: epoch))
        let begin: [EngineOperation] = [
            .put(key: keys.list("shared"), value: record), .put(key: keys.head(epoch), value: head),
        ]
        recorder.take(etcd.begin(begin), of: etcd.state)
        for host in hosts { host.timer.after(world.number(0...2_000_000)) { host.startConnector() } }
        wait(until: 60_000_000, "all hosts have the list") { self.hosts.allSatisfy(\.daemon.isLive) }
        users[0].beginList()
        wait(until: 60_000_000, "the list begins") { self.users[0].isIdle }
    }

    // MARK: Waiting

    /// Waits for a condition, and returns whether it became true.
    @discardableResult
    func wait(until limit: Int, _ what: String, _ holds: () -> Bool) -> Bool {
        let end = world.now + limit
        while !holds() {
            guard world.now < end else {
                promises.break("\(what): it did not come within \(limit / 1_000_000) s (convergence)")
                return false
            }
            world.run(until: world.now + 20_000)
        }
        return true
    }

    /// Waits until all requests are answered and all hosts have etcd's state, and returns the time.
    private func settle(_ what: String) -> Int {
        let start = world.now
        wait(until: Self.quietMax, "all hosts are where the log is, \(what)") {
            self.users.allSatisfy(\.isIdle) && self.hosts.allSatisfy(self.isUpToDate)
        }
        for user in users where !user.isIdle { promises.break("\(user.host): a user's request has no end (unsettled)") }
        return world.now - start
    }

    private func isUpToDate(_ host: SimulatedHost) -> Bool {
        host.daemon.isLive && host.daemon.isAt(recorder.position.revision, of: recorder.epoch)
    }

    // MARK: Parts

    /// Lets some hosts write as fast as possible.
    private func crowd() {
        var writers: [Int: User] = [:]
        for user in users where writers.count < settings.crowd { writers[user.host] = writers[user.host] ?? user }
        let crowd = writers.values.sorted { $0.host < $1.host }
        guard crowd.count > 1 else { return }
        for user in crowd {
            user.pause = 0...0
            user.onlyWrites = true
            user.start()
        }
        // The tickets of ended hosts are waited for first, each until its timeout.
        world.run(until: world.now + 3 * settings.limits.turnPatience.microseconds)
        for user in crowd { user.forgetFigures() }
        etcd.figures = Etcd.Figures()
        let (start, first) = (world.now, recorder.position.batch)
        let goal = crowd.count * settings.swapsOfEach
        wait(until: 30_000_000 + goal * 50_000, "\(crowd.count) hosts write \(goal) batches") {
            self.recorder.position.batch >= first + goal
        }
        for user in crowd { user.stop() }
        let counts = crowd.map(\.acknowledged)
        report.crowd = SimulationReport.Crowd(
            hosts: crowd.count, swaps: recorder.position.batch - first, time: world.now - start,
            least: counts.min() ?? 0, most: counts.max() ?? 0, longest: crowd.map(\.longest).max() ?? 0,
            unreached: crowd.reduce(0) { $0 + $1.unreached })
        report.crowd.load = etcd.figures
        // The end of the count may give one more or one less.
        if report.crowd.most > 2 * report.crowd.least + 1 {
            promises.break(
                "of \(crowd.count) hosts that wrote at once one was answered \(report.crowd.least) times and another "
                    + "\(report.crowd.most) times (starved)")
        }
    }

    /// Checks that nothing changes in etcd without requests.
    private func quiet() {
        // The keys of killed connectors expire first, and their successors put their own.
        world.run(until: world.now + 20_000_000)
        etcd.figures = Etcd.Figures()
        let (seconds, wakings) = (10, hosts.reduce(0) { $0 + $1.daemon.wakings })
        world.run(until: world.now + seconds * 1_000_000)
        report.quiet = etcd.figures
        let woken = hosts.reduce(0) { $0 + $1.daemon.wakings } - wakings
        if woken > 0 {
            promises.break("daemons woke \(woken) times in \(seconds) s for those who wait, and nobody did (not quiet)")
        }
        if etcd.figures.changes > 0 {
            promises.break(
                "etcd was changed \(etcd.figures.changes) times in \(seconds) s in which nobody asked (not quiet)")
        }
        report.quietSeconds = seconds
        loseLeader()
    }

    /// Measures requests to etcd after its leader dies, without requests to hosts.
    private func loseLeader() {
        guard let leader = etcd.leader else { return }
        etcd.figures = Etcd.Figures()
        etcd.kill(leader)
        world.run(until: world.now + 5_000_000)
        report.leaderLoss = etcd.figures
        etcd.start(leader)
        world.run(until: world.now + 10_000_000)
    }

    private func finish() {
        let numbers = hosts.compactMap { users[0].readAtEnd($0) }
        records.write(
            "end",
            "\"epoch\":\"\(recorder.epoch)\",\"revision\":\(recorder.position.revision),"
                + "\"requests\":[\(numbers.map(String.init).joined(separator: ","))]")
        records.close()
        for host in hosts { host.killConnector() }
        // Cancelled tasks run to their end.
        world.isStopped = false
        world.run(until: world.now + 60_000_000)
        report.broken = promises.broken
        report.revision = recorder.position.revision
        report.batches = recorder.position.batch
        report.digest = records.digest
        report.records = records.lines
        report.keys = etcd.state.numberOfKeys
        report.length = etcd.state.length
        report.virtualSeconds = world.now / 1_000_000
        var said: [String: Int] = [:]
        for host in hosts { for text in host.said { said[text, default: 0] += 1 } }
        report.said = said
    }
}

/// The broken promises.
final class Promises {
    private(set) var broken: [String] = []

    func `break`(_ sentence: String) { if broken.count < 20 { broken.append(sentence) } }
}

/// The result of a run.
package struct SimulationReport: Sendable {
    /// The hosts that wrote at once, and their numbers of answers.
    package struct Crowd: Sendable {
        package internal(set) var hosts = 0
        package internal(set) var swaps = 0
        /// The longest time for an answer, in microseconds.
        package internal(set) var time = 0
        package internal(set) var least = 0
        package internal(set) var most = 0
        package internal(set) var longest = 0
        package internal(set) var unreached = 0
        var load = Etcd.Figures()

        /// The requests to etcd for each compare-and-swap.
        package var eachSwap: String {
            let count = max(swaps, 1)
            return "\((load.changes * 100 / count).hundredths) changes, "
                + "\((load.reads * 100 / count).hundredths) reads, "
                + "\(load.messages / count) messages of \(load.bytesToWatchers / max(load.messages, 1)) bytes"
        }
    }

    package internal(set) var broken: [String] = []
    package internal(set) var crowd = Crowd()
    package internal(set) var revision = 0
    package internal(set) var batches = 0
    package internal(set) var swapsUnderHarm = 0
    package internal(set) var records = 0
    /// The digest of all records.
    package internal(set) var digest: UInt64 = 0
    /// Microseconds until all hosts had the same state after the failures.
    package internal(set) var settling = 0
    /// Microseconds from the end of a host to the end of its leases.
    package internal(set) var leaseEnd = 0
    package internal(set) var keys = 0
    package internal(set) var length = 0
    package internal(set) var virtualSeconds = 0
    package internal(set) var said: [String: Int] = [:]
    var quiet = Etcd.Figures()
    var quietSeconds = 1
    /// The counters of the five seconds after the leader was killed.
    var leaderLoss = Etcd.Figures()

    package var whenTheLeaderDies: String {
        "\(leaderLoss.reads) reads and \(leaderLoss.changes) changes in 5 s"
    }

    /// The requests to etcd in a second without requests to hosts.
    package var quietly: String {
        "\(quiet.reads / quietSeconds) reads/s, \(quiet.keepAlives / quietSeconds) keep-alives/s, "
            + "\(quiet.messages / quietSeconds) messages/s"
    }
}

extension Int {
    fileprivate var hundredths: String { "\(self / 100).\(self % 100 < 10 ? "0" : "")\(self % 100)" }
}
