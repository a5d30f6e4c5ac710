import Diffable

enum TargetError: Error {
    case state(OperationError)
    case transaction(TransactionError)
}

extension Target {
    /// The operations that build the state. Empty for a complete state.
    var operations: [ListOperation] {
        if case .operations(let operations, _) = self { operations } else { [] }
    }

    /// Makes the target's state for a list at `head`. Expansion that the target does not specify is taken from `head`,
    /// and unchanged parts are shared with it.
    func snapshot(from head: Snapshot, limits: SnapshotLimits) throws(TargetError) -> Snapshot {
        switch self {
        case .whole(let list):
            do { return try Snapshot(list, expansionFrom: head, limits: limits) } catch { throw .state(error) }
        case .section(let section, let items):
            do {
                return try head.replacingItems(inSection: section, with: items, limits: limits)
            } catch {
                throw .state(error)
            }
        case .operations(let operations, let section):
            let built = try Target.built(by: operations, in: section, known: head, limits: limits)
            guard let section else { return built }
            for other in built.sectionIdentifiers where other != section { throw .state(.noSuchSection(other)) }
            guard let items = built.items(inSection: section) else { throw .state(.noSuchSection(section)) }
            return try Target.section(section, items).snapshot(from: head, limits: limits)
        }
    }

    /// Applies the operations to an empty list.
    private static func built(
        by operations: [ListOperation], in section: SectionID?, known head: Snapshot, limits: SnapshotLimits
    ) throws(TargetError) -> Snapshot {
        do {
            let empty = try head.applying([.deleteAllItems])
            let start = if let section { try empty.applying([.appendSections([Section(id: section)])]) } else { empty }
            return try start.applying(operations, expansionFrom: head, limits: limits)
        } catch {
            throw .transaction(error)
        }
    }
}
