import Diffable
import DiffableJSON

@testable import DiffableStore

/// A user that repeatedly changes or reads the list on a host, and records the results.
///
/// Unchecked, because a world uses one thread.
final class User: @unchecked Sendable {
    /// Microseconds to wait for an answer: slightly more than `engineWaitMax`.
    private static let patience = 12_000_000
    /// The approximate number of items in the list.
    private static let itemsMax = 24

    private let number: Int
    private let home: SimulatedHost
    private let hosts: [SimulatedHost]
    private let world: World
    private let records: Records
    private let fault: PlantedFault?
    private let broken: (String) -> Void
    /// Microseconds between an answer and the next request.
    var pause = 200_000...2_000_000
    var onlyWrites = false
    private var made = 0
    /// The current request.
    private var request: UserRequest?
    private var isRunning = false
    private(set) var acknowledged = 0
    /// The longest time for an answer.
    private(set) var longest = 0
    private(set) var unreached = 0
    private var older: ListState?
    /// The lease of the user's connection, which lasts until the daemon or the user ends it.
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

    /// Makes no new requests.
    func stop() { isRunning = false }

    func forgetFigures() { (acknowledged, longest, unreached) = (0, 0, 0) }

    private func rest() {
        world.after(world.number(pause)) { if self.isRunning, self.isIdle { self.begin() } }
    }

    // MARK: Requests

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

    /// Makes only the section to which all others write.
    func beginList() {
        let request = UserRequest(.change(#"[{"op":"appendSections","sections":[{"id":"s"}]}]"#), key: "list")
        self.request = request
        ask(request, at: home)
    }

    // MARK: Leases

    /// Inserts an item leased by this user's connection, and returns its id.
    func leaseItem() -> String {
        made += 1
        let item = "i\(number).\(made)"
        var request = UserRequest(.change(appending(item)), key: "k\(number).\(made)")
        request.isLeased = true
        self.request = request
        ask(request, at: home)
        return item
    }

    /// Ends the connection; the next lease is a new one.
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
            // A user without a connection has sent nothing.
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

    /// Reads the final state of a host, and returns the number of the request.
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
            // The work of a host that wakes up is first.
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
            // The answer may have been lost. A user that only writes continues, so that an idle user's host does not look
            // starved.
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

    /// Repeats the request under its key on any running host.
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
