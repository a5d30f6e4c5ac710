import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// Collects the lists of a `restore`, which arrive in parts. Restores all or none: if a part is invalid, or a line in
/// between cannot be read, the last reply is that error.
struct Restoration {
    private let limits: SnapshotLimits
    private var snapshots: [ListName: Snapshot] = [:]
    private var access: [ListName: AccessRecord] = [:]
    private var schemas: [ListName: Request.SetSchemas] = [:]
    /// In order of arrival.
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
        // Removed from the dictionary, so that the state is changed in place and not copied.
        let before = snapshots.removeValue(forKey: list)
        if before == nil { names.append(list) }
        do throws(TransactionError) {
            snapshots[list] = try (before ?? Snapshot()).applying(operations, limits: limits)
        } catch {
            fail(WireError(StoreError.transaction(list, error)))
        }
    }

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
