extension ListKeeper {
    /// So many times in a row a look may find that what it read is no longer there, or that the daemon took nothing.
    private static let stallsMax = 3

    /// Gives the daemon what it lacks, up to a head that was read from the engine itself, and tells it that the list is
    /// live.
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
                // A head that was read before the replica came so far says nothing of it.
                if isReadNow { return try await beginAnew() }
                fresh = nil
                continue
            case .anew: try await giveAnew()
            }
            if replica == before { (fresh, stalls) = (nil, stalls + 1) } else { stalls = 0 }
        }
        // The daemon takes nothing (its disk is full), or the engine has not what its head says. The next look tries
        // again.
        if stage == .following { try await changing { () async throws(DaemonError) in try await self.tellLive(false) } }
    }

    private func isCurrent() async throws(KeeperError) {
        lastSaid = nil
        // A list without batches may be unknown to the daemon yet.
        try await changing { () async throws(DaemonError) in try await self.tellLive(true) }
    }

    private func readHead() async throws(KeeperError) -> KnownHead? {
        try await reading { () async throws(EngineError) in try await self.log.head() }
    }

    // MARK: What a watch said

    /// Offers batches to the daemon without looking at the engine: it takes only what goes on where it is.
    func take(news batches: [Int: String], _ head: KnownHead?) async throws(DaemonError) {
        if let head, head.head.epoch == epoch, head.modRevision > known?.modRevision ?? 0 { known = head }
        var texts: [String] = []
        while let text = batches[replica.batch + 1 + texts.count] { texts.append(text) }
        try await tolerating { () async throws(KeeperError) in
            // Its turn has come, so the daemon makes its batch while this one goes to its disk.
            let isUpToDate = known.map { $0.head.position.batch == replica.batch + texts.count } ?? false
            let fits = try await give(texts, goingOn: isTurnDue && isLive && isUpToDate)
            let isBehind = known.map { $0.head.position.batch > replica.batch } ?? true
            if !fits || isBehind { try await catchUp() }
        }
    }

    // MARK: What the daemon is given

    /// Gives the next batches; false if the daemon cannot read one that belongs there.
    ///
    /// - Parameter isGoingOn: with the last one the daemon hears that it may ask again.
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
            // It took less: where it is now decides what comes next.
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

    /// Lets the daemon forget what it has of the list: it does not know where in the log that is.
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
        // Others are before us. When the engine is lost, there is nobody to wait for.
        if isLiveNow, isLive, isAwaitingTurn { return }
        if !isLiveNow { isAwaitingTurn = false }
        var replication = replication()
        replication.isLive = isLiveNow
        let reply = try await daemon.replicate(replication)
        (access, isLive, mustTellLive, replica) = (nil, isLiveNow, false, reply.replica)
    }

    /// From a newer version of the daemon, which is no reason to throw away what is here.
    private func refuseUnreadable() async throws(KeeperError) {
        sayOnce(
            "the daemon cannot read what comes next in the list \(list), because a newer diffabled wrote it: the list stays "
                + "as it is here until this host has one too")
        restingLooks = limits.restingLooks
        try await changing { () async throws(DaemonError) in try await self.tellLive(false) }
    }

    // MARK: What is missing

    /// The engine has no head for the list: it was ended, or lost.
    private func missing() async throws(KeeperError) {
        known = nil
        let epoch = epoch
        if try await reading({ () async throws(EngineError) in try await self.register.hasEnded(epoch) }) {
            return try await changing { () async throws(DaemonError) in try await self.end() }
        }
        sayOnce(
            "etcd knows nothing of the list \(list) (\(epoch)), and nobody deleted it: is it another, or an empty one? "
                + "What is here stays as it is")
        try await changing { () async throws(DaemonError) in try await self.tellLive(false) }
    }

    /// The list is deleted here too.
    func end() async throws(DaemonError) {
        guard stage == .following else { return }
        stage = .ended
        var replication = replication()
        replication.isGone = true
        _ = try await daemon.replicate(replication)
    }

    /// What the engine has goes on under a new epoch, which all hosts find at the list's name.
    private func beginAnew() async throws(KeeperError) {
        sayOnce(
            "etcd has lost what was acknowledged for the list \(list): it is at batch "
                + "\(known?.head.position.batch ?? 0), and we are at \(replica.batch). "
                + "It goes on under a new epoch as it is there")
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

/// The name of a list's life.
package enum Epoch {
    /// 120 random bits, which stand in keys and URLs as they are.
    package static func random() -> String {
        let digits = Array("0123456789abcdefghijklmnopqrstuv")
        return String((0..<24).map { _ in digits[Int.random(in: digits.indices)] })
    }
}
