extension ListKeeper {
    /// Whether the log has become so long that a state should stand for it. The host that appends says so, so that not
    /// all of them write one.
    package var isCheckpointDue: Bool {
        guard let head = known?.head, isLive, !isWritingCheckpoint else { return false }
        let batches = head.position.batch - (head.checkpoint?.position.batch ?? 0)
        return batches >= limits.batchesBetweenCheckpoints
            || batches > 1 && bytesSinceCheckpoint >= limits.bytesBetweenCheckpoints
    }

    /// Writes the daemon's newest state beside the log, while appends go on. It is put in force between two of them.
    package func writeCheckpoint() async {
        guard isCheckpointDue else { return }
        isWritingCheckpoint = true
        do {
            let state = try await daemon.checkpoint(of: list)
            guard state.epoch == epoch else { return hasWritten(nil) }
            hasWritten(try await log.write(state.parts, at: state.position))
        } catch {
            say("no checkpoint of the list \(list) could be written: \(error)")
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
            // The next look finds whether it is.
            known = nil
        }
    }
}
