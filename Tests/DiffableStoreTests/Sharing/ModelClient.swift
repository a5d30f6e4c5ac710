import Diffable
import TestSupport

@testable import DiffableStore

/// Changes the list repeatedly on several hosts, and checks each answer against the log.
///
/// Unchecked, because a world uses one thread.
final class ModelClient: @unchecked Sendable {
    private let number: Int
    private let world: World
    private let engine: ModelEngine
    private let hosts: [ModelHost]
    private let checks: SharingChecks
    private var made = 0
    /// Whether to begin no new requests.
    var isDone = false
    private(set) var answered = 0

    init(_ number: Int, _ world: World, _ engine: ModelEngine, _ hosts: [ModelHost], _ checks: SharingChecks) {
        (self.number, self.world, self.engine, self.hosts, self.checks) = (number, world, engine, hosts, checks)
        pause()
    }

    /// Returns the user of a row's request; nil for rows without a request.
    static func user(of maker: String) -> ModelUser? {
        guard maker.first == "t", let number = maker.dropFirst().split(separator: ".").first.flatMap({ Int($0) }) else {
            return nil
        }
        return ModelUser.allCases[number % ModelUser.allCases.count]
    }

    private var user: ModelUser { ModelUser.allCases[number % ModelUser.allCases.count] }

    /// An intended change of the list.
    private enum Wish {
        case transact([ListOperation])
        /// A change for as long as the client's connection lasts.
        case lease([ListOperation])
        case apply(Target, Delivery)
        case undo
        case read
        case readAt(Int)
        case govern(SharedAccess)

        var isLeasing: Bool { if case .lease = self { true } else { false } }
    }

    /// A request with its repetitions.
    private final class Attempt {
        let name: String
        let wish: Wish
        let key: RequestKey?
        let ifRevision: Int?
        /// The log's revision at the first attempt.
        let start: Int
        let accessStart: Int
        /// Whether one of the answers was an unknown outcome.
        var isInDoubt = false
        var tries = 0

        init(_ name: String, _ wish: Wish, _ key: RequestKey?, ifRevision: Int?, _ engine: ModelEngine) {
            (self.name, self.wish, self.key, self.ifRevision) = (name, wish, key, ifRevision)
            (start, accessStart) = (engine.revision, engine.accesses.count - 1)
        }
    }

    private func pause() {
        world.after(world.number(1...60)) { if !self.isDone { self.begin() } }
    }

    private func begin() {
        let host = hosts[number % hosts.count]
        guard host.isUp, user.peer(on: host.number) != nil else { return pause() }
        made += 1
        let state = host.store.assumeIsolated { $0.list(host.list) }
        if world.chance(10) { endLease() }
        let wish = world.chance(4) ? wishOfAccess : wish(on: state?.snapshot ?? Snapshot())
        let attempt = Attempt(
            "t\(number).\(made)", wish,
            world.chance(50) && !wish.isLeasing ? RequestKey(stringLiteral: "k\(number).\(made)") : nil,
            ifRevision: world.chance(20) ? state?.revision : nil, engine)
        ask(attempt, host)
    }

    /// The lease, and the store that made it.
    private var lease: (lease: Lease, store: Store)?
    private(set) var leased = 0

    private func lease(by store: Store) -> Lease {
        if let lease, lease.store === store { return lease.lease }
        let made = store.assumeIsolated { $0.makeLease() }
        lease = (made, store)
        leased += 1
        return made
    }

    /// Ends the connection's lease, unless the daemon was killed.
    func endLease() {
        guard let (lease, store) = lease, hosts.contains(where: { $0.store === store && $0.isUp }) else { return }
        self.lease = nil
        engine.endedHolders.insert(store.assumeIsolated { $0.holder(lease) })
        store.assumeIsolated { $0.end(lease, origin: Origin(name: "lease ended")) }
    }

    private var wishOfAccess: Wish {
        let modes = [0o660, 0o666, 0o640, 0o664]
        var change = SharedAccess()
        if world.chance(70) { change.mode = AccessMode(bits: modes[world.number(0...3)]) }
        if change.mode == nil || user == .root, world.chance(50) { change.owner = world.chance(50) ? "anna" : "bert" }
        if change == SharedAccess() { change.group = ModelUser.group }
        return .govern(change)
    }

    private func wish(on snapshot: Snapshot) -> Wish {
        let items = snapshot.sections.flatMap(\.items)
        guard snapshot.contains("s" as SectionID) else { return .transact([.appendSections([Section(id: "s")])]) }
        let new = Item(id: ItemID(stringLiteral: "i\(number).\(made)"))
        let some = items.randomElement(using: &world.random)
        switch world.number(0...12) {
        case 11, 12: return .lease([.appendItems([new], to: .section("s"))])
        case 0: return .undo
        case 1: return .read
        // A revision that another host has confirmed, or one that does not exist yet.
        case 10: return .readAt(engine.revision + (world.chance(30) ? world.number(1...5) : 0))
        case 2:
            // A long change, or no change at all.
            let target = world.chance(50) ? items + [new] : items
            return .apply(.section("s", Array(target.suffix(30))), world.chance(20) ? .reload : .difference)
        case 3, 4:
            guard let some else { fallthrough }
            return .transact([.deleteItems([some.id])])
        case 5:
            guard let some else { fallthrough }
            return .transact([.insertItems([new], at: .before(some.id))])
        default: return .transact([.appendItems([new], to: .section("s"))])
        }
    }

    private func ask(_ attempt: Attempt, _ host: ModelHost) {
        attempt.tries += 1
        let tries = attempt.tries
        var isOver = false
        let answer: (Result<Outcome, StoreError>) -> Void = { result in
            guard !isOver else { return }
            isOver = true
            self.take(result, of: attempt)
        }
        let store = host.store
        // A killed daemon does not answer; any other one answers in time.
        world.after(10_500) {
            guard !isOver, attempt.tries == tries else { return }
            self.checks.expect(store !== host.store || !host.isUp, "\(attempt.name) was not answered by \(host.name)")
            answer(.failure(.outcomeUnknown(host.list)))
        }
        send(attempt, to: host, answer)
    }

    private func send(
        _ attempt: Attempt, to host: ModelHost, _ answer: @escaping (Result<Outcome, StoreError>) -> Void
    ) {
        let store = host.store
        let boxed = Unshared(answer)
        let completion: Store.Completion<Outcome> = { result in
            // Answers of a dead daemon do not reach the client.
            if host.store === store, host.isUp { boxed.value(result) }
        }
        let origin = Origin(name: attempt.name)
        let (wish, key, ifRevision) = (attempt.wish, attempt.key, attempt.ifRevision)
        guard let peer = user.peer(on: host.number) else { return completion(.failure(.outcomeUnknown(host.list))) }
        let lease = wish.isLeasing ? lease(by: store) : nil
        store.assumeIsolated { store in
            switch wish {
            case .lease(let operations):
                store.transact(
                    host.list, operations, ifRevision: ifRevision, lease: lease, origin: origin, by: peer,
                    completion: completion)
            case .transact(let operations):
                store.transact(
                    host.list, operations, ifRevision: ifRevision, requestKey: key, origin: origin,
                    by: peer, completion: completion)
            case .apply(let target, let delivery):
                store.apply(
                    host.list, target, delivery: delivery, ifRevision: ifRevision, requestKey: key, origin: origin,
                    by: peer, completion: completion)
            case .undo:
                store.undo(
                    host.list, ifRevision: ifRevision, requestKey: key, origin: origin, by: peer,
                    completion: completion)
            case .read:
                store.awaitState(of: host.list, .mostRecent, by: peer) { result in
                    completion(result.map { Outcome(before: $0, after: $0, operations: []) })
                }
            case .govern(let told):
                let change = AccessRecord(
                    owner: told.owner.flatMap { ModelUser(rawValue: $0)?.number(on: host.number) },
                    group: told.group.flatMap { _ in ModelUser.groupNumber(on: host.number) }, mode: told.mode)
                store.setAccess(of: host.list, change, by: peer) { result in
                    completion(result.map { Outcome(before: $0.state, after: $0.state, operations: []) })
                }
            case .readAt(let revision):
                store.awaitState(of: host.list, .notOlderThan(revision), by: peer) { result in
                    // A confirmed change is visible to the next reader.
                    let read = store.assumeIsolated { $0.list(host.list) }
                    completion(result.map { Outcome(before: read ?? $0, after: read ?? $0, operations: []) })
                }
            }
        }
    }

    // MARK: Answers

    private func take(_ result: Result<Outcome, StoreError>, of attempt: Attempt) {
        switch result {
        case .failure(.outcomeUnknown), .failure(.noSuchList):
            // A daemon that has just started has no list yet.
            attempt.isInDoubt = true
            if attempt.key != nil, attempt.tries < 20 { return tryAgain(attempt) }
        case .failure(.unreachable) where attempt.key != nil && attempt.tries < 20: return tryAgain(attempt)
        case .failure(let error): check(error, of: attempt)
        case .success(let outcome): check(outcome, of: attempt)
        }
        answered += 1
        // The result is known when nothing is in progress.
        unsettled.append((attempt, result))
        pause()
    }

    private var unsettled: [(attempt: Attempt, result: Result<Outcome, StoreError>)] = []

    /// Sends the same request under its key to any running host.
    private func tryAgain(_ attempt: Attempt) {
        world.after(world.number(1...300)) {
            let host = self.hosts.randomElement(using: &self.world.random) ?? self.hosts[0]
            guard host.isUp, host.store.assumeIsolated({ $0.list(host.list) }) != nil else {
                return self.tryAgain(attempt)
            }
            self.ask(attempt, host)
        }
    }

    private func check(_ outcome: Outcome, of attempt: Attempt) {
        let revision = outcome.revision
        if case .read = attempt.wish {
            return checks.expect(
                (attempt.start...engine.revision).contains(revision),
                "\(attempt.name) read \(revision), between \(attempt.start) and \(engine.revision)")
        }
        if case .govern = attempt.wish {
            return checks.expect(
                accesses(attempt).contains(where: user.governs), "\(user) set the access by \(attempt.name)")
        }
        if case .readAt(let wanted) = attempt.wish {
            return checks.expect(revision >= wanted, "\(attempt.name) read \(revision), and asked for \(wanted)")
        }
        if outcome.isChanged {
            checks.expect(
                revision > attempt.start && revision <= engine.revision,
                "\(attempt.name) is at \(revision); it was asked at \(attempt.start), answered at \(engine.revision)")
        } else {
            checks.expect(
                heads(attempt).contains { change(attempt, at: $0)?.operations.isEmpty ?? true },
                "\(attempt.name) changed nothing, and would have changed every head meanwhile")
        }
    }

    private func check(_ error: StoreError, of attempt: Attempt) {
        switch error {
        case .unreachable, .newestUnknown: break
        case .revisionNotMade(_, let wanted, let current):
            checks.expect(
                heads(attempt).contains(current) && current < wanted,
                "\(attempt.name) asked for \(wanted), and was told that the newest is \(current)")
        case .revisionMismatch(_, _, let current):
            checks.expect(heads(attempt).contains(current), "\(attempt.name) was told of \(current), which is no head")
        case .noSuchRevision, .nothingToUndo: break
        case .permissionDenied:
            let needed: Rights
            switch attempt.wish {
            case .govern:
                // Only root may do this, regardless of the access.
                return checks.expect(user != .root, "root was refused \(attempt.name)")
            case .undo: needed = [.read, .write]
            default: needed = .write
            }
            // On a host without the group, its rights apply to no user.
            if hosts.contains(where: { ModelUser.groupNumber(on: $0.number) == nil }) { break }
            checks.expect(
                accesses(attempt).contains { !user.rights($0).isSuperset(of: needed) },
                "\(attempt.name) was refused to \(user), who had the right to it all the while")
        case .transaction, .operation:
            checks.expect(
                heads(attempt).contains { change(attempt, at: $0) == nil },
                "\(attempt.name) was refused, and was possible at every head meanwhile: \(error)")
        case .noSpace: break
        default: checks.expect(false, "\(attempt.name) was answered \(error)")
        }
    }

    /// Returns the accesses that were valid between the first attempt and now.
    private func accesses(_ attempt: Attempt) -> ArraySlice<SharedAccess> { engine.accesses[attempt.accessStart...] }

    /// Returns the revisions that were current between the first attempt and now.
    private func heads(_ attempt: Attempt) -> ClosedRange<Int> { attempt.start...engine.revision }

    private func change(_ attempt: Attempt, at revision: Int) -> ComputedChange? {
        let plan: ChangePlan
        switch attempt.wish {
        case .transact(let operations), .lease(let operations): plan = .transact(operations)
        case .apply(let target, let delivery): plan = .apply(target, delivery)
        // The target of the undo would have to be known.
        case .undo, .read, .readAt, .govern: return ComputedChange(new: engine.states[revision], operations: [])
        }
        let head = ListState(
            name: "shared", epoch: "e0", revision: revision, snapshot: engine.states[revision], durability: .durable,
            number: 1)
        return try? plan.computeChange(
            from: ChangePlan.BaseState(head: head, schemas: nil, past: nil, limits: SnapshotLimits()))
    }

    /// Checks the unsettled results when nothing is in progress.
    func checkEnd() {
        for (attempt, result) in unsettled {
            let rows = engine.rows[attempt.name] ?? []
            switch result {
            case .success(let outcome) where outcome.isChanged:
                checks.expect(
                    rows == [outcome.revision],
                    "\(attempt.name) was answered with \(outcome.revision), and is in the log at \(rows)")
            case .success: checks.expect(rows.count <= (attempt.key == nil ? 0 : 1), "\(attempt.name) is at \(rows)")
            case .failure where attempt.isInDoubt:
                checks.expect(rows.count <= 1, "\(attempt.name) is in the log at \(rows)")
            case .failure(let error):
                checks.expect(
                    rows.isEmpty, "\(attempt.name) was refused (\(error.summary)), and is in the log at \(rows)")
            }
        }
    }
}

/// Unchecked, because a world uses one thread.
struct Unshared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
