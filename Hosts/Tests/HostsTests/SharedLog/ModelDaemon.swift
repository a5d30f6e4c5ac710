import SharedLog

/// A model of the daemon: replicas that accept fitting batches, and writers of batches that go through etcd.
actor ModelDaemon {
    struct SharedList {
        var epoch: String
        /// All texts up to here, including those in a checkpoint.
        var texts: [String] = []
        var chain = ""
        var isLive = false
        /// The number of the open call.
        var call: Int?
        /// The text with an unknown outcome.
        var doubt: String?
        var parts: [String] = []

        var position: Position { Position(batch: texts.count, revision: texts.count, chain: chain) }
    }

    let name: String
    private(set) var lists: [String: SharedList] = [:]
    private(set) var acknowledged: [String] = []
    private(set) var given: [String] = []
    private(set) var settled: [CallOutcome] = []
    private(set) var gone: [String] = []
    private(set) var hostsTold: [[String]] = []
    private(set) var statesTaken = 0
    private var ordinary: Set<String> = []
    private var calls = 0
    private var connections = 0
    private var written = 0
    private var engine: SharedSpace?
    /// The list that it changes continuously.
    private var busyList: String?

    init(_ name: String) { self.name = name }

    /// Returns a connection, which ends when the next one begins.
    func connection() -> ModelConnection {
        connections += 1
        return ModelConnection(daemon: self, number: connections)
    }

    func connect(_ space: SharedSpace) async {
        engine = space
        for list in lists.keys {
            lists[list]?.isLive = false
            if let call = lists[list]?.call { await settled(call, .unknown) }
        }
        await space.attach(
            lists.map { ($0.key, $0.value.epoch, Replica($0.value.position)) })
    }

    func keepOrdinary(_ list: String) { ordinary.insert(list) }

    static func chain(_ before: String, _ text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in (before + "|" + text).utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }

    // MARK: The writer

    /// Begins an append, if the list is live and none is open.
    ///
    /// - Parameter absent: hosts that must not be present.
    func write(_ list: String, absent: [String] = []) async {
        guard var shared = lists[list], shared.isLive, shared.call == nil else { return }
        if shared.doubt == nil { written += 1 }
        let batch = shared.texts.count + 1
        let text =
            shared.doubt
            ?? "{\"after\":\"\(shared.chain)\",\"batch\":\(batch),\"host\":\"\(name)\",\"id\":\"\(name)-\(written)\"}"
        calls += 1
        (shared.call, shared.doubt) = (calls, text)
        lists[list] = shared
        let position = Position(batch: batch, revision: batch, chain: Self.chain(shared.chain, text))
        await engine?.take(
            DaemonCall(
                calls, list, shared.epoch,
                .append(text: text, to: position, after: shared.texts.count, afterChain: shared.chain, absent: absent)))
    }

    /// Changes a list continuously, until the next call.
    func write(always list: String?) async {
        busyList = list
        if let list { await write(list) }
    }

    func share(_ list: String, as epoch: String) async {
        calls += 1
        pendingShares[calls] = (list, epoch)
        await engine?.take(DaemonCall(calls, list, epoch, .share(access: "{}")))
    }

    func remove(_ list: String) async {
        guard let shared = lists[list] else { return }
        calls += 1
        pendingRemovals[calls] = list
        await engine?.take(DaemonCall(calls, list, shared.epoch, .remove()))
    }

    func confirm(_ list: String) async {
        guard let shared = lists[list], shared.call == nil, shared.doubt == nil else { return }
        calls += 1
        lists[list]?.call = calls
        await engine?.take(
            DaemonCall(calls, list, shared.epoch, .confirm(batch: shared.texts.count, chain: shared.chain)))
    }

    /// The number of unanswered removals.
    var pendingRemovalCount: Int { pendingRemovals.count }

    private var pendingShares: [Int: (String, String)] = [:]
    private var pendingRemovals: [Int: String] = [:]

    // MARK: The connector's requests

    func settle(_ call: Int, _ outcome: CallOutcome) async throws(DaemonError) {
        await settled(call, outcome)
        if let busyList { await write(busyList) }
    }

    /// Throws if the connection is not the current one.
    func expect(_ connection: Int) throws(DaemonError) { if connection != connections { throw .gone } }

    private func settled(_ call: Int, _ outcome: CallOutcome) async {
        settled.append(outcome)
        if let (list, epoch) = pendingShares.removeValue(forKey: call) {
            if outcome == .done { lists[list] = SharedList(epoch: epoch, isLive: true) }
            return
        }
        if let list = pendingRemovals.removeValue(forKey: call) {
            if outcome == .done || outcome == .lost { lists[list] = nil }
            return
        }
        guard let (list, shared) = lists.first(where: { $0.value.call == call }) else { return }
        lists[list]?.call = nil
        // After a refusal it continues.
        if outcome != .done, outcome != .refused { lists[list]?.isLive = false }
        guard let text = shared.doubt else { return }
        switch outcome {
        case .done:
            take(text, list)
            acknowledged.append(text)
            lists[list]?.doubt = nil
        case .lost:
            if shared.texts.contains(text) { acknowledged.append(text) }
            lists[list]?.doubt = nil
        case .unreachable, .full, .refused: lists[list]?.doubt = nil
        // The same text is sent again when the list is live again.
        case .unknown: break
        }
    }

    private func take(_ text: String, _ list: String) {
        let chain = Self.chain(lists[list]?.chain ?? "", text)
        lists[list]?.chain = chain
        lists[list]?.texts.append(text)
    }

    func replicate(_ replication: Replication) async throws(DaemonError) -> ReplicaReply {
        let list = replication.list
        if ordinary.contains(list) { throw .listExists }
        if replication.isGone {
            guard lists[list]?.epoch == replication.epoch else { return ReplicaReply(Replica(.beginning)) }
            // A text in doubt under an ended epoch was never acknowledged.
            lists[list] = nil
            gone.append(replication.epoch)
            return ReplicaReply(Replica(.beginning))
        }
        if lists[list] == nil {
            lists[list] = SharedList(epoch: replication.epoch)
        }
        guard lists[list]?.epoch == replication.epoch else { throw .listExists }
        var fits = true
        for text in replication.batches where fits {
            given.append(text)
            guard let facts = BatchFacts(text) else { fits = false; break }
            let count = lists[list]?.texts.count ?? 0
            if facts.batch == count + 1 {
                fits = facts.after == lists[list]?.chain
                if fits { take(text, list) }
            }
        }
        if let part = replication.state { take(part, list) }
        resolveDoubt(list)
        if let isLive = replication.isLive { lists[list]?.isLive = isLive }
        if let busyList { await write(busyList) }
        return ReplicaReply(Replica(lists[list]?.position ?? .beginning), fits: fits)
    }

    /// Resolves the doubt about a text once the list has passed its place.
    private func resolveDoubt(_ list: String) {
        guard let shared = lists[list], shared.call == nil, let text = shared.doubt, let facts = BatchFacts(text),
            shared.texts.count >= facts.batch
        else { return }
        if shared.texts[facts.batch - 1] == text { acknowledged.append(text) }
        lists[list]?.doubt = nil
    }

    private func take(_ part: StatePart, _ list: String) {
        lists[list]?.parts.append(part.text)
        guard let position = part.position else { return }
        let texts = (lists[list]?.parts ?? []).flatMap { $0.split(separator: "\n").map(String.init) }
        lists[list]?.parts = []
        guard position.batch > lists[list]?.texts.count ?? 0 else { return }
        precondition(texts.count == position.batch, "a state has all of it")
        lists[list]?.texts = texts
        lists[list]?.chain = position.chain
        statesTaken += 1
    }

    func tell(hosts: [String]) { hostsTold.append(hosts) }

    func checkpoint(of list: String) async throws(DaemonError) -> CheckpointTexts {
        guard let shared = lists[list] else { throw .refused("no such list") }
        let middle = shared.texts.count / 2
        let parts = [shared.texts[..<middle], shared.texts[middle...]].map { $0.joined(separator: "\n") }
        return CheckpointTexts(epoch: shared.epoch, position: shared.position, parts: parts)
    }
}

struct ModelConnection: DaemonLink {
    let daemon: ModelDaemon
    let number: Int

    func replicate(_ replication: Replication) async throws(DaemonError) -> ReplicaReply {
        try await daemon.expect(number)
        return try await daemon.replicate(replication)
    }

    func settle(_ call: Int, _ outcome: CallOutcome) async throws(DaemonError) {
        try await daemon.expect(number)
        try await daemon.settle(call, outcome)
    }

    func tell(hosts: [String]) async throws(DaemonError) {
        try await daemon.expect(number)
        await daemon.tell(hosts: hosts)
    }

    func checkpoint(of list: String) async throws(DaemonError) -> CheckpointTexts {
        try await daemon.expect(number)
        return try await daemon.checkpoint(of: list)
    }
}
