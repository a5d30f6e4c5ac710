import Diffable
import GRDB
import Logging

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

// The journal's dealings with its witness; what that is for stands in `Witness.swift`.

extension SQLiteJournal {
    /// What the witness says of the lists with these headings.
    func finding(about headings: [ListHeading], in database: Database) throws -> Finding {
        var digest = ListsDigest()
        for heading in headings { digest.add(try heading.share(in: database)) }
        let finding = Witness.finding(in: directory.path, about: digest)
        if case .unproven = finding, headings.isEmpty { return .proven }
        return finding
    }

    /// Goes on from what was recovered: what `recover` found is put right, and from now on the witness is kept.
    /// Nothing on disk is changed before.
    func takeOver() throws(StoreOpeningError) {
        tell(finding)
        do {
            if finding != .proven { try database.writeWithoutTransaction(writeEpochs) }
        } catch let error as DatabaseError {
            throw directory.openingError(error)
        } catch {
            throw .unreadable(path: directory.databasePath, reason: "\(error)")
        }
        for list in lists.values { digest.add(list.share) }
        do throws(SystemError) {
            let witness = try Witness(in: directory.path)
            try witness.write(testimony(underway: digest))
            // One that says "closed" must not come back when the machine goes down.
            try witness.synchronize(in: directory.path)
            self.witness = witness
        } catch {
            throw .directoryUnusable(path: Witness.path(in: directory.path), reason: "\(error)")
        }
    }

    private func tell(_ finding: Finding) {
        let meaning = "every durable list goes on in a new epoch, and whoever resumes gets a reset"
        switch finding {
        case .proven: break
        case .unproven(let reason):
            logger.warning(
                "whether the lists are as they were last acknowledged cannot be told: \(meaning)",
                metadata: ["reason": "\(reason)"])
        case .lost:
            logger.error(
                """
                the database is not as it was when a change was last acknowledged, so changes are lost: \(meaning); \
                check the disk, unless somebody put another database there
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

    private func testimony(underway: ListsDigest) -> Testimony {
        Testimony(boot: boot, acknowledged: digest, underway: underway)
    }
}

// MARK: - Around a group

extension SQLiteJournal {
    /// What all lists are once this group is on disk.
    func digest(after changes: [ListChange], _ rows: JournalRows) -> ListsDigest {
        var shares: [Int: ListsDigest.Share?] = [:]
        // As the group has made it so far.
        func soFar(_ number: Int) -> ListsDigest.Share? { shares[number] ?? lists[number]?.share }
        for change in changes where change.state.durability == .durable {
            guard let access = change.access else { continue }
            let number = change.state.number
            var share = soFar(number) ?? ListsDigest.Share(change.state, Chain(begin: change.state))
            share.access = access
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
            if case .deleted = change.event { shares[number] = .some(nil) }
        }
        var digest = digest
        for (number, share) in shares {
            if let list = lists[number] { digest.remove(list.share) }
            if let share { digest.add(share) }
        }
        return digest
    }

    /// A group is about to be written that makes this of all lists.
    func announce(_ underway: ListsDigest) throws(JournalError) {
        guard underway != digest else { return }
        do throws(SystemError) {
            try witness?.write(testimony(underway: underway))
        } catch {
            // On a file system that never writes in place. The group is not begun, so nothing of it is on disk.
            if [ENOSPC, EDQUOT].contains(error.code) { throw .noSpace }
            throw .failed(reason: "\(Witness.path(in: directory.path)): \(error)")
        }
    }

    /// It is on disk, and nobody has been told.
    func acknowledge(_ underway: ListsDigest) throws(JournalError) {
        guard underway != digest else { return }
        digest = underway
        do throws(SystemError) {
            try witness?.write(testimony(underway: underway))
        } catch {
            throw .failed(reason: "\(Witness.path(in: directory.path)): \(error)")
        }
    }

    /// The database is closed.
    func sealWitness() {
        guard let witness else { return }
        do throws(SystemError) {
            var testimony = testimony(underway: digest)
            testimony.isClosed = true
            try witness.write(testimony)
            try witness.synchronize(in: directory.path)
        } catch {
            logger.warning(
                "the witness was not closed; who resumes after the next start gets a reset",
                metadata: ["reason": "\(error)"])
        }
        self.witness = nil
    }
}
