import Diffable
import DiffableJSON
import Files
import Foundation
import GRDB
import Logging
import SystemPackage

/// Checks and repairs a state directory that no daemon has open.
///
/// Both work on copies and use the daemon's own code. So a check writes nothing to the directory, and a daemon accepts
/// the result of a repair.
package struct OfflineStore {
    private let directory: String
    private var databasePath: String { JournalDirectory(path: directory).databasePath }

    package init(directory: String) { self.directory = directory }

    /// Finds damage. Needs room for a copy of the files under `scratch`.
    package func check(scratch: String) throws(StoreOpeningError) -> StoreExamination {
        try JournalDirectory(path: directory).checkTrust()
        do throws(UntrustedPath) { _ = try TrustedPath(directory: scratch) } catch {
            throw .scratchUnusable(path: scratch, reason: error.reason(for: scratch))
        }
        if let reason = missingDatabaseReason() { return .missing(path: databasePath, reason: reason) }
        let lock = try DatabaseLock(.reading, path: databasePath, directory: directory)
        defer { withExtendedLifetime(lock) {} }
        do throws(StoreOpeningError) {
            return try translatingErrors { try withScratch(in: scratch) { try examine(scratch: $0) } }
        } catch {
            guard case .directoryUnusable(_, let reason) = error else { throw error }
            throw .scratchUnusable(path: scratch, reason: reason)
        }
    }

    /// A warning if the files look like a copy of a running daemon's without its log, so that the newest changes are missing.
    package func missingLog() -> String? {
        guard (try? Stat(databasePath))?.size ?? 0 > 0, (try? Stat(databasePath + "-wal"))?.size ?? 0 == 0 else {
            return nil
        }
        let record =
            switch Witness.read(in: directory) {
            case .success(let record): record as WitnessRecord?
            case .failure(let rejection): rejection.record
            }
        guard record?.isClosed != true else { return nil }
        let (log, remedy) = (
            "\(databasePath)-wal",
            "copy the directory while the daemon is stopped, with all of its files, or use `diffablectl backup`"
        )
        guard record != nil else {
            return
                "\(log) and \(Witness.path(in: directory)) are missing: if this is a copy that was made while the daemon was "
                + "running, its newest changes are missing; \(remedy)"
        }
        return
            "\(log) is missing, although the daemon had the database open when the files were copied, so the newest changes are "
            + "missing; \(remedy)"
    }

    package struct Repair: Sendable {
        package let found: StoreExamination
        /// The directory with the old files. Nil if nothing was wrong and nothing was changed.
        package let keptIn: String?
    }

    /// Builds a database from the undamaged parts, puts it in place of the old one, and keeps the old files in a subdirectory.
    /// Every list gets a new epoch, so that clients get a reset. Needs room for two copies of the files in the directory.
    /// - Parameter name: the name of the subdirectory for the old files.
    package func repair(keepingIn name: String) throws(StoreOpeningError) -> Repair {
        try JournalDirectory(path: directory).checkTrust()
        let missingDatabaseReason = missingDatabaseReason()
        // The lock needs a file.
        if missingDatabaseReason != nil { try JournalDirectory(path: directory).makeFile() }
        let lock = try DatabaseLock(.writing, path: databasePath, directory: directory)
        defer { withExtendedLifetime(lock) {} }
        return try translatingErrors {
            try withScratch(in: directory) { scratch in
                let found =
                    if let missingDatabaseReason {
                        StoreExamination.missing(path: databasePath, reason: missingDatabaseReason)
                    } else {
                        try examine(scratch: scratch)
                    }
                if found.isGood { return Repair(found: found, keptIn: nil) }
                let new = scratch + "/new"
                try RepairedDatabase(directory: new, of: found).write()
                let kept = try putInPlace(new, keepingIn: name)
                return Repair(found: found, keptIn: kept)
            }
        }
    }

    /// Why the database counts as missing: it does not exist, but lists did. Nil if it exists.
    private func missingDatabaseReason() -> String? {
        do throws(StoreOpeningError) {
            try JournalDirectory(path: directory).checkPresence()
        } catch {
            if case .missing(_, let reason) = error { return reason }
        }
        return nil
    }

    private func translatingErrors<R>(_ body: () throws -> R) throws(StoreOpeningError) -> R {
        do {
            return try body()
        } catch let error as StoreOpeningError {
            throw error
        } catch let error as Errno {
            throw .directoryUnusable(path: directory, reason: "\(error)")
        } catch {
            throw .directoryUnusable(path: directory, reason: "\((error as NSError).localizedDescription)")
        }
    }

    private func withScratch<R>(in parent: String, _ body: (String) throws -> R) throws -> R {
        let scratch = "\(parent)/diffabled-\(getpid())-\(Epoch.random())"
        try FileManager.default.createDirectory(
            atPath: scratch, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        return try body(scratch)
    }
}

// MARK: - Looking

extension OfflineStore {
    private func examine(scratch: String) throws -> StoreExamination {
        let copy = scratch + "/copy"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        try StateFiles(directory: directory).copy(to: copy)
        var examination = StoreExamination(path: databasePath)
        if let database = try open(copy, scratch, &examination) {
            database.writeWithoutTransaction { examine($0, &examination) }
            try? database.close()
        }
        // Opens a second, untouched copy as a daemon would. That may find faults that are skipped here.
        if examination.isGood {
            let other = scratch + "/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
            try StateFiles(directory: directory).copy(to: other)
            do throws(StoreOpeningError) { try RepairedDatabase.checkThatItOpens(other) } catch {
                examination.faults.append("\(error)".replacing(other, with: directory))
            }
        }
        return examination
    }

    private func examine(_ database: Database, _ examination: inout StoreExamination) {
        do {
            for row in try String.fetchAll(database, sql: "PRAGMA integrity_check(20)") where row != "ok" {
                examination.faults.append("the database file: \(row)")
            }
        } catch { examination.faults.append("the database file: \(error)") }
        do {
            var digest = ListsDigest()
            let headings = try ListHeading.existing(in: database) + deletedHeadings(database, &examination)
            let good = headings.filter { $0.heading.checksum == $0.checksum }.map(\.heading)
            for heading in good {
                var salvage = ListSalvage(heading, isHeadingGood: true)
                let list = salvage.salvaged(in: database)
                examination.lists.append(list)
                digest.add(list.share)
            }
            // The number in a damaged row may belong to another list.
            var numbers = Set(good.map(\.number))
            for (heading, checksum) in headings where heading.checksum != checksum {
                guard numbers.insert(heading.number).inserted else {
                    examination.faults.append(
                        "the list \(heading.name.debugDescription) is lost: its row in the table of lists has another list's "
                            + "number"
                    )
                    continue
                }
                var salvage = ListSalvage(heading, isHeadingGood: false)
                examination.lists.append(salvage.salvaged(in: database))
            }
            examineLeases(database, &examination)
            // Damaged lists do not match the witness either, and have been reported already.
            if examination.isGood, Witness.verdict(in: directory, about: digest) == .lost {
                examination.faults.append("the database lacks changes that were acknowledged")
            }
        } catch { examination.faults.append("some lists are lost, and their names are unknown: \(error)") }
    }

    private func deletedHeadings(
        _ database: Database, _ examination: inout StoreExamination
    ) -> [(heading: ListHeading, checksum: Int64)] {
        do { return try ListHeading.deleted(in: database) } catch {
            examination.faults.append("deleted lists that could be undeleted are lost: \(error)")
            return []
        }
    }

    private func examineLeases(_ database: Database, _ examination: inout StoreExamination) {
        var isGood = true
        do {
            try LeaseRow.forEach(in: database) { row in
                if let row { examination.leases.append(row) } else { isGood = false }
            }
        } catch { isGood = false }
        if !isGood {
            examination.faults.append("some records of leases are damaged: the leased items stay in their lists")
        }
    }

    /// Opens the copy. If its first page is damaged, which contains the positions of all tables, it is replaced with
    /// the first page of a new database: tables are always created in the same order, so they start at the same pages.
    /// Nil if that does not help.
    private func open(
        _ copy: String, _ scratch: String, _ examination: inout StoreExamination
    ) throws(StoreOpeningError) -> DatabaseQueue? {
        do throws(StoreOpeningError) {
            return try JournalDirectory(path: copy).openDatabase()
        } catch {
            guard case .unreadable = error, JournalDirectory(path: copy).isDiffabledDatabase() else {
                throw withOriginalPath(error)
            }
        }
        examination.faults.append("the first page of the database file is damaged")
        do {
            let file = try FileHandle(forUpdating: URL(filePath: JournalDirectory(path: copy).databasePath))
            let model = JournalDirectory(path: scratch + "/model")
            try model.openDatabase().close()
            let page = try Data(contentsOf: URL(filePath: model.databasePath)).prefix(4_096)
            try file.seek(toOffset: 0)
            try file.write(contentsOf: page)
            // With a page count of 0, SQLite uses the file's length. The new database's list of free pages must not be
            // used either.
            try file.seek(toOffset: 28)
            try file.write(contentsOf: Data(repeating: 0, count: 12))
            try file.close()
            return try JournalDirectory(path: copy).openDatabase()
        } catch {
            examination.faults.append("nothing in the database file can be read: \(error)")
            return nil
        }
    }

    private func withOriginalPath(_ error: StoreOpeningError) -> StoreOpeningError {
        switch error {
        case .directoryUnusable(_, let reason): .directoryUnusable(path: directory, reason: reason)
        case .scratchUnusable, .notOwned: error
        case .inUse: .inUse(path: directory)
        case .otherSchema(_, let version, let known):
            .otherSchema(path: databasePath, version: version, known: known)
        case .foreign: .foreign(path: databasePath)
        case .missing(_, let reason): .missing(path: databasePath, reason: reason)
        case .unreadable(_, let reason): .unreadable(path: databasePath, reason: reason)
        case .damaged(_, let list, let revision, let reason):
            .damaged(path: databasePath, list: list, revision: revision, reason: reason)
        }
    }
}

// MARK: - Putting in place

extension OfflineStore {
    /// Replaces the database and keeps the old one. If it is interrupted, the directory has either the old or the new database.
    private func putInPlace(_ new: String, keepingIn name: String) throws -> String {
        let old = StateFiles(directory: directory)
        let kept = old.path(name)
        try FileManager.default.createDirectory(
            atPath: kept, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        old.giveToDirectoryOwner(name)
        let names = try old.names()
        try old.link(to: kept)
        try StateFiles(directory: kept).synchronize()
        try old.synchronize()
        // An old log must not be next to a new database.
        let database = (databasePath as NSString).lastPathComponent
        for name in names where name != database { try FileManager.default.removeItem(atPath: old.path(name)) }
        for name in try StateFiles(directory: new).names() {
            guard rename("\(new)/\(name)", old.path(name)) == 0 else { throw Errno.last }
            old.giveToDirectoryOwner(name)
        }
        try old.synchronize()
        return kept
    }
}
