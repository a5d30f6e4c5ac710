/// One list's log in the engine: what is read of it, and the one way it grows.
package struct ListLog: Sendable {
    /// How many batches one look asks for: 14 MiB of the longest, which are of 448 KiB. An answer that is too long cannot be read.
    static let batchesMax = 32
    static let partsMax = 16
    /// How often an append tries again that lost only to a checkpoint.
    static let triesMax = 20
    /// So many tickets are read at a time. They come in the order of their hosts' names: where there are more, those that
    /// were left first may not be among them, and hosts that are not go before their turn.
    static let ticketsMax = 1_000

    let engine: any Engine
    let keys: SpaceKeys
    package let epoch: String

    package init(_ epoch: String, in keys: SpaceKeys, of engine: any Engine) {
        self.engine = engine
        self.keys = keys
        self.epoch = epoch
    }

    /// The head as it is, or as it became after this was asked; nil if the list is not there.
    package func head() async throws(EngineError) -> KnownHead? {
        let result = try await engine.run(Transaction([.get(.key(keys.head(epoch)))]))
        return result.found.first?.first.flatMap(KnownHead.init)
    }

    package enum AppendOutcome: Hashable, Sendable {
        case done(KnownHead)
        /// The head is not there, or is another one.
        case lost(KnownHead?)
        /// The head is that, and a host is there that must not be.
        case refused
        /// No answer came: it is or becomes the next one only while the head is as it was known here.
        case unknown(after: KnownHead)
    }

    /// Makes a batch the next one, if the head is what it was known to be. What is thrown was refused for certain.
    ///
    /// Who wins gives up its ticket, and who loses leaves one; either hears in the same answer who waits.
    ///
    /// - Parameters:
    ///   - absent: hosts that must not be there.
    ///   - passed: those whose turn it was for too long: their tickets go.
    ///   - heard: what the answer says of those who wait.
    package func append(
        _ text: String, to position: Position, after known: KnownHead, by host: String, absent: [String] = [],
        passing passed: Set<TurnQueue.Ticket> = [],
        heard: (TurnQueue.Event) -> Void = { _ in }
    ) async throws(EngineError) -> AppendOutcome {
        var known = known
        let givenUp = Set(passed.map(\.host) + [host]).map { EngineOperation.delete(.key(keys.turn(epoch, $0))) }
        for _ in 0..<Self.triesMax {
            var head = known.head
            head.position = position
            let swap = Transaction(
                if: [Comparison(keys.head(epoch), changedAt: known.modRevision)]
                    + absent.map { .absent(keys.host($0)) },
                [
                    .put(key: keys.log(epoch, position.batch), value: text),
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
            // The head is the first that was found, who waits the last, and between them are the hosts.
            if !result.found.dropFirst().dropLast().allSatisfy(\.isEmpty) { return .refused }
            known = now
        }
        return .lost(known)
    }

    /// Leaves a ticket of a host that has none. What becomes known of the queue.
    package func queue(_ host: String) async throws(EngineError) -> TurnQueue.Event {
        let key = keys.turn(epoch, host)
        let result = try await engine.run(
            Transaction(if: [.absent(key)], [.put(key: key, value: ""), waiting], otherwise: [waiting]))
        return tickets(in: result) ?? .read([], at: result.revision, isWhole: false)
    }

    /// The head, for a host that has nothing to append now, so that its turn is over.
    package func head(
        leaving host: String, heard: (TurnQueue.Event) -> Void
    ) async throws(EngineError) -> KnownHead? {
        let result = try await engine.run(
            Transaction([.get(.key(keys.head(epoch))), .delete(.key(keys.turn(epoch, host))), waiting]))
        if let event = tickets(in: result) { heard(event) }
        return result.found.first?.first.flatMap(KnownHead.init)
    }

    private var waiting: EngineOperation { .get(.prefix(keys.turns(epoch)), limit: Self.ticketsMax) }

    /// Who waits is read last in each of these.
    private func tickets(in result: TransactionResult) -> TurnQueue.Event? {
        guard let found = result.found.last else { return nil }
        let tickets = found.compactMap { stored in
            keys.part(of: stored.key).flatMap { TurnQueue.Ticket($0, stored) }
        }
        return .read(tickets, at: result.revision, isWhole: found.count < Self.ticketsMax)
    }

    /// The texts of the next batches, which follow each other without a gap: fewer than there are, and none if the next
    /// one is not there (any more).
    package func batches(after batch: Int) async throws(EngineError) -> [String] {
        let range = KeyRange.between(keys.log(epoch, batch + 1), keys.log(epoch) + "~")
        let result = try await engine.run(Transaction([.get(range, limit: Self.batchesMax)]))
        var texts: [String] = []
        for stored in result.found.first ?? [] {
            guard stored.key == keys.log(epoch, batch + 1 + texts.count) else { break }
            texts.append(stored.value)
        }
        return texts
    }
}

// MARK: - Checkpoints

extension ListLog {
    /// Writes a state beside the log, where nobody looks for it before it is in force. Nil if another host writes one
    /// of the same position: the two may be cut into parts differently.
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

    /// Makes a written state the one to begin with, and deletes the log before it and the states before it, all at once
    /// or not at all. Nil if another one is in force that is as new, or the list is gone.
    ///
    /// - Parameter kept: so many batches before it stay, for hosts that are a little behind.
    package func putInForce(_ place: CheckpointPlace, keeping kept: Int) async throws(EngineError) -> KnownHead? {
        for _ in 0..<Self.triesMax {
            guard let known = try await head() else { return nil }
            if let other = known.head.checkpoint, other.position.batch >= place.position.batch { return nil }
            // A state that the log does not lead to is of another life of the engine.
            guard known.head.position.batch >= place.position.batch else { return nil }
            var head = known.head
            head.checkpoint = place
            head.oldest = max(head.oldest, place.position.batch + 1 - kept)
            var changes: [EngineOperation] = [.put(key: keys.head(epoch), value: JSONText.encoded(head))]
            if head.oldest > known.head.oldest {
                changes.append(
                    .delete(.between(keys.log(epoch, known.head.oldest), keys.log(epoch, head.oldest))))
            }
            changes.append(.delete(.between(keys.checkpoints(epoch), keys.checkpoint(epoch, place.position.batch))))
            let result = try await engine.run(
                Transaction(if: [Comparison(keys.head(epoch), changedAt: known.modRevision)], changes))
            if result.succeeded { return KnownHead(head, modRevision: result.revision) }
        }
        return nil
    }

    /// The parts of a state; nil if one is missing or is not what was written: a newer state has taken its place, or
    /// the engine's disk lies.
    package func state(_ place: CheckpointPlace) async throws(EngineError) -> [String]? {
        let end = keys.checkpoint(epoch, place.position.batch) + "~"
        var parts: [String] = []
        while parts.count < place.parts {
            let first = keys.part(epoch, place.position.batch, parts.count)
            let result = try await engine.run(Transaction([.get(.between(first, end), limit: Self.partsMax)]))
            let found = result.found.first ?? []
            if found.isEmpty { return nil }
            for stored in found.prefix(place.parts - parts.count) {
                guard stored.key == keys.part(epoch, place.position.batch, parts.count),
                    let part = CheckpointPart(value: stored.value)
                else { return nil }
                parts.append(part.text)
            }
        }
        return parts
    }
}

/// One part of a state as it is stored: a checksum in 8 hex digits, a line's end, and the text.
struct CheckpointPart {
    var text: String

    init(text: String) { self.text = text }

    /// Nil if the text is not what the checksum was made of.
    init?(value: String) {
        guard let end = value.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        text = String(value[value.index(after: end)...])
        guard value[..<end] == Checksum.hexadecimal(of: text) else { return nil }
    }

    var value: String { Checksum.hexadecimal(of: text) + "\n" + text }
}
