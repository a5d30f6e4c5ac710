import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

// The store's values in the words of the wire.

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
            durability: state.durability == .durable ? .durable : .volatile)
    }
}

extension Reply.Difference {
    init(from old: ListState, to new: ListState) {
        self.init(
            list: new.name, epoch: new.epoch, from: old.revision, to: new.revision,
            operations: new.snapshot.difference(from: old.snapshot))
    }
}

extension Reply.Reload {
    init(_ reloaded: Reloaded) {
        self.init(file: reloaded.file, applied: reloaded.applied, needRestart: reloaded.needRestart)
    }
}

extension Reply.Change {
    /// Whoever may not read the list is told only that it was done.
    init(_ outcome: Outcome, _ mode: TransactionMode, summary: @autoclosure () -> DifferenceSummary?) {
        if outcome.isBlind {
            self.init(list: outcome.list, revision: nil, isChanged: nil)
            return
        }
        self.init(
            list: outcome.list, revision: outcome.revision, isChanged: outcome.isChanged,
            summary: outcome.isChanged ? summary() : nil, operations: mode == .dryRun ? outcome.operations : nil)
    }
}

extension Reply.History.Revision {
    init(_ revision: DiffableStore.Revision) {
        self.init(
            revision: revision.number, time: revision.time.milliseconds, numberOfOperations: revision.operations,
            name: revision.origin?.name, processID: revision.origin?.processID, userID: revision.origin?.userID)
    }
}

extension TransactionMode {
    init(_ mode: Request.Mode) {
        self = mode == .commit ? .commit : .dryRun
    }
}

extension Delivery {
    init(_ delivery: Request.Delivery) {
        self = delivery == .difference ? .difference : .reload
    }
}

extension Target {
    init(_ contents: Request.Contents) {
        self =
            switch contents {
            case .snapshot(let sections): .whole(sections)
            case .items(let items, let section): .section(section, items)
            case .operations(let operations, let section): .operations(operations, section: section)
            }
    }
}

extension ServerLimits {
    /// As in the configuration, for `hello`.
    var named: [WireError.Limit] {
        [
            WireError.Limit("connectionsMax", max: connectionsMax),
            WireError.Limit("connectionsPerUserMax", max: connectionsPerUserMax),
            WireError.Limit("subscriptionsPerConnectionMax", max: subscriptionsPerConnectionMax),
            WireError.Limit("requestsPerSecondMax", max: requestsPerSecondMax),
            WireError.Limit("heldLengthMax", max: heldLengthMax),
            WireError.Limit("silentAgeMax", max: silentAgeMax),
            WireError.Limit("lineLengthMax", max: lineLengthMax),
            WireError.Limit("lineOutLengthMax", max: lineOutLengthMax),
            WireError.Limit("lineOutLengthCeiling", max: lineOutLengthCeiling),
            WireError.Limit("transactionLengthMax", max: transactionLengthMax),
            WireError.Limit("depthMax", max: decoding.depthMax),
            WireError.Limit("idLengthMax", max: decoding.idLengthMax),
            WireError.Limit("contentLengthMax", max: decoding.contentLengthMax),
            WireError.Limit("levelsMax", max: decoding.levelsMax),
            WireError.Limit("operationsMax", max: decoding.operationsMax),
            WireError.Limit("viewTermsMax", max: decoding.viewTermsMax),
            WireError.Limit("windowRowsMax", max: decoding.windowRowsMax),
            WireError.Limit("itemsMax", max: itemsMax),
            WireError.Limit("listsMax", max: listsMax),
            WireError.Limit("requestKeysMax", max: requests.keysMax),
            WireError.Limit("requestKeyAgeMax", max: requests.ageMax),
        ]
    }
}
