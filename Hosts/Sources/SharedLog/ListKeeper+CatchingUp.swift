extension ListKeeper {
    /// Most consecutive attempts of a poll in which the read data has disappeared, or the daemon accepted nothing.
    private static let stallsMax = 3

    /// Sends the daemon the missing data up to a head that was read from etcd itself, and reports the list as live.
    ///
    /// - Parameter given: such a head; without one it is read.
    func catchUp(to given: KnownHead? = nil) async throws(KeeperError) {
        var fresh = given
        var stalls = 0
        while stalls < Self.stallsMax, stage == .following {
            let before = replica
            let isReadNow = fresh == nil
            guard let known = try await fresh.orElse(readHead) else { return try await missing() }
            if known.modRevision > self.known?.modRevision ?? 0 || isReadNow { self.known = known }
            fresh = known
            switch CatchUp(replica, to: known.head) {
            case .nothing: return try await isCurrent()
            case .batches:
                let texts = try await reading { () async throws(EngineError) in
                    try await self.log.batches(after: before.batch)
                }
                if let first = texts.first, !CatchUp.goesOn(first, after: replica) { return try await beginAnew() }
                if try await !give(texts) { return try await refuseUnreadable() }
            case .state(let place):
                let parts = try await reading { () async throws(EngineError) in try await self.log.state(place) }
                if let parts { try await give(parts, at: place.position) }
            case .newEpoch:
                // A head that was read before the replica got this far is outdated.
                if isReadNow { return try await beginAnew() }
                fresh = nil
                continue
            case .anew: try await giveAnew()
            }
            if replica == before { (fresh, stalls) = (nil, stalls + 1) } else { stalls = 0 }
        }
        // The daemon accepts nothing (its disk is full), or etcd lacks data that its head names. The next poll tries again.
        if stage == .following { try await changing { () async throws(DaemonError) in try await self.tellLive(false) } }
    }

    private func isCurrent() async throws(KeeperError) {
        lastSaid = nil
        (missingLooks, missingLooksNext) = (0, limits.restingLooks)
        // The daemon may not know a list without batches yet.
        try await changing { () async throws(DaemonError) in try await self.tellLive(true) }
    }

    private func readHead() async throws(KeeperError) -> KnownHead? {
        try await reading { () async throws(EngineError) in try await self.log.head() }
    }

    // MARK: Watch events

    /// Offers batches to the daemon without reading etcd: it accepts only batches that continue from its position.
    func take(news batches: [Int: String], _ head: KnownHead?) async throws(DaemonError) {
        if let head, head.head.epoch == epoch, head.modRevision > known?.modRevision ?? 0 { known = head }
        var texts: [String] = []
        while let text = batches[replica.batch + 1 + texts.count] { texts.append(text) }
        try await tolerating { () async throws(KeeperError) in
            // Its turn has come, so the daemon makes its batch while this one is written to its disk.
            let isUpToDate = known.map { $0.head.position.batch == replica.batch + texts.count } ?? false
            let fits = try await give(texts, goingOn: isTurnDue && isLive && isUpToDate)
            let isBehind = known.map { $0.head.position.batch > replica.batch } ?? true
            if !fits || isBehind { try await catchUp() }
        }
    }

    // MARK: Data for the daemon

    /// Sends the next batches; returns false if the daemon cannot read one that belongs there.
    ///
    /// - Parameter isGoingOn: whether the last one permits the daemon to append again.
    private func give(_ texts: [String], goingOn isGoingOn: Bool = false) async throws(KeeperError) -> Bool {
        var rest = texts[...]
        while !rest.isEmpty {
            var replication = replication()
            var size = 0
            while let text = rest.first, size == 0 || size + JSONText.length(of: text) <= limits.lineTextsMax {
                size += JSONText.length(of: text)
                replication.batches.append(rest.removeFirst())
            }
            let expected = replica.batch + replication.batches.count
            if isGoingOn, rest.isEmpty {
                replication.isLive = true
                (isAwaitingTurn, mustTellLive) = (false, false)
            }
            let reply = try await replicate(replication)
            if !reply.fits { return false }
            bytesSinceCheckpoint += size
            // It accepted less: its position decides the next step.
            if reply.replica.batch != expected { return true }
        }
        return true
    }

    private func give(_ parts: [String], at position: Position) async throws(KeeperError) {
        for (number, part) in parts.enumerated() {
            var replication = replication()
            replication.state = StatePart(part, at: number == parts.count - 1 ? position : nil)
            _ = try await replicate(replication)
        }
    }

    /// Makes the daemon forget its copy of the list, because its position in the log is unknown.
    private func giveAnew() async throws(KeeperError) {
        var replication = replication()
        replication.isGone = true
        try await changing { () async throws(DaemonError) in _ = try await self.daemon.replicate(replication) }
        (replica, isLive) = (Replica(.beginning), false)
        if let known = try await readRecord(), known.id == epoch { access = known.access }
    }

    func replication() -> Replication {
        var replication = Replication(list, epoch)
        replication.access = access
        return replication
    }

    private func replicate(_ replication: Replication) async throws(KeeperError) -> ReplicaReply {
        let reply: ReplicaReply
        do { reply = try await daemon.replicate(replication) } catch { throw .daemon(error) }
        (access, replica) = (nil, reply.replica)
        return reply
    }

    func tellLive(_ isLiveNow: Bool) async throws(DaemonError) {
        guard isLiveNow != isLive || mustTellLive || access != nil, stage == .following else { return }
        // Other hosts precede us. When etcd is unreachable, there is nothing to wait for.
        if isLiveNow, isLive, isAwaitingTurn { return }
        if !isLiveNow { isAwaitingTurn = false }
        var replication = replication()
        replication.isLive = isLiveNow
        let reply = try await daemon.replicate(replication)
        (access, isLive, mustTellLive, replica) = (nil, isLiveNow, false, reply.replica)
    }

    /// Reports an unreadable batch of a newer daemon version, which is not a reason to discard the copy.
    private func refuseUnreadable() async throws(KeeperError) {
        sayOnce(
            "the daemon cannot read the next change of the shared list \"\(list)\", because a newer diffabled wrote it; the list "
                + "stays as it is on this host until you upgrade diffabled here")
        restingLooks = limits.restingLooks
        try await changing { () async throws(DaemonError) in try await self.tellLive(false) }
    }

    // MARK: Missing lists

    /// Handles a list without a head in etcd: it was ended, or lost.
    private func missing() async throws(KeeperError) {
        known = nil
        let epoch = epoch
        if try await reading({ () async throws(EngineError) in try await self.register.hasEnded(epoch) }) {
            return try await changing { () async throws(DaemonError) in try await self.end() }
        }
        // The daemon has never had it either.
        if access != nil { return stage = .ended }
        // Without pauses, a thousand lists missing in etcd would keep this host busy. A list that returns to etcd is found by
        // its name, or by the watch.
        missingLooks = missingLooksNext
        missingLooksNext = min(8 * missingLooksNext, limits.missingLooksMax)
        sayOnce(
            "etcd does not have the shared list \"\(list)\" (epoch \(epoch)), although nobody deleted it; the list stays as it is "
                + "on this host, and cannot be changed. Check --endpoints and --space, and whether etcd has lost its data"
        )
        try await changing { () async throws(DaemonError) in try await self.tellLive(false) }
    }

    /// Deletes the list in the daemon too.
    func end() async throws(DaemonError) {
        guard stage == .following else { return }
        stage = .ended
        var replication = replication()
        replication.isGone = true
        _ = try await daemon.replicate(replication)
    }

    /// Moves etcd's state to a new epoch, which all hosts find under the list's name.
    private func beginAnew() async throws(KeeperError) {
        sayOnce(
            "etcd has lost acknowledged changes of the shared list \"\(list)\" (it has batches up to "
                + "\(known?.head.position.batch ?? 0), and this host up to \(replica.batch)), perhaps because an older copy of etcd was "
                + "restored. All hosts continue with etcd's state, and this host keeps its newer state as a deleted list: to look "
                + "at it, use `diffablectl undelete \(list) --as` with another name")
        try await changing { () async throws(DaemonError) in try await self.tellLive(false) }
        let new = Epoch.random()
        _ = try await reading { () async throws(EngineError) in
            try await self.register.begin(anew: self.list, self.epoch, as: new)
        }
    }

    private func readRecord() async throws(KeeperError) -> ListRecord? {
        try await reading { () async throws(EngineError) in try await self.register.record(of: self.list)?.record }
    }

    // MARK: Errors

    func reading<T>(_ body: () async throws(EngineError) -> T) async throws(KeeperError) -> T {
        do { return try await body() } catch { throw .engine(error) }
    }

    func changing<T>(_ body: () async throws(DaemonError) -> T) async throws(KeeperError) -> T {
        do { return try await body() } catch { throw .daemon(error) }
    }
}

extension Optional where Wrapped: Sendable {
    fileprivate func orElse(
        _ body: () async throws(KeeperError) -> Wrapped?
    ) async throws(KeeperError) -> Wrapped? {
        if let self { return self }
        return try await body()
    }
}

/// The id of an incarnation of a list.
package enum Epoch {
    /// Returns 120 random bits in characters that need no escapes in keys and URLs.
    package static func random() -> String {
        let digits = Array("0123456789abcdefghijklmnopqrstuv")
        return String((0..<24).map { _ in digits[Int.random(in: digits.indices)] })
    }
}
