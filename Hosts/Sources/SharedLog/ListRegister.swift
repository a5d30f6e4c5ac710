/// The names of a namespace's lists, with the beginning and the end of their incarnations.
package struct ListRegister: Sendable {
    static let namesMax = 1_000
    static let headsMax = 100
    static let copiesMax = 16

    let engine: any Engine
    package let keys: SpaceKeys
    private let pieceLengthMax: Int

    /// - Parameter pieceLengthMax: bytes of a batch's text in one key of etcd.
    package init(_ keys: SpaceKeys, of engine: any Engine, pieceLengthMax: Int = 512 << 10) {
        self.engine = engine
        self.keys = keys
        self.pieceLengthMax = pieceLengthMax
    }

    package func log(_ epoch: String) -> ListLog {
        ListLog(epoch, in: keys, of: engine, pieceLengthMax: pieceLengthMax)
    }

    /// Reads all lists. The names may be from different moments after the call.
    package func records() async throws(EngineError) -> [String: ListRecord] {
        try await records(readingHosts: false).records
    }

    /// Reads all lists and the present hosts, which needs no additional call.
    ///
    /// - Parameter readsHosts: whether to read the hosts.
    package func records(
        readingHosts readsHosts: Bool
    ) async throws(EngineError) -> (records: [String: ListRecord], hosts: [String]?) {
        var records: [String: ListRecord] = [:]
        var hosts: [String]?
        var first = keys.lists
        while true {
            let range = KeyRange.between(first, keys.lists + "\u{10FFFF}")
            let names = EngineOperation.get(range, limit: Self.namesMax)
            // The hosts are read with the first of the names.
            let asksForHosts = readsHosts && hosts == nil
            let result = try await engine.run(
                Transaction(asksForHosts ? [names, .get(.prefix(keys.hosts))] : [names]))
            let found = result.found.first ?? []
            for stored in found {
                guard let record = JSONText.decoded(ListRecord.self, stored.value) else { continue }
                records[String(stored.key.dropFirst(keys.lists.count))] = record
            }
            if asksForHosts { hosts = result.found.last?.map { String($0.key.dropFirst(keys.hosts.count)) } }
            guard found.count == Self.namesMax, let last = found.last else { return (records, hosts) }
            first = last.key + "\0"
        }
    }

    /// Reads the heads of lists, each at some moment after the call, without missing ones.
    package func heads(of epochs: [String]) async throws(EngineError) -> [String: KnownHead] {
        var heads: [String: KnownHead] = [:]
        for start in stride(from: 0, to: epochs.count, by: Self.headsMax) {
            let some = epochs[start..<min(start + Self.headsMax, epochs.count)]
            let result = try await engine.run(Transaction(some.map { .get(.key(keys.head($0))) }))
            for (epoch, found) in zip(some, result.found) { heads[epoch] = found.first.flatMap(KnownHead.init) }
        }
        return heads
    }

    package func record(of name: String) async throws(EngineError) -> (record: ListRecord, modRevision: Int64)? {
        let found = try await engine.run(Transaction([.get(.key(keys.list(name)))])).found.first?.first
        guard let found, let record = JSONText.decoded(ListRecord.self, found.value) else { return nil }
        return (record, found.modRevision)
    }

    /// Whether this incarnation was ended: the list was deleted, or continues under another epoch.
    package func hasEnded(_ epoch: String) async throws(EngineError) -> Bool {
        let result = try await engine.run(Transaction([.get(.key(keys.ended(epoch)))]))
        return result.found.first?.isEmpty == false
    }

    /// Creates a list; returns false if the name is in use.
    package func begin(_ name: String, _ record: ListRecord) async throws(EngineError) -> Bool {
        let result = try await engine.run(
            Transaction(
                if: [.absent(keys.list(name)), .absent(keys.head(record.id))],
                [
                    .put(key: keys.list(name), value: JSONText.encoded(record)),
                    .put(key: keys.head(record.id), value: JSONText.encoded(Head.beginning(of: record.id))),
                ]))
        return result.succeeded
    }

    /// Puts a daemon's copy of a list into an etcd that has lost the list. The log begins after this copy.
    ///
    /// - Returns: false if etcd has a list of that name or epoch, or if the list was deleted there.
    package func recover(_ name: String, from copy: CheckpointTexts) async throws(EngineError) -> Bool {
        let (epoch, list) = (copy.epoch, keys.list(name))
        let absent = [list, keys.head(epoch), keys.ended(epoch)].map { Comparison.absent($0) }
        // Parts of an earlier attempt.
        let cleared = try await engine.run(Transaction(if: absent, [.delete(.prefix(keys.life(epoch)))])).succeeded
        guard cleared, let place = try await log(epoch).write(copy.parts, at: copy.position) else { return false }
        // The checkpoint has the current access.
        let record = ListRecord(id: epoch, access: "{}")
        let head = Head(
            epoch: epoch, position: copy.position, checkpoint: place, oldest: copy.position.batch + 1)
        return try await engine.run(
            Transaction(
                if: absent,
                [
                    .put(key: list, value: JSONText.encoded(record)),
                    .put(key: keys.head(epoch), value: JSONText.encoded(head)),
                ])
        ).succeeded
    }

    /// Ends a list's incarnation.
    ///
    /// - Parameter absent: hosts that must not be present.
    /// - Returns: `done`; `lost` if the name has another epoch, or none; `refused` if one of `absent` is present.
    package func end(_ name: String, _ epoch: String, absent: [String] = []) async throws(EngineError) -> CallOutcome {
        while true {
            guard let known = try await record(of: name), known.record.id == epoch else { return .lost }
            let result = try await engine.run(
                Transaction(
                    if: [Comparison(keys.list(name), changedAt: known.modRevision)]
                        + absent.map { .absent(keys.host($0)) },
                    [
                        .delete(.key(keys.list(name))), .delete(.prefix(keys.life(epoch))),
                        .put(key: keys.ended(epoch), value: ""),
                    ],
                    otherwise: absent.map { .get(.key(keys.host($0))) }))
            if result.succeeded { return .done }
            if !result.found.allSatisfy(\.isEmpty) { return .refused }
        }
    }

    /// Moves etcd's state of a list to a new epoch by one compare-and-swap of its name; returns false if another host did, or
    /// the list was deleted.
    ///
    /// Etcd has lost acknowledged changes (an older copy was restored). Replicas with these changes cannot go back under the
    /// same epoch, because their clients have seen the lost revisions, and a revision names one state only.
    package func begin(anew name: String, _ epoch: String, as new: String) async throws(EngineError) -> Bool {
        guard let known = try await record(of: name), known.record.id == epoch else { return false }
        let (from, to) = (keys.checkpoints(epoch), keys.checkpoints(new))
        var first = from
        while true {
            let range = KeyRange.between(first, from + "~")
            let found = try await engine.run(Transaction([.get(range, limit: Self.copiesMax)])).found.first ?? []
            for stored in found {
                let key = to + stored.key.dropFirst(from.count)
                _ = try await engine.run(Transaction([.put(key: key, value: stored.value)]))
            }
            guard found.count == Self.copiesMax, let last = found.last else { break }
            first = last.key + "\0"
        }
        return try await swap(name, known, to: new)
    }

    /// Copies the log, and changes the name if neither it nor the head has changed since.
    private func swap(
        _ name: String, _ known: (record: ListRecord, modRevision: Int64), to new: String
    ) async throws(EngineError) -> Bool {
        let old = known.record.id
        guard let last = try await log(old).head() else { return false }
        var next = max(last.head.oldest, 1)
        var head = last.head
        head.epoch = new
        while next <= last.head.position.batch {
            let texts = try await log(old).batches(after: next - 1)
            if texts.isEmpty { return false }
            for text in texts {
                let value = try await log(new).logged(text, batch: next, attempt: "copy")
                _ = try await engine.run(Transaction([.put(key: keys.log(new, next), value: value)]))
                next += 1
            }
        }
        let record = ListRecord(id: new, access: known.record.access)
        let result = try await engine.run(
            Transaction(
                if: [
                    Comparison(keys.list(name), changedAt: known.modRevision),
                    Comparison(keys.head(old), changedAt: last.modRevision),
                ],
                [
                    .put(key: keys.list(name), value: JSONText.encoded(record)),
                    .put(key: keys.head(new), value: JSONText.encoded(head)),
                    .delete(.prefix(keys.life(old))), .put(key: keys.ended(old), value: ""),
                ]))
        return result.succeeded
    }
}
