import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import Glibc
import Logging
import NIOCore

// Requests of administrators.

extension Connection {
    /// The client's identity, for the log.
    var who: Logger.Metadata {
        var who = credentials?.metadata ?? [:]
        who["client"] = name.map { "\($0)" }
        return who
    }

    func noteRefusal(_ error: WireError, of method: Method?) {
        traffic.refusals += 1
        hub.refusalLog.note(error, of: method, by: peer, who)
    }

    /// Whether the peer may administer the daemon. If not, answers with an error.
    func ensureAdministrator(_ method: Method, id: RequestID) -> Bool {
        if isAdministrator { return true }
        let error = WireError(
            .permissionDenied,
            peer.isPrivileged
                ? "permission denied: \(method.rawValue) is about all lists, and this connection gave up lists (`restrict`); use "
                    + "another connection"
                : "permission denied: only root and uid \(geteuid()), which the daemon runs as, can use \(method.rawValue)",
            peer.isPrivileged ? .restrict : .administer)
        answer(id, .failure(error))
        return false
    }

    /// Begins to send all durable lists in their current states.
    func backUp(_ id: RequestID) {
        let lists = hub.store.assumeIsolated { $0.durableLists }
        hub.logger.notice(
            "sending a backup to a client",
            metadata: who.merging(["request": "backup", "lists": "\(lists.count)"]) { $1 })
        session.openLine = .backup(
            BackupWriter(
                id: id, summaries: lists.map { Reply.ListSummary($0.state, $0.access) },
                lists: lists.map {
                    BackupWriter.List(
                        access: Request.SetAccess(list: $0.state.name, $0.record),
                        schemas: Request.SetSchemas(list: $0.state.name, $0.schemas), snapshot: $0.state.snapshot)
                }))
    }

    func restore(_ restore: Request.Restore, id: RequestID) {
        guard ensureAdministrator(.restore, id: id) else { return }
        let restoration =
            self.restoration ?? Restoration(limits: hub.store.assumeIsolated { $0.limits.snapshot })
        self.restoration = nil
        switch restore {
        case .part(let access, let schemas, let operations):
            let list = access.list
            take(operations, access, schemas, of: restoration) { [self] in
                self.restoration = $0
                answer(id, .success(.staged(list)))
            }
        case .end(let replacing): end(restoration, replacing ? .areAllowed : .areError, id: id)
        }
    }

    /// Adds a part to a restoration, in the background if it is long.
    private func take(
        _ operations: [ListOperation], _ access: Request.SetAccess, _ schemas: Request.SetSchemas?,
        of restoration: Restoration, use: @escaping (Restoration) -> Void
    ) {
        let size = operations.size(max: .max)
        guard size > hub.options.turn.itemsFreedMax else {
            var restoration = restoration
            restoration.take(operations, access, schemas)
            return use(restoration)
        }
        runInBackground(length: 128 * size) {
            var restoration = restoration
            restoration.take(operations, access, schemas)
            return restoration
        } use: {
            use($0)
        }
    }

    private func end(_ restoration: Restoration, _ replaced: ReplacedLists, id: RequestID) {
        let lists: [RestoredList]
        do throws(WireError) { lists = try restoration.end() } catch { return answer(id, .failure(error)) }
        let size = lists.reduce(0) { $0 + $1.snapshot.numberOfItems }
        guard size > hub.options.turn.itemsFreedMax else { return restore(lists, replaced, id: id) }
        runInBackground(length: 128 * size) {
            lists.map { $0.prepared() }
        } use: { [self] lists in
            restore(lists, replaced, id: id)
        }
    }

    private func restore(_ lists: [RestoredList], _ replaced: ReplacedLists, id: RequestID) {
        let (answer, origin, peer) = (PendingAnswer(id, on: self), origin, peer)
        let (logger, who) = (hub.logger, who)
        hub.store.assumeIsolated {
            $0.restore(lists, replaced: replaced, origin: origin, by: peer) { result in
                switch result {
                case .success(let lists):
                    logger.notice(
                        "a backup was restored",
                        metadata: who.merging(["request": "restore", "lists": "\(lists.count)"]) { $1 })
                    answer.send(.lists(lists.map { Reply.ListSummary($0.state, $0.access) }))
                case .failure(let error): answer.refuse(WireError(error))
                }
            }
        }
    }

    func reload(id: RequestID) {
        guard ensureAdministrator(.reload, id: id) else { return }
        hub.logger.notice(
            "a client asked to reload the configuration", metadata: who.merging(["request": "reload"]) { $1 })
        let answer = PendingAnswer(id, on: self)
        hub.options.reload { result in
            answer.eventLoop.execute {
                switch result {
                case .success(let reloaded): answer.send(.reload(reloaded))
                case .failure(let error): answer.refuse(WireError(error))
                }
            }
        }
    }
}
