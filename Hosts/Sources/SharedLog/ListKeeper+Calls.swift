extension ListKeeper {
    func carryOut(_ call: DaemonCall) async throws(DaemonError) {
        var outcome: CallOutcome
        do {
            switch call.request {
            case .append(let text, let position, let after, let chain, let absent):
                let before = Position(batch: after, revision: 0, chain: chain)
                outcome = try await append(text, to: position, after: before, absent: absent)
            case .confirm(let batch, let chain): outcome = try await confirm(batch, chain)
            case .remove(let absent): outcome = try await remove(absent)
            case .share: outcome = .unreachable  // Of a list that has no keeper yet: SharedSpace answers it.
            }
        } catch {
            switch error {
            case .daemon(.gone): throw .gone
            // No change was sent, or etcd refused.
            case .daemon: outcome = .unreachable
            case .engine(let error):
                sayOnce(
                    "etcd did not carry out a request for the shared list \"\(list)\", and a client has to repeat it: \(error)"
                )
                outcome = error == .full ? .full : .unreachable
            }
        }
        if outcome == .unreachable || outcome == .full, isInDoubt(call) { outcome = .unknown }
        try await daemon.settle(call.number, outcome)
        // The daemon has then deleted the list, even one that etcd does not have. Replicating it again would create it again.
        if outcome == .done || outcome == .lost, case .remove = call.request { return stage = .ended }
        switch outcome {
        case .done: break
        // The daemon continues, and treats the host as present until the next report of hosts.
        case .refused: wasRefused = true
        case .lost, .unreachable, .full, .unknown: try await goOn(after: outcome)
        }
    }

    /// Whether a host was present that the daemon considers absent, since the last call.
    package func takeRefusal() -> Bool {
        defer { wasRefused = false }
        return wasRefused
    }

    // MARK: Append

    private func append(
        _ text: String, to position: Position, after: Position, absent: [String]
    ) async throws(KeeperError) -> CallOutcome {
        if known?.isAt(after) != true { try await catchUp() }
        // A batch that may already be in the log needs no turn: its outcome has to be found out.
        let mayBeThere = doubtful?.isAt(after) == true
        guard let known, known.isAt(after) else {
            if !mayBeThere { try await queueIfOvertaken(after) }
            return .lost
        }
        if !mayBeThere, try await mustWait() { return .unreachable }
        var heard: TurnQueue.Event?
        let outcome = try await reading { () async throws(EngineError) in
            try await self.log.append(
                text, to: position, after: known, by: self.host, absent: absent, passing: self.passed,
                heard: { heard = $0 })
        }
        if let heard { turns.take(heard) }
        switch outcome {
        case .done(let head):
            (self.known, replica, passed) = (head, Replica(position), [])
            bytesSinceCheckpoint += text.utf8.count
            return .done
        case .lost(let head):
            try await catchUp(to: head)
            awaitTurn()
            return .lost
        case .refused:
            await giveUpTurn()
            return .refused
        case .unknown(let tried):
            doubtful = tried
            return try await settled(tried)
        }
    }

    /// Whether an earlier attempt at the same place may still arrive, though this one was not sent.
    private func isInDoubt(_ call: DaemonCall) -> Bool {
        guard case .append(_, _, let after, let chain, _) = call.request, let doubtful else { return false }
        return doubtful.isAt(Position(batch: after, revision: 0, chain: chain))
    }

    /// Returns the outcome of an unanswered append. Once the head has moved, the compare-and-swap can no longer succeed: our
    /// batch is in the log or never will be, and the daemon recognizes its own text. Until then, it may still arrive.
    private func settled(_ tried: KnownHead) async throws(KeeperError) -> CallOutcome {
        let now: KnownHead?
        do { now = try await log.head() } catch { return .unknown }
        if let now, now.modRevision == tried.modRevision { return .unknown }
        do { try await catchUp(to: now) } catch {
            if case .daemon = error { throw error }
            return .unknown
        }
        // Without the missed batches the daemon could not determine the outcome.
        let hasMissed = stage == .following && replica.batch <= tried.head.position.batch
        return hasMissed && now?.isAt(tried.head.position) != true ? .unknown : .lost
    }

    /// After each outcome except `done` the daemon waits for a message that the list is live. After `unknown` it then sends the
    /// same batch once more.
    private func goOn(after outcome: CallOutcome) async throws(DaemonError) {
        mustTellLive = true
        // The message follows with our turn, which may already be there.
        if isAwaitingTurn { return try await takeTurn() }
        // The list is still live. The next poll permits another attempt.
        if outcome == .full { return }
        if outcome == .unreachable { return try await tellLive(false) }
        let fresh = outcome == .lost ? known : nil
        try await tolerating { () async throws(KeeperError) in try await catchUp(to: fresh) }
    }

    // MARK: Confirm, remove

    private func confirm(_ batch: Int, _ chain: String) async throws(KeeperError) -> CallOutcome {
        var heard: TurnQueue.Event?
        let hasTicket = turns.has(host)
        let head = try await reading { () async throws(EngineError) in
            hasTicket ? try await self.log.head(leaving: self.host) { heard = $0 } : try await self.log.head()
        }
        if let heard { turns.take(heard) }
        try await catchUp(to: head)
        guard let position = head?.head.position else { return .lost }
        return position.batch == batch && position.chain == chain ? .done : .lost
    }

    private func remove(_ absent: [String]) async throws(KeeperError) -> CallOutcome {
        do { return try await register.end(list, epoch, absent: absent) } catch {
            if case .unknown = error { return .unknown }
            throw .engine(error)
        }
    }
}

extension KnownHead {
    func isAt(_ position: Position) -> Bool {
        head.position.batch == position.batch && head.position.chain == position.chain
    }
}
