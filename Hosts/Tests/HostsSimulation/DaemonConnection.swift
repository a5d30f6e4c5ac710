import Diffable
import SharedLog

@testable import DiffableStore

/// A connector's connection to its daemon, instead of the socket and `Connection+Sharing`.
///
/// Unchecked, because a world uses one thread.
final class DaemonConnection: DaemonLink, @unchecked Sendable {
    /// The delay of one direction in microseconds: constant, so that messages stay in order.
    private static let way = 30

    private let daemon: SimulatedDaemon
    private let store: Store
    private let fault: PlantedFault?
    let events: AsyncStream<DaemonEvent>
    private let event: AsyncStream<DaemonEvent>.Continuation
    private var isOpen = true
    private let closing = Promise<Void>()
    private var waiting: [Int: () -> Void] = [:]
    private var requests = 0
    /// The older state for `PlantedFault.oldCheckpoint`.
    private var older: SharedCheckpoint?

    /// Returns nil if no daemon is running.
    init?(_ daemon: SimulatedDaemon, _ fault: PlantedFault?) {
        guard daemon.isUp else { return nil }
        (self.daemon, store, self.fault) = (daemon, daemon.store, fault)
        (events, event) = AsyncStream.makeStream(of: DaemonEvent.self)
        daemon.connect(self)
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        event.finish()
        for (_, end) in waiting.sorted(by: { $0.key < $1.key }) { end() }
        waiting = [:]
        closing.keep(())
        daemon.disconnect(self)
    }

    /// Returns when the connection has ended.
    func closed() async { await closing.wait(cancelled: ()) }

    // MARK: Requests to the daemon

    private func ask<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                _ store: isolated Store, _ answer: @escaping @Sendable (Result<Value, DaemonError>) -> Void
            ) -> Void
    ) async throws(DaemonError) -> Value {
        guard isOpen else { throw .gone }
        let promise = Promise<Result<Value, DaemonError>>()
        requests += 1
        let number = requests
        waiting[number] = { promise.keep(.failure(.gone)) }
        deliver { [self] in
            store.assumeIsolated { [self] store in
                body(store) { result in
                    self.deliver {
                        self.waiting[number] = nil
                        promise.keep(result)
                    }
                }
            }
        }
        return try await promise.wait(cancelled: .failure(.gone)).get()
    }

    /// Delivers a message, which is lost if the connection ends before it arrives.
    private func deliver(_ body: @escaping () -> Void) {
        daemon.timer.after(Self.way) { if self.isOpen, self.daemon.store === self.store { body() } }
    }

    func attach() async throws(DaemonError) -> [(list: String, epoch: String, replica: Replica)] {
        let states: [SharedState] = try await ask { store, answer in
            answer(
                .success(
                    store.attach(host: "host\(self.daemon.host)") { call in
                        self.deliver { self.event.yield(DaemonEvent(call)) }
                    }))
        }
        return states.map { (list: "\($0.list)", epoch: $0.epoch, replica: Replica($0)) }
    }

    func replicate(_ told: SharedLog.Replication) async throws(DaemonError) -> ReplicaReply {
        let isForgotten =
            fault == .noCatchUp && daemon.host == 2 && !told.batches.isEmpty && daemon.world.now > 6_000_000
        var replication = DiffableStore.Replication(told)
        if isForgotten { (replication.batches, replication.isLive) = ([], nil) }
        let asked = replication
        return try await ask { store, answer in
            store.replicate(asked) { result in
                switch result {
                case .success(let report): answer(.success(ReplicaReply(Replica(report.state), fits: report.fits)))
                // A deleted list has no position.
                case .failure(.listExists): answer(.failure(.listExists))
                case .failure(let error): answer(.failure(.refused("\(error)")))
                }
            }
        }
    }

    func settle(_ call: Int, _ outcome: CallOutcome) async throws(DaemonError) {
        let told = fault == .unsentIsDone && outcome == .unreachable && daemon.host == 2 ? .done : outcome
        let _: Bool = try await ask { store, answer in
            store.settle(call, SharingOutcome(told), isFull: told == .full)
            if self.fault == .oldCheckpoint, self.older == nil, told == .done {
                self.older = try? store.sharedCheckpoint(of: SimulatedDaemon.list)
            }
            answer(.success(true))
        }
    }

    func tell(hosts: [String]) async throws(DaemonError) {
        if fault == .hostsUntold { return }
        let hosts = fault == .hostDenied ? hosts.filter { $0 != "host2" } : hosts
        let _: Bool = try await ask { store, answer in
            store.setHosts(hosts)
            answer(.success(true))
        }
    }

    func checkpoint(of list: String) async throws(DaemonError) -> CheckpointTexts {
        let checkpoint: SharedCheckpoint = try await ask { store, answer in
            do throws(StoreError) {
                answer(.success(try store.sharedCheckpoint(of: SimulatedDaemon.list)))
            } catch { answer(.failure(.refused("\(error)"))) }
        }
        let parts = (older ?? checkpoint).parts.map { String(decoding: $0, as: UTF8.self) }
        let (state, place) = (checkpoint.state, checkpoint.state.position)
        return CheckpointTexts(
            epoch: state.epoch,
            position: Position(batch: place.batch, revision: state.revision, chain: "\(place.chain)"), parts: parts)
    }
}

// MARK: - The store's values in the words of the connector

extension Replica {
    fileprivate init(_ state: SharedState) {
        self.init(batch: state.position.batch, revision: state.revision, chain: "\(state.position.chain)")
    }
}

extension DaemonEvent {
    fileprivate init(_ call: EtcdCall) {
        switch call {
        case .append(let number, let state, let next, let revision, let text, let absent):
            let position = Position(batch: next.batch, revision: revision, chain: "\(next.chain)")
            self = .call(
                DaemonCall(
                    number, "\(state.list)", state.epoch,
                    .append(
                        text: String(decoding: text, as: UTF8.self), to: position, after: state.position.batch,
                        afterChain: "\(state.position.chain)", absent: absent)))
        case .confirm(let number, let state):
            self = .call(
                DaemonCall(
                    number, "\(state.list)", state.epoch,
                    .confirm(batch: state.position.batch, chain: "\(state.position.chain)")))
        case .share(let number, let list, let epoch, let beginning):
            self = .call(DaemonCall(number, "\(list)", epoch, .share(access: beginning.text)))
        case .remove(let number, let list, let epoch, let absent):
            self = .call(DaemonCall(number, "\(list)", epoch, .remove(absent: absent.map { [$0] } ?? [])))
        case .behind(let state): self = .behind(list: "\(state.list)", epoch: state.epoch, Replica(state))
        }
    }
}

extension DiffableStore.Replication {
    fileprivate init(_ told: SharedLog.Replication) {
        self.init(list: ListName(stringLiteral: told.list), epoch: told.epoch)
        isGone = told.isGone
        batches = told.batches.map { Array($0.utf8) }
        isLive = told.isLive
        beginning = told.access.map { SharedBeginning($0) }
        guard let state = told.state else { return }
        let end = state.position.flatMap { position in
            SharedChain(position.chain).map { SharedPosition(batch: position.batch, chain: $0) }
        }
        part = Part(text: Array(state.text.utf8), end: end)
    }
}

extension SharingOutcome {
    fileprivate init(_ outcome: CallOutcome) {
        switch outcome {
        case .done: self = .done
        case .lost: self = .lost
        case .unreachable, .full: self = .unreachable
        case .unknown: self = .unknown
        case .refused: self = .refused
        }
    }
}
