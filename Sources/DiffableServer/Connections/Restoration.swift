import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// Brings together the lists of a `restore`, which come in parts. Nothing is restored without one of its parts: when
/// something is wrong with one, or with any line in between that cannot be read, that is the answer at the end.
struct Restoration {
    private let limits: SnapshotLimits
    private var snapshots: [ListName: Snapshot] = [:]
    private var access: [ListName: AccessRecord] = [:]
    private var schemas: [ListName: Request.SetSchemas] = [:]
    /// In the order in which they came.
    private var names: [ListName] = []
    private var failure: WireError?

    init(limits: SnapshotLimits) { self.limits = limits }

    mutating func take(
        _ operations: [ListOperation], _ request: Request.SetAccess, _ schemas: Request.SetSchemas? = nil
    ) {
        guard failure == nil else { return }
        let list = request.list
        access[list] = (access[list] ?? AccessRecord()).changed(by: AccessRecord(request))
        if let schemas { self.schemas[list] = schemas }
        // Let go of, so that the state is not copied when it is changed.
        let before = snapshots.removeValue(forKey: list)
        if before == nil { names.append(list) }
        do throws(TransactionError) {
            snapshots[list] = try (before ?? Snapshot()).applying(operations, limits: limits)
        } catch {
            fail(WireError(StoreError.transaction(list, error)))
        }
    }

    /// The first failure counts.
    mutating func fail(_ error: WireError) {
        if failure != nil { return }
        failure = error
        snapshots = [:]
    }

    func end() throws(WireError) -> [RestoredList] {
        if let failure { throw failure }
        return names.map {
            RestoredList(
                name: $0, snapshot: snapshots[$0] ?? Snapshot(), access: access[$0] ?? AccessRecord(),
                schemas: schemas[$0]?.schemas, existing: schemas[$0]?.existing ?? .areChecked)
        }
    }
}
