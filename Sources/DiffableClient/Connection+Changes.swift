import Diffable
import DiffableJSON
import DiffableProtocol

extension Connection {
    /// Applies operations, all or none. A transaction that is too long for a line is sent in parts.
    ///
    /// - Parameters:
    ///   - operations: a patch among them is one of `ItemPatch(id:mergePatch:)` or `ListPatch(mergePatch:)`.
    ///   - ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    ///   - requestKey: asked again under the same key, on any connection, it is not made twice.
    ///   - lease: what is inserted goes when this connection ends. Not together with a key.
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

    /// Applies operations as somebody wrote them.
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

    /// Makes a list what is given; the daemon finds the difference. Asked again under the same key, it is not made twice.
    ///
    /// - Parameter content: the list's own; `nil` keeps what it has, and an inner `nil` takes it away.
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

    /// Makes one section's items what is given; the section is made at the end if there is none.
    @discardableResult
    public func apply(
        _ list: ListName, items: [Item], inSection section: SectionID, delivery: Delivery = .difference,
        ifRevision: Int? = nil, requestKey: RequestKey? = nil, lease: LeaseTerm? = nil, mode: TransactionMode = .commit
    ) async throws(ClientError) -> Outcome {
        try await apply(
            list, [.appendItems(items, to: .section(section))], section: section, delivery: delivery,
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode)
    }

    /// - Parameter operations: what makes the state from nothing, which is the form that can be sent in parts.
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

    /// A patch that was made in Swift is a function, and functions do not travel.
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
    static let lineLengthAlwaysTaken = 8_192

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
