import Diffable
import DiffableJSON
import DiffableProtocol

extension Connection {
    /// Applies operations, all or none. A transaction that is too long for a line is sent in parts.
    ///
    /// - Parameters:
    ///   - operations: patches among them must be made by `ItemPatch(id:mergePatch:)` or `ListPatch(mergePatch:)`.
    ///   - ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    ///   - requestKey: a repetition with the same key, on any connection, is not made twice.
    ///   - lease: inserted items are deleted when this connection ends. It cannot be combined with a key.
    @discardableResult
    public func transact(
        _ list: ListName, _ operations: [ListOperation], ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        lease: LeaseTerm? = nil, mode: TransactionMode = .commit
    ) async throws(ClientError) -> Outcome {
        try checkPatches(in: operations)
        return try await transact(
            list, .values(OperationsWriter(operations, expansion: .asSaid)), ifRevision: ifRevision,
            requestKey: requestKey, lease: lease, mode: mode)
    }

    package func transact(
        _ list: ListName, _ operations: OperationsText, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        mode: TransactionMode = .commit
    ) async throws(ClientError) -> Outcome {
        try await transact(list, .text(operations), ifRevision: ifRevision, requestKey: requestKey, mode: mode)
    }

    private func transact(
        _ list: ListName, _ operations: RequestWriter.Operations, ifRevision: Int?, requestKey: RequestKey?,
        lease: LeaseTerm? = nil, mode: TransactionMode
    ) async throws(ClientError) -> Outcome {
        let request = RequestWriter(
            transact: list, operations, ifRevision: ifRevision, requestKey: requestKey,
            lease: lease, mode: mode)
        return try await outcome(of: request)
    }

    /// Replaces the whole list; the daemon computes the diff. A repetition with the same key is not made twice.
    ///
    /// - Parameter content: the list's own content; `nil` keeps it, and an inner `nil` removes it.
    @discardableResult
    public func apply(
        _ list: ListName, _ sections: [Section], content: Content?? = nil, delivery: Delivery = .difference,
        ifRevision: Int? = nil, requestKey: RequestKey? = nil, lease: LeaseTerm? = nil, mode: TransactionMode = .commit
    ) async throws(ClientError) -> Outcome {
        let reconfiguration: [ListOperation] = content.map { [.reconfigureList($0)] } ?? []
        return try await apply(
            list, reconfiguration + [.appendSections(sections)], section: nil, delivery: delivery,
            ifRevision: ifRevision,
            requestKey: requestKey, lease: lease, mode: mode)
    }

    /// Replaces the items of one section; a section that does not exist is added at the end.
    @discardableResult
    public func apply(
        _ list: ListName, items: [Item], inSection section: SectionID, delivery: Delivery = .difference,
        ifRevision: Int? = nil, requestKey: RequestKey? = nil, lease: LeaseTerm? = nil, mode: TransactionMode = .commit
    ) async throws(ClientError) -> Outcome {
        try await apply(
            list, [.appendItems(items, to: .section(section))], section: section, delivery: delivery,
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode)
    }

    /// `operations` make the state from nothing, which is the form that can be sent in parts.
    private func apply(
        _ list: ListName, _ operations: [ListOperation], section: SectionID?, delivery: Delivery, ifRevision: Int?,
        requestKey: RequestKey?, lease: LeaseTerm?, mode: TransactionMode
    ) async throws(ClientError) -> Outcome {
        let request = RequestWriter(
            apply: list, .values(OperationsWriter(operations, expansion: .asSaid)), section: section,
            delivery: delivery, ifRevision: ifRevision, requestKey: requestKey,
            lease: lease, mode: mode)
        return try await outcome(of: request)
    }

    /// Throws for a patch that was made from a Swift closure, because a closure cannot be sent.
    func checkPatches(in operations: [ListOperation]) throws(ClientError) {
        for operation in operations {
            switch operation {
            case .patchItems(let items):
                if let item = items.first(where: { $0.document == nil }) { throw .noMergePatch(item.id) }
            case .patchList(let patch):
                if patch.document == nil { throw .noMergePatch(nil) }
            default: break
            }
        }
    }

    func outcome(of request: RequestWriter) async throws(ClientError) -> Outcome {
        let result = try await reply(in: try await lines(for: request), request)
        return try decoded { () throws(DecodingError) in Outcome(try Reply.Change(json: result)) }
    }

    private func reply(in lines: Lines, _ request: RequestWriter) async throws(ClientError) -> [UInt8] {
        var request = request
        return try await reply { id, writer throws(ClientError) in
            let progress = request.write(id: id, into: &writer, lineLengthMax: lines.length)
            // A single element is never split.
            guard writer.count <= lines.lengthMax else {
                throw .refused(Refusal(.elementTooLong(lineLengthMax: lines.lengthMax)))
            }
            return progress
        }
    }
}

// MARK: - Lines

extension Connection {
    private struct Lines {
        /// The usual length of a line in bytes. It is shorter than a daemon's usual limit, so that the daemon reads one
        /// line while the next is written.
        var length = 1 << 18
        var lengthMax: Int
    }

    /// The minimal limit that any daemon can be configured to, as an item with the longest ids needs this much room.
    static let lineLengthAlwaysTaken = 8_192

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
            "one of the operations alone is longer than \(lineLengthMax) bytes (lineLengthMax), so nothing was changed: make it "
                + "shorter, or ask an administrator to raise the limit",
            limit: Limit("lineLengthMax", max: lineLengthMax))
    }
}
