import Diffable
import DiffableJSON
import DiffableProtocol

extension Connection {
    /// Whether a transaction is made or only tried.
    public enum Mode: Sendable {
        case commit
        /// Answers what would be done.
        case dryRun
    }

    /// For how long what is put into a list is there; without a lease, until somebody takes it away.
    public enum Lease: Sendable {
        case connection
    }

    /// How subscribers hear of an `apply`.
    public enum Delivery: Sendable {
        case difference
        /// As a new beginning, for UIKit's `applySnapshotUsingReloadData`.
        case reload
    }

    /// Applies operations, all or none. A transaction that is too long for a line is sent in parts.
    ///
    /// - Parameters:
    ///   - operations: a patch among them is one of `ItemPatch(id:mergePatch:)`.
    ///   - ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    ///   - requestKey: asked again under the same key, on any connection, it is not made twice.
    ///   - lease: what is inserted goes when this connection ends. Not together with a key.
    @discardableResult
    public func transact(
        _ list: ListName, _ operations: [Operation], ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        lease: Lease? = nil, mode: Mode = .commit
    ) async throws(ClientError) -> Outcome {
        try checkPatches(in: operations)
        return try await transact(
            list, .values(OperationsWriter(operations, expansion: .asSaid)), ifRevision: ifRevision,
            requestKey: requestKey, lease: lease, mode: mode)
    }

    /// Applies operations as somebody wrote them.
    package func transact(
        _ list: ListName, _ operations: OperationsText, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        mode: Mode = .commit
    ) async throws(ClientError) -> Outcome {
        try await transact(list, .text(operations), ifRevision: ifRevision, requestKey: requestKey, mode: mode)
    }

    private func transact(
        _ list: ListName, _ operations: RequestWriter.Operations, ifRevision: Int?, requestKey: RequestKey?,
        lease: Lease? = nil, mode: Mode
    ) async throws(ClientError) -> Outcome {
        let request = RequestWriter(
            transact: list, operations, ifRevision: ifRevision, requestKey: requestKey,
            lease: lease.map { _ in .connection }, mode: mode == .dryRun ? .dryRun : .commit)
        return try await outcome(of: request)
    }

    /// Makes a list what is given; the daemon finds the difference. Asked again under the same key, it is not made twice.
    @discardableResult
    public func apply(
        _ list: ListName, _ sections: [Section], delivery: Delivery = .difference, ifRevision: Int? = nil,
        requestKey: RequestKey? = nil, lease: Lease? = nil, mode: Mode = .commit
    ) async throws(ClientError) -> Outcome {
        try await apply(
            list, [.appendSections(sections)], section: nil, delivery: delivery, ifRevision: ifRevision,
            requestKey: requestKey, lease: lease, mode: mode)
    }

    /// Makes one section's items what is given; the section is made at the end if there is none.
    @discardableResult
    public func apply(
        _ list: ListName, items: [Item], inSection section: SectionID, delivery: Delivery = .difference,
        ifRevision: Int? = nil, requestKey: RequestKey? = nil, lease: Lease? = nil, mode: Mode = .commit
    ) async throws(ClientError) -> Outcome {
        try await apply(
            list, [.appendItems(items, to: .section(section))], section: section, delivery: delivery,
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode)
    }

    /// - Parameter operations: what makes the state from nothing, which is the form that can be sent in parts.
    private func apply(
        _ list: ListName, _ operations: [Operation], section: SectionID?, delivery: Delivery, ifRevision: Int?,
        requestKey: RequestKey?, lease: Lease?, mode: Mode
    ) async throws(ClientError) -> Outcome {
        let request = RequestWriter(
            apply: list, .values(OperationsWriter(operations, expansion: .asSaid)), section: section,
            delivery: delivery == .reload ? .reload : .difference, ifRevision: ifRevision, requestKey: requestKey,
            lease: lease.map { _ in .connection }, mode: mode == .dryRun ? .dryRun : .commit)
        return try await outcome(of: request)
    }

    /// A patch that was made in Swift is a function, and functions do not travel.
    private func checkPatches(in operations: [Operation]) throws(ClientError) {
        for case .patchItems(let items) in operations {
            if let item = items.first(where: { $0.document == nil }) { throw .noMergePatch(item.id) }
        }
    }

    private func outcome(of request: RequestWriter) async throws(ClientError) -> Outcome {
        let result = try await reply(in: try await lines(for: request), request)
        return try decoded { () throws(DecodingError) in Outcome(try Reply.Change(json: result)) }
    }

    private func reply(in lines: Lines, _ request: RequestWriter) async throws(ClientError) -> [UInt8] {
        var request = request
        return try await reply { id, writer throws(ClientError) in
            let progress = request.write(id: id, into: &writer, lineLengthMax: lines.length)
            // One element is never parted.
            guard writer.count <= lines.lengthMax else {
                throw .refused(Refusal(.elementTooLong(lineLengthMax: lines.lengthMax)))
            }
            return progress
        }
    }
}

// MARK: - Lines

extension Connection {
    /// How long the lines of a request are.
    private struct Lines {
        /// What is aimed at: shorter than a daemon usually takes, so that it begins to read while the next is written.
        var length = 1 << 18
        /// What the daemon takes.
        var lengthMax: Int
    }

    /// No daemon can be configured to take less, as an item with the longest ids needs this much room.
    private static let lineLengthAlwaysTaken = 8_192

    /// Asks the daemon what it takes, unless the request is short.
    private func lines(for request: RequestWriter) async throws(ClientError) -> Lines {
        var trial = request
        var writer = ByteWriter()
        let always = Connection.lineLengthAlwaysTaken
        let progress = trial.write(id: .number(.max), into: &writer, lineLengthMax: always)
        if progress == .done, writer.count <= always { return Lines(lengthMax: always) }
        let lengthMax = try await lineLengthMax()
        var lines = Lines(lengthMax: lengthMax)
        lines.length = min(lines.length, lengthMax)
        return lines
    }
}

extension WireError {
    fileprivate static func elementTooLong(lineLengthMax: Int) -> WireError {
        WireError(
            .tooLarge,
            "one of the operations is longer than a line may be even without the others: lineLengthMax is "
                + "\(lineLengthMax) bytes",
            limit: Limit("lineLengthMax", max: lineLengthMax))
    }
}
