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

    /// How subscribers hear of an `apply`.
    public enum Delivery: Sendable {
        case difference
        /// As a new beginning, for UIKit's `applySnapshotUsingReloadData`.
        case reload
    }

    /// Applies operations, all or none. A transaction that is too long for a line is sent in parts.
    ///
    /// - Parameter ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    @discardableResult
    public func transact(
        _ list: ListName, _ operations: [Operation], ifRevision: Int? = nil, mode: Mode = .commit
    ) async throws(ClientError) -> Outcome {
        try await transact(
            list, .values(OperationsWriter(operations, expansion: .asSaid)), ifRevision: ifRevision, mode: mode)
    }

    /// Applies operations as somebody wrote them.
    package func transact(
        _ list: ListName, _ operations: OperationsText, ifRevision: Int? = nil, mode: Mode = .commit
    ) async throws(ClientError) -> Outcome {
        try await transact(list, .text(operations), ifRevision: ifRevision, mode: mode)
    }

    private func transact(
        _ list: ListName, _ operations: RequestWriter.Operations, ifRevision: Int?, mode: Mode
    ) async throws(ClientError) -> Outcome {
        var request = RequestWriter(
            transact: list, operations, ifRevision: ifRevision, mode: mode == .dryRun ? .dryRun : .commit)
        return try await outcome { id, writer in
            request.write(id: id, into: &writer, lineLengthMax: Connection.lineSentLengthMax)
        }
    }

    /// Makes a list what is given; the daemon finds the difference.
    @discardableResult
    public func apply(
        _ list: ListName, _ sections: [Section], delivery: Delivery = .difference, ifRevision: Int? = nil,
        mode: Mode = .commit
    ) async throws(ClientError) -> Outcome {
        try await apply(
            list, [.appendSections(sections)], section: nil, delivery: delivery, ifRevision: ifRevision, mode: mode)
    }

    /// Makes one section's items what is given; the section is made at the end if there is none.
    @discardableResult
    public func apply(
        _ list: ListName, items: [Item], inSection section: SectionID, delivery: Delivery = .difference,
        ifRevision: Int? = nil, mode: Mode = .commit
    ) async throws(ClientError) -> Outcome {
        try await apply(
            list, [.appendItems(items, to: .section(section))], section: section, delivery: delivery,
            ifRevision: ifRevision, mode: mode)
    }

    /// - Parameter operations: what makes the state from nothing, which is the form that can be sent in parts.
    private func apply(
        _ list: ListName, _ operations: [Operation], section: SectionID?, delivery: Delivery, ifRevision: Int?,
        mode: Mode
    ) async throws(ClientError) -> Outcome {
        var request = RequestWriter(
            apply: list, .values(OperationsWriter(operations, expansion: .asSaid)), section: section,
            delivery: delivery == .reload ? .reload : .difference, ifRevision: ifRevision,
            mode: mode == .dryRun ? .dryRun : .commit)
        return try await outcome { id, writer in
            request.write(id: id, into: &writer, lineLengthMax: Connection.lineSentLengthMax)
        }
    }

    /// The daemon takes 1 MiB by default; shorter lines let it begin to read the first while the next is written.
    private static let lineSentLengthMax = 1 << 18

    private func outcome(_ writing: Writing) async throws(ClientError) -> Outcome {
        let result = try await reply(writing)
        return try decoded { () throws(DecodingError) in Outcome(try Reply.Change(json: result)) }
    }
}
