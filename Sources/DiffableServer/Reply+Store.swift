import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

// Conversions between the store's values and protocol values.

extension Reply.ListRevision {
    init(_ state: ListState) {
        self.init(list: state.name, epoch: state.epoch, revision: state.revision)
    }
}

extension Reply.ListAccess {
    init(list: ListName, _ access: ListAccess) {
        self.init(list: list, owner: access.owner, group: access.group, mode: access.mode)
    }
}

extension AccessRecord {
    init(_ request: Request.SetAccess) { self.init(owner: request.owner, group: request.group, mode: request.mode) }
}

extension Request.SetAccess {
    init(list: ListName, _ record: AccessRecord) {
        self.init(list: list, mode: record.mode, owner: record.owner, group: record.group)
    }
}

extension Reply.ListSummary {
    init(_ state: ListState, _ access: ListAccess) {
        self.init(
            list: state.name, epoch: state.epoch, revision: state.revision,
            numberOfSections: state.snapshot.numberOfSections, numberOfItems: state.snapshot.numberOfItems,
            access: Reply.ListAccess(list: state.name, access),
            durability: state.durability)
    }
}

extension Reply.DeletedList {
    init(_ deleted: DeletedList, _ access: ListAccess) {
        let origin = deleted.deletion.origin
        self.init(
            summary: Reply.ListSummary(
                list: deleted.name, epoch: deleted.epoch, revision: deleted.revision,
                numberOfSections: deleted.numberOfSections, numberOfItems: deleted.numberOfItems,
                access: Reply.ListAccess(list: deleted.name, access), durability: deleted.durability),
            time: deleted.deletion.moment.timeOfDay.milliseconds, name: origin?.name, processID: origin?.processID,
            userID: origin?.userID)
    }
}

extension Reply.Difference {
    init(from old: ListState, to new: ListState) {
        self.init(
            list: new.name, epoch: new.epoch, from: old.revision, to: new.revision,
            operations: new.snapshot.difference(from: old.snapshot))
    }
}

extension Reply.Change {
    /// Tells a client without read permission only that the change was made.
    init(_ outcome: Outcome, _ mode: TransactionMode, summary: @autoclosure () -> DifferenceSummary?) {
        if outcome.isWriteOnly {
            self.init(list: outcome.list, revision: nil, isChanged: nil)
            return
        }
        self.init(
            list: outcome.list, revision: outcome.revision, isChanged: outcome.isChanged,
            summary: outcome.isChanged ? summary() : nil, undoStep: outcome.undoStep,
            operations: mode == .dryRun ? outcome.operations : nil)
    }
}

extension Reply.History.Revision {
    init(_ revision: DiffableStore.Revision) {
        self.init(
            revision: revision.number, time: revision.moment.timeOfDay.milliseconds,
            numberOfOperations: revision.operations,
            name: revision.origin?.name, processID: revision.origin?.processID, userID: revision.origin?.userID,
            handler: revision.origin?.handler, undoStep: revision.undoStep)
    }
}

extension Reply.History.SchemaChange {
    init(_ change: SchemaChange) {
        self.init(
            revision: change.revision, time: change.moment.timeOfDay.milliseconds, numberOfKinds: change.numberOfKinds,
            name: change.origin?.name, processID: change.origin?.processID, userID: change.origin?.userID)
    }
}

extension Reply.Schemas {
    init(list: ListName, _ schemas: ListSchemas?) {
        let set = schemas?.set ?? SchemaSet()
        self.init(list: list, json: set.json, others: set.others, existing: schemas?.existing ?? .areChecked)
    }
}

extension Request.SetSchemas {
    /// The request that sets these schemas again. Nil if there are none.
    init?(list: ListName, _ schemas: ListSchemas?) {
        guard let schemas, !schemas.set.isEmpty else { return nil }
        self.init(list: list, schemas: schemas.set, existing: schemas.existing)
    }
}
