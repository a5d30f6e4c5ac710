import Diffable
import DiffableJSON

@testable import DiffableStore

/// Somebody who changes or reads the list on a host, again and again, and writes down what came of it.
///
/// Unchecked, because it is in a world.
final class User: @unchecked Sendable {
    /// How long a request waits for a daemon that answers (`engineWaitMax`), and some.
    private static let patience = 12_000_000
    /// Items in the list, about.
    private static let itemsMax = 24

    private let number: Int
    private let home: SimulatedHost
    private let hosts: [SimulatedHost]
    private let world: World
    private let records: Records
    private let fault: PlantedFault?
    private let broken: (String) -> Void
    /// Between an answer and the next request, in microseconds.
    var pause = 200_000...2_000_000
    var onlyWrites = false
    private var made = 0
    /// What it is at.
    private var request: UserRequest?
    private var isRunning = false
    private(set) var acknowledged = 0
    /// What the longest answer took.
    private(set) var longest = 0
    private(set) var unreached = 0
    private var older: ListState?
    /// Of the user's connection, which lasts until the daemon ends, or the user ends it.
    private var lease: (lease: Lease, store: Store)?

    init(
        _ number: Int, at home: SimulatedHost, of hosts: [SimulatedHost], _ world: World, _ records: Records,
        _ fault: PlantedFault?, broken: @escaping (String) -> Void
    ) {
        (self.number, self.home, self.hosts, self.world) = (number, home, hosts, world)
        (self.records, self.fault, self.broken) = (records, fault, broken)
    }

    private var name: String { "u\(number)" }
    var host: Int { home.number }
    var isIdle: Bool { request == nil }

    func start() {
        isRunning = true
        if isIdle { rest() }
    }

    /// Nothing new is begun.
    func stop() { isRunning = false }

    func forgetFigures() { (acknowledged, longest, unreached) = (0, 0, 0) }

    private func rest() {
        world.after(world.number(pause)) { if self.isRunning, self.isIdle { self.begin() } }
    }

    // MARK: What it wants

    private func begin() {
        guard home.daemon.isUp, !home.timer.isStandingStill, let state = home.daemon.state else { return rest() }
        made += 1
        if onlyWrites {
            let request = UserRequest(.change(appending("i\(number).\(made)")), key: "k\(number).\(made)")
            self.request = request
            return ask(request, at: home)
        }
        if world.chance(0.15) { return read(UserRequest(.read(mostRecent: world.chance(0.5)))) }
        let isKeyed = world.chance(0.5)
        var request = UserRequest(.change(wish(on: state)))
        if isKeyed { request.key = "k\(number).\(made)" }
        if world.chance(0.1) { request.ifRevision = state.revision }
        request.isLeased = world.chance(0.25)
        if world.chance(0.05) { endLease() }
        self.request = request
        ask(request, at: home)
    }

    /// Makes the section that all others write to, and nothing else.
    func beginList() {
        let request = UserRequest(.change(#"[{"op":"appendSections","sections":[{"id":"s"}]}]"#), key: "list")
        self.request = request
        ask(request, at: home)
    }

    // MARK: Leases

    /// Puts in one item that is there only as long as this user's connection; its id.
    func leaseItem() -> String {
        made += 1
        let item = "i\(number).\(made)"
        var request = UserRequest(.change(appending(item)), key: "k\(number).\(made)")
        request.isLeased = true
        self.request = request
        ask(request, at: home)
        return item
    }

    /// The connection ends, and the next lease is another one's.
    func endLease() {
        guard let (lease, store) = lease else { return }
        self.lease = nil
        guard store === home.daemon.store, home.daemon.isUp else { return }
        store.assumeIsolated { $0.end(lease, origin: Origin(name: self.name)) }
    }

    private func lease(at host: SimulatedHost) -> Lease? {
        guard host === home else { return nil }
        let store = home.daemon.store
        if let lease, lease.store === store { return lease.lease }
        let lease = store.assumeIsolated { $0.makeLease() }
        self.lease = (lease, store)
        return lease
    }

    // MARK: Changes

    private func wish(on state: ListState) -> String {
        let items = state.snapshot.sections.flatMap(\.items).map { "\($0.id)" }
        let new = "i\(number).\(made)"
        guard let some = items.randomElement(using: &world.random) else { return appending(new) }
        let isFull = items.count > Self.itemsMax
        switch world.number(isFull ? 4...9 : 0...9) {
        case 0...3: return appending(new)
        case 4, 5: return #"[{"op":"deleteItems","items":["\#(some)"]}]"#
        case 6:
            let deletion = #"{"op":"deleteItems","items":["\#(some)"]}"#
            return #"[\#(deletion),{"op":"appendItems","section":"s","items":[{"id":"\#(new)"}]}]"#
        case 7: return #"[{"op":"deleteItems","items":["nobody"],"ifPresent":true}]"#
        case 8:
            guard let other = items.randomElement(using: &world.random), other != some else { return appending(new) }
            return #"[{"op":"moveItem","item":"\#(some)","after":"\#(other)"}]"#
        default:
            let content = #"{"by":"\#(name)","at":\#(made)}"#
            return #"[{"op":"reconfigureItems","items":[{"id":"\#(some)","content":\#(content)}]}]"#
        }
    }

    private func appending(_ item: String) -> String {
        #"[{"op":"appendItems","section":"s","items":[{"id":"\#(item)","content":{"by":"\#(name)"}}]}]"#
    }

    // MARK: Asking

    private func ask(_ request: UserRequest, at host: SimulatedHost) {
        guard host.daemon.isUp, !host.timer.isStandingStill, host.daemon.state != nil else {
            // Who cannot connect has asked nothing.
            return tryAgain(request)
        }
        let attempt = attempt(request, at: host) { self.take($0, of: request, from: host) }
        var key = request.key.map { RequestKey(stringLiteral: $0) }
        if fault == .keyForgotten, request.isRepeated { key = nil }
        guard case .change(let text) = request.wish else { return }
        let operations = Self.operations(text)
        let lease = request.isLeased ? lease(at: host) : nil
        host.daemon.store.assumeIsolated { store in
            _ = store.transact(
                SimulatedDaemon.list, operations, ifRevision: request.ifRevision, requestKey: key, lease: lease,
                origin: Origin(name: self.name)
            ) { result in
                if self.fault == .unanswered, attempt.number.isMultiple(of: 20) { return }
                attempt.end(.init(result))
            }
        }
    }

    private func read(_ request: UserRequest) {
        guard case .read(let mostRecent) = request.wish else { return }
        self.request = request
        let attempt = attempt(request, at: home) { _ in
            self.request = nil
            self.rest()
        }
        let freshness: Freshness = mostRecent ? .mostRecent : .any
        home.daemon.store.assumeIsolated { store in
            store.awaitState(of: SimulatedDaemon.list, freshness) { result in
                var result = result
                if self.fault == .backwards, !mostRecent, case .success(let state) = result {
                    if let older = self.older { result = .success(older) }
                    self.older = self.older ?? state
                }
                attempt.end(.init(result))
            }
        }
    }

    /// What all hosts show at the end; the number of the request.
    func readAtEnd(_ host: SimulatedHost) -> Int? {
        guard let state = host.daemon.state else { return nil }
        let number = records.number()
        let attempt = UserAttempt(UserRequest(.read(mostRecent: false)), number, "final", host.number, at: world.now)
        records.write("request", attempt.record(.read(state), at: world.now))
        return number
    }

    private func attempt(
        _ request: UserRequest, at host: SimulatedHost, _ answer: @escaping (UserAnswer) -> Void
    ) -> UserAttempt {
        let attempt = UserAttempt(request, records.number(), name, host.number, at: world.now)
        let daemon = host.daemon
        attempt.end = { [world, records] result in
            guard !attempt.isOver else { return }
            attempt.isOver = true
            daemon.callers[attempt.number] = nil
            self.longest = max(self.longest, world.now - attempt.begin)
            records.write("request", attempt.record(result, at: world.now))
            answer(result)
        }
        daemon.callers[attempt.number] = { attempt.end(.lost) }
        host.timer.after(Self.patience) {
            // What a host wakes up with comes first.
            self.world.after(1_000_000) {
                guard !attempt.isOver else { return }
                self.broken("nobody answered request \(attempt.number) on host\(host.number) (no answer)")
                attempt.end(.lost)
            }
        }
        return attempt
    }

    // MARK: Answers

    private func take(_ answer: UserAnswer, of request: UserRequest, from host: SimulatedHost) {
        switch answer {
        case .changed, .unchanged:
            if case .changed = answer { acknowledged += 1 }
            // It may not have heard the answer. Who only writes asks for the next: a host whose user rests is not starved.
            if !onlyWrites, request.key != nil, !request.isRepeated, world.chance(fault == .keyForgotten ? 1 : 0.1) {
                var again = request
                again.isRepeated = true
                return tryAgain(again)
            }
        case .refused(let name, _):
            if name == "unreachable" { unreached += 1 }
            if request.key != nil, ["unreachable", "outcomeUnknown", "noSuchList"].contains(name) {
                return tryAgain(request)
            }
        case .lost: if request.key != nil { return tryAgain(request) }
        case .read: break
        }
        self.request = nil
        rest()
    }

    /// The same under its key, on whatever host there is.
    private func tryAgain(_ request: UserRequest) {
        self.request = request
        world.after(world.number(10_000...500_000)) {
            let other = self.world.chance(0.5) ? self.home : self.hosts[self.world.number(0...self.hosts.count - 1)]
            self.ask(request, at: other)
        }
    }

    static func operations(_ text: String) -> [ListOperation] {
        var text = text
        return text.withUTF8 { bytes in
            guard let operations = try? [ListOperation](json: UnsafeRawBufferPointer(bytes), limits: .journal) else {
                preconditionFailure("these are operations")
            }
            return operations
        }
    }
}
