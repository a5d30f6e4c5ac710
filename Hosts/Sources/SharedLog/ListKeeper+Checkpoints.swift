extension ListKeeper {
    /// Whether the log is long enough for a checkpoint. Only the appending host checks this, so that not all hosts write one.
    package var isCheckpointDue: Bool {
        guard let head = known?.head, isLive, !isWritingCheckpoint else { return false }
        let batches = head.position.batch - (head.checkpoint?.position.batch ?? 0)
        return batches >= limits.batchesBetweenCheckpoints
            || batches > 1 && bytesSinceCheckpoint >= limits.bytesBetweenCheckpoints
    }

    /// Writes the daemon's newest state as a checkpoint while appends continue. It is put in force between two appends.
    package func writeCheckpoint() async {
        guard isCheckpointDue else { return }
        isWritingCheckpoint = true
        do {
            let state = try await daemon.checkpoint(of: list)
            guard state.epoch == epoch else { return hasWritten(nil) }
            hasWritten(try await log.write(state.parts, at: state.position))
        } catch {
            say(
                "cannot write a checkpoint of the shared list \"\(list)\", so its log in etcd grows until one succeeds: \(error)"
            )
            hasWritten(nil)
        }
    }

    func putInForce(_ place: CheckpointPlace) async throws(DaemonError) {
        do {
            if let known = try await log.putInForce(place, keeping: limits.batchesKept) {
                self.known = known
                bytesSinceCheckpoint = 0
            }
        } catch {
            // The next poll finds out whether it is in force.
            known = nil
        }
    }
}
