import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

// The writers of what an audience sends.

extension Audience {
    func changes(from sent: DeliveredState, to target: DeliveredState, by operations: [ListOperation])
        -> NotificationWriter
    {
        NotificationWriter(
            changesOf: state.name, from: sent.revision, to: target.revision, operations: operations,
            extent: target.shown.extent?.members(unknownTo: sent.shown.extent))
    }

    func patch(from sent: DeliveredState, to target: DeliveredState, by operations: [ListOperation])
        -> LongLineWriter
    {
        LongLineWriter(
            patchOf: state.name, from: sent.revision, to: target.revision, old: sent.shown.snapshot,
            operations: operations, extent: target.shown.extent?.members(unknownTo: sent.shown.extent))
    }

    func snapshot(_ reason: NotificationWriter.ResetReason?) -> LongLineWriter {
        LongLineWriter(
            snapshotOf: state.name, epoch: state.epoch, revision: target.revision, reason: reason,
            snapshot: shown.snapshot, extent: shown.extent)
    }

    func reset(_ reason: NotificationWriter.ResetReason) -> NotificationWriter {
        NotificationWriter(
            resetOf: state.name, epoch: state.epoch, revision: target.revision, reason: reason,
            snapshot: shown.snapshot, extent: shown.extent)
    }
}
