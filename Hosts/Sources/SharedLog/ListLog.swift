/// The log of one list in etcd: its reads, and its only way to grow.
package struct ListLog: Sendable {
    /// The most batches of one read: 16 MiB if all are as long as a piece. An answer that is too long cannot be read.
    static let batchesMax = 32
    /// Bytes of texts after which a read of batches ends.
    static let textsLengthMax = 16 << 20
    static let partsMax = 16
    /// The most attempts of an append that lost only to a checkpoint.
    static let triesMax = 20
    /// The most tickets of one read. They are ordered by host name: if there are more, the oldest may be missing, and younger
    /// ones go first.
    static let ticketsMax = 1_000

    let engine: any Engine
    let keys: SpaceKeys
    package let epoch: String
    /// Bytes of a batch's text in one key. etcd accepts requests of 1.5 MiB.
    let pieceLengthMax: Int

    package init(_ epoch: String, in keys: SpaceKeys, of engine: any Engine, pieceLengthMax: Int = 512 << 10) {
        self.engine = engine
        self.keys = keys
        self.epoch = epoch
        self.pieceLengthMax = pieceLengthMax
    }

    /// Reads the head, which may be newer than the call; nil if the list is missing.
    package func head() async throws(EngineError) -> KnownHead? {
        let result = try await engine.run(Transaction([.get(.key(keys.head(epoch)))]))
        return result.found.first?.first.flatMap(KnownHead.init)
    }

    package enum AppendOutcome: Hashable, Sendable {
        case done(KnownHead)
        /// The head is missing or a different one.
        case lost(KnownHead?)
        /// The head matched, but a host is present that must be absent.
        case refused
        /// The answer is missing. The append can only succeed while the head is the known one.
        case unknown(after: KnownHead)
    }

    /// Appends a batch if the head is the known one. A thrown error means that it was certainly not appended.
    ///
    /// The winner gives up its ticket, and a loser leaves one; the answer lists the waiting hosts.
    ///
    /// - Parameters:
    ///   - absent: hosts that must not be present.
    ///   - passed: tickets with a turn that took too long, which are deleted.
    ///   - heard: called with the waiting hosts in the answer.
    package func append(
        _ text: String, to position: Position, after known: KnownHead, by host: String, absent: [String] = [],
        passing passed: Set<TurnQueue.Ticket> = [],
        heard: (TurnQueue.Event) -> Void = { _ in }
    ) async throws(EngineError) -> AppendOutcome {
        var known = known
        let value: String
        do { value = try await logged(text, batch: position.batch, attempt: position.chain) } catch {
            // Without the swap, written pieces change nothing.
            if case .unknown(let reason) = error { throw .refused(reason) }
            throw error
        }
        let givenUp = Set(passed.map(\.host) + [host]).map { EngineOperation.delete(.key(keys.turn(epoch, $0))) }
        for _ in 0..<Self.triesMax {
            var head = known.head
            head.position = position
            let swap = Transaction(
                if: [Comparison(keys.head(epoch), changedAt: known.modRevision)]
                    + absent.map { .absent(keys.host($0)) },
                [
                    .put(key: keys.log(epoch, position.batch), value: value),
                    .put(key: keys.head(epoch), value: JSONText.encoded(head)),
                ] + givenUp + [waiting],
                otherwise: [.get(.key(keys.head(epoch))), .put(key: keys.turn(epoch, host), value: "")]
                    + absent.map { .get(.key(keys.host($0))) } + [waiting])
            let result: TransactionResult
            do { result = try await engine.run(swap) } catch {
                if case .unknown = error { return .unknown(after: known) }
                throw error
            }
            if let event = tickets(in: result) { heard(event) }
            if result.succeeded { return .done(KnownHead(head, modRevision: result.revision)) }
            guard let now = result.found.first?.first.flatMap(KnownHead.init) else { return .lost(nil) }
            // A checkpoint moves the head without moving the position.
            guard now.head.position == known.head.position else { return .lost(now) }
            // The first result is the head, the last one the tickets, and the hosts are between them.
            if !result.found.dropFirst().dropLast().allSatisfy(\.isEmpty) { return .refused }
            known = now
        }
        return .lost(known)
    }

    /// Leaves a ticket for a host that has none, and returns the known queue.
    package func queue(_ host: String) async throws(EngineError) -> TurnQueue.Event {
        let key = keys.turn(epoch, host)
        let result = try await engine.run(
            Transaction(if: [.absent(key)], [.put(key: key, value: ""), waiting], otherwise: [waiting]))
        return tickets(in: result) ?? .read([], at: result.revision, isWhole: false)
    }

    /// Reads the head for a host that has nothing to append, and ends its turn.
    package func head(
        leaving host: String, heard: (TurnQueue.Event) -> Void
    ) async throws(EngineError) -> KnownHead? {
        let result = try await engine.run(
            Transaction([.get(.key(keys.head(epoch))), .delete(.key(keys.turn(epoch, host))), waiting]))
        if let event = tickets(in: result) { heard(event) }
        return result.found.first?.first.flatMap(KnownHead.init)
    }

    private var waiting: EngineOperation { .get(.prefix(keys.turns(epoch)), limit: Self.ticketsMax) }

    /// Returns the tickets, which are the last read in each of these.
    private func tickets(in result: TransactionResult) -> TurnQueue.Event? {
        guard let found = result.found.last else { return nil }
        let tickets = found.compactMap { stored in
            keys.part(of: stored.key).flatMap { TurnQueue.Ticket($0, stored) }
        }
        return .read(tickets, at: result.revision, isWhole: found.count < Self.ticketsMax)
    }

    /// Reads the texts of the next batches, without gaps: possibly not all of them, and none if the next one is missing or was
    /// deleted.
    package func batches(after batch: Int) async throws(EngineError) -> [String] {
        let range = KeyRange.between(keys.log(epoch, batch + 1), keys.log(epoch) + "~")
        let result = try await engine.run(Transaction([.get(range, limit: Self.batchesMax)]))
        var texts: [String] = []
        var length = 0
        for stored in result.found.first ?? [] {
            let next = batch + 1 + texts.count
            guard length < Self.textsLengthMax, stored.key == keys.log(epoch, next),
                let text = try await text(of: stored.value, batch: next)
            else { break }
            length += text.utf8.count
            texts.append(text)
        }
        return texts
    }

    /// Returns the value of a batch in the log. The pieces of a long text are written first.
    ///
    /// - Parameter attempt: an id that no other text of this batch has.
    func logged(_ text: String, batch: Int, attempt: String) async throws(EngineError) -> String {
        if text.utf8.count <= pieceLengthMax { return text }
        let pieces = text.pieces(of: pieceLengthMax)
        let folder = "\(keys.pieces(epoch, batch))\(attempt)/"
        for (number, piece) in pieces.enumerated() {
            let key = SpaceKeys.part(of: folder, number)
            _ = try await engine.run(Transaction([.put(key: key, value: CheckpointPart(text: piece).value)]))
        }
        return JSONText.encoded(BatchPieces(attempt: attempt, count: pieces.count))
    }

    /// Returns the text of a batch, or nil if a piece is missing or damaged.
    private func text(of value: String, batch: Int) async throws(EngineError) -> String? {
        guard let pieces = BatchPieces(value: value) else { return value }
        return try await parts(pieces.count, in: "\(keys.pieces(epoch, batch))\(pieces.attempt)/")?.joined()
    }
}

// MARK: - Checkpoints

extension ListLog {
    /// Writes a checkpoint without putting it in force. Returns nil if another host writes one of the same position, because the
    /// two may be split into parts differently.
    package func write(_ parts: [String], at position: Position) async throws(EngineError) -> CheckpointPlace? {
        for (number, part) in parts.enumerated() {
            let key = keys.part(epoch, position.batch, number)
            let result = try await engine.run(
                Transaction(
                    if: number == 0 ? [.absent(key)] : [], [.put(key: key, value: CheckpointPart(text: part).value)]))
            if !result.succeeded { return nil }
        }
        return CheckpointPlace(position: position, parts: parts.count)
    }

    /// Puts a checkpoint in force, and deletes older batches and checkpoints in the same transaction. Returns nil if the one in
    /// force is as new, or the list was deleted.
    ///
    /// - Parameter kept: the number of batches to keep before it, for hosts that lag slightly.
    package func putInForce(_ place: CheckpointPlace, keeping kept: Int) async throws(EngineError) -> KnownHead? {
        for _ in 0..<Self.triesMax {
            guard let known = try await head() else { return nil }
            if let other = known.head.checkpoint, other.position.batch >= place.position.batch { return nil }
            // A checkpoint after the end of the log is from an earlier incarnation of etcd.
            guard known.head.position.batch >= place.position.batch else { return nil }
            var head = known.head
            head.checkpoint = place
            head.oldest = max(head.oldest, place.position.batch + 1 - kept)
            var changes: [EngineOperation] = [.put(key: keys.head(epoch), value: JSONText.encoded(head))]
            if head.oldest > known.head.oldest {
                changes += [
                    .delete(.between(keys.log(epoch, known.head.oldest), keys.log(epoch, head.oldest))),
                    .delete(.between(keys.pieces(epoch), keys.pieces(epoch, head.oldest))),
                ]
            }
            changes.append(.delete(.between(keys.checkpoints(epoch), keys.checkpoint(epoch, place.position.batch))))
            let result = try await engine.run(
                Transaction(if: [Comparison(keys.head(epoch), changedAt: known.modRevision)], changes))
            if result.succeeded { return KnownHead(head, modRevision: result.revision) }
        }
        return nil
    }

    /// Reads the parts of a checkpoint; nil if one is missing or does not match its checksum: a newer one has replaced it, or
    /// etcd's disk is damaged.
    package func state(_ place: CheckpointPlace) async throws(EngineError) -> [String]? {
        try await parts(place.parts, in: keys.checkpoint(epoch, place.position.batch))
    }

    private func parts(_ count: Int, in folder: String) async throws(EngineError) -> [String]? {
        var parts: [String] = []
        while parts.count < count {
            let first = SpaceKeys.part(of: folder, parts.count)
            let result = try await engine.run(Transaction([.get(.between(first, folder + "~"), limit: Self.partsMax)]))
            let found = result.found.first ?? []
            if found.isEmpty { return nil }
            for stored in found.prefix(count - parts.count) {
                guard stored.key == SpaceKeys.part(of: folder, parts.count),
                    let part = CheckpointPart(value: stored.value)
                else { return nil }
                parts.append(part.text)
            }
        }
        return parts
    }
}

/// One part of a checkpoint, or one piece of a long batch, as it is stored: a checksum in 8 hex digits, a line feed, and the text.
struct CheckpointPart {
    var text: String

    init(text: String) { self.text = text }

    /// Returns nil if the text does not match the checksum.
    init?(value: String) {
        guard let end = value.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        text = String(value[value.index(after: end)...])
        guard value[..<end] == Checksum.hexadecimal(of: text) else { return nil }
    }

    var value: String { Checksum.hexadecimal(of: text) + "\n" + text }
}
