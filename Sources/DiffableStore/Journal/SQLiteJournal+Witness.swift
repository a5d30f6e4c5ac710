import Diffable
import Files
import GRDB
import Logging
import SystemPackage

extension SQLiteJournal {
    func witnessVerdict(about lists: [ListsDigest.Share]) -> WitnessVerdict {
        var digest = ListsDigest()
        for list in lists { digest.add(list) }
        let verdict = Witness.verdict(in: directory.path, about: digest)
        if case .unproven = verdict, lists.isEmpty { return .proven }
        return verdict
    }

    /// Starts writing, after `recover`: new epochs if needed, and the witness. Nothing on disk changes before this.
    func beginWriting() throws(StoreOpeningError) {
        logVerdict(verdict)
        if verdict == .lost { LossMark(in: directory.path).create() }
        try directory.translatingOpeningErrors {
            if verdict != .proven { try database.writeWithoutTransaction(writeEpochs) }
        }
        preallocateLog()
        for list in lists.values { digest.add(list.share) }
        do throws(Errno) {
            let witness = try Witness(in: directory.path)
            try witness.write(witnessRecord(underway: digest))
            // Otherwise an old witness marked as closed could reappear after a power failure.
            try witness.synchronize(in: directory.path)
            self.witness = witness
        } catch {
            throw .directoryUnusable(path: directory.path, reason: "its witness file cannot be written: \(error)")
        }
    }

    private func logVerdict(_ verdict: WitnessVerdict) {
        let meaning = "every durable list gets a new epoch, and clients that resume get a reset"
        switch verdict {
        case .proven: break
        case .unproven(let reason):
            logger.warning(
                "cannot verify that the database has every acknowledged change: \(meaning)",
                metadata: ["reason": "\(reason)"])
        case .lost:
            logger.error(
                """
                the database is not as it was when a change was last acknowledged, so changes are lost: \(meaning); \
                check the disk, unless you replaced the database
                """, metadata: ["path": "\(directory.databasePath)"])
        }
    }

    private func writeEpochs(_ database: Database) throws {
        try database.inJournalTransaction {
            for (heading, _) in try ListHeading.all(in: database) {
                guard let epoch = lists[heading.number]?.state.epoch else { continue }
                var heading = heading
                heading.epoch = epoch
                try heading.update(in: database)
            }
        }
    }

    private func witnessRecord(underway: ListsDigest) -> WitnessRecord {
        WitnessRecord(boot: boot, acknowledged: digest, underway: underway)
    }
}

// MARK: - Around a group

extension SQLiteJournal {
    /// The digest of all lists once this group is on disk.
    func digest(after changes: [ListChange], _ rows: JournalRows) -> ListsDigest {
        var shares: [Int: ListsDigest.Share?] = [:]
        func soFar(_ number: Int) -> ListsDigest.Share? { shares[number] ?? lists[number]?.share }
        for change in changes where change.state.durability == .durable {
            let schemas = change.schemasRows
            guard change.access != nil || schemas != nil else { continue }
            let number = change.state.number
            var share = soFar(number) ?? ListsDigest.Share(change.state, ChecksumChain(begin: change.state))
            if let access = change.access { share.access = access }
            if let schemas { share.schemas = SchemasRow.checksum(of: schemas.map(\.checksum)) }
            shares[number] = share
        }
        for row in rows.rows {
            var share = soFar(row.state.number) ?? ListsDigest.Share(row.state, row.chain)
            share.chain = row.chain
            shares[row.state.number] = share
        }
        for change in changes where change.state.durability == .durable {
            let number = change.state.number
            if let result = change.result, var share = soFar(number) {
                share.lastResult = result.number
                shares[number] = share
            }
            switch change.event {
            case .deleted(let deletion?): shares[number] = soFar(number)?.deleted(deletion)
            case .advanced(let former, _): shares[former.number] = .some(nil)
            case .undeleted: shares[number] = soFar(number)?.deleted(nil)
            case .deleted(nil), .purged: shares[number] = .some(nil)
            case .created, .stepped, .unchanged: break
            }
        }
        var digest = digest
        for (number, share) in shares {
            if let list = lists[number] { digest.remove(list.share) }
            if let share { digest.add(share) }
        }
        return digest
    }

    /// Records in the witness that a commit group is about to be written, with the digest after it.
    func recordGroupStart(_ underway: ListsDigest) throws(JournalError) {
        guard underway != digest else { return }
        do throws(Errno) {
            try witness?.write(witnessRecord(underway: underway))
        } catch {
            // A file system that never writes in place may be full. Nothing of the group is on disk.
            if error.isLackOfRoom { throw .noSpace }
            throw .failed(reason: "\(Witness.path(in: directory.path)): \(error)")
        }
    }

    /// Records in the witness that the group is on disk, before anything is acknowledged. Without room for that, the witness
    /// still says that the group may be on disk. That is enough for the next startup, and the next group records it.
    func recordGroupEnd(_ underway: ListsDigest) throws(JournalError) {
        guard underway != digest else { return }
        digest = underway
        do throws(Errno) {
            try witness?.write(witnessRecord(underway: underway))
        } catch {
            if error.isLackOfRoom { return }
            throw .failed(reason: "\(Witness.path(in: directory.path)): \(error)")
        }
    }

    /// Records in the witness that the database is closed. Returns the reason if the disk failed.
    func sealWitness() -> String? {
        guard let witness else { return nil }
        self.witness = nil
        do throws(Errno) {
            var record = witnessRecord(underway: digest)
            record.isClosed = true
            try witness.write(record)
            try witness.synchronize(in: directory.path)
        } catch {
            logger.warning(
                """
                the witness file (which proves that no change is lost) could not be closed; clients that resume after the next \
                start get a reset
                """,
                metadata: ["reason": "\(error)"])
            return error.isLackOfRoom ? nil : "\(Witness.path(in: directory.path)): \(error)"
        }
        return nil
    }
}
