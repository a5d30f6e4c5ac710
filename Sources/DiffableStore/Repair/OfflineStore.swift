import Diffable
import DiffableJSON
import Foundation
import GRDB
import Logging

/// A state directory that no daemon has open: looks what is in it, and mends it.
///
/// Both work on copies, and with the code that a daemon opens its database with. So looking writes nothing, and what is
/// mended is what a daemon takes.
package struct OfflineStore {
    private let directory: String
    private var databasePath: String { JournalDirectory(path: directory).databasePath }

    package init(directory: String) { self.directory = directory }

    /// Says what is good and what is not. Needs room for a copy of the files under `scratch`.
    package func check(scratch: String) throws(StoreOpeningError) -> StoreExamination {
        let lock = try DatabaseLock(.reading, path: databasePath, directory: directory)
        defer { withExtendedLifetime(lock) {} }
        return try working { try withScratch(in: scratch) { try examine(scratch: $0) } }
    }

    /// What a repair did.
    package struct Repair: Sendable {
        package let found: StoreExamination
        /// Where the files are as they were; nil when nothing was wrong and nothing was done.
        package let keptIn: String?
    }

    /// Makes a database of what is good, puts it in the place of what is there and keeps that beside it. Every list gets
    /// a new epoch: whoever knew it starts over. Needs room for two copies of the files in the directory.
    ///
    /// - Parameter name: of the directory that keeps the old files.
    package func repair(keepingIn name: String) throws(StoreOpeningError) -> Repair {
        let lock = try DatabaseLock(.writing, path: databasePath, directory: directory)
        defer { withExtendedLifetime(lock) {} }
        return try working {
            try withScratch(in: directory) { scratch in
                let found = try examine(scratch: scratch)
                if found.isGood { return Repair(found: found, keptIn: nil) }
                let new = scratch + "/new"
                try RepairedDatabase(directory: new, of: found).write()
                let kept = try putInPlace(new, keepingIn: name)
                return Repair(found: found, keptIn: kept)
            }
        }
    }

    private func working<R>(_ body: () throws -> R) throws(StoreOpeningError) -> R {
        do {
            return try body()
        } catch let error as StoreOpeningError {
            throw error
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
        // As a daemon would, on a copy that nobody has touched: it may find what was passed over here.
        if examination.isGood {
            let other = scratch + "/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
            try StateFiles(directory: directory).copy(to: other)
            do throws(StoreOpeningError) { try RepairedDatabase.tryOut(other) } catch {
                examination.faults.append("\(error)".replacing(other, with: directory))
            }
        }
        return examination
    }

    private func examine(_ database: Database, _ examination: inout StoreExamination) {
        do {
            for row in try String.fetchAll(database, sql: "PRAGMA integrity_check(20)") where row != "ok" {
                examination.faults.append("the file: \(row)")
            }
        } catch { examination.faults.append("the file: \(error)") }
        do {
            var digest = ListsDigest()
            for (heading, checksum) in try ListHeading.all(in: database) {
                var salvage = ListSalvage(heading, isHeadingGood: heading.checksum == checksum)
                examination.lists.append(salvage.examined(in: database))
                digest.add(try heading.share(in: database))
            }
            examineLeases(database, &examination)
            // What is damaged does not fit either, and has been told.
            if examination.isGood, Witness.finding(in: directory, about: digest) == .lost {
                examination.faults.append("changes that were acknowledged are not in it")
            }
        } catch { examination.faults.append("lists are missing, and their names with them: \(error)") }
    }

    private func examineLeases(_ database: Database, _ examination: inout StoreExamination) {
        var isGood = true
        do {
            try LeaseRow.forEach(in: database) { row in
                if let row { examination.leases.append(row) } else { isGood = false }
            }
        } catch { isGood = false }
        if !isGood { examination.faults.append("some of what is leased is not what was written, and stays") }
    }

    /// Opens the copy. When its first page is damaged, which says where everything is, it gets that of a new database:
    /// tables are made in one order, so they begin at the same pages in all databases. Nil when that does not help.
    private func open(
        _ copy: String, _ scratch: String, _ examination: inout StoreExamination
    ) throws(StoreOpeningError) -> DatabaseQueue? {
        let first: StoreOpeningError
        do throws(StoreOpeningError) {
            let database = try JournalDirectory(path: copy).openDatabase()
            return database
        } catch {
            switch error {
            case .foreign, .unreadable: first = error
            case .directoryUnusable, .inUse, .schemaTooNew, .schemaTooOld, .damaged: throw inPlace(error, copy)
            }
        }
        guard isOurs(copy) else { throw inPlace(first, copy) }
        examination.faults.append("the first page of the file is damaged")
        do {
            let model = scratch + "/model"
            try JournalDirectory(path: model).openDatabase().close()
            let page = try Data(contentsOf: URL(filePath: JournalDirectory(path: model).databasePath)).prefix(4_096)
            let file = try FileHandle(forUpdating: URL(filePath: JournalDirectory(path: copy).databasePath))
            try file.write(contentsOf: page)
            // Zero pages in the heading: SQLite goes by the file's length then. And no free pages, which would be the
            // model's.
            try file.seek(toOffset: 28)
            try file.write(contentsOf: Data(repeating: 0, count: 12))
            try file.close()
            return try JournalDirectory(path: copy).openDatabase()
        } catch {
            examination.faults.append("nothing in the file can be read: \(error)")
            return nil
        }
    }

    /// Whether the file was a database of ours, as far as its first page or the text of its tables still tells.
    private func isOurs(_ copy: String) -> Bool {
        let path = JournalDirectory(path: copy).databasePath
        guard let start = try? FileHandle(forReadingFrom: URL(filePath: path)).read(upToCount: 4_096) else {
            return true
        }
        let isSQLite = start.prefix(15).elementsEqual("SQLite format 3".utf8)
        let applicationID = start.dropFirst(68).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let hasTables = start.range(of: Data("CREATE TABLE checkpoint".utf8)) != nil
        let isBlank = start.allSatisfy { $0 == 0 }
        return hasTables || isBlank || isSQLite && applicationID == JournalSchema.applicationID
    }

    private func inPlace(_ error: StoreOpeningError, _ copy: String) -> StoreOpeningError {
        switch error {
        case .directoryUnusable(_, let reason): .directoryUnusable(path: directory, reason: reason)
        case .inUse: .inUse(path: directory)
        case .schemaTooNew(_, let version, let known):
            .schemaTooNew(path: databasePath, version: version, known: known)
        case .schemaTooOld(_, let version, let known):
            .schemaTooOld(path: databasePath, version: version, known: known)
        case .foreign: .foreign(path: databasePath)
        case .unreadable(_, let reason): .unreadable(path: databasePath, reason: reason)
        case .damaged(_, let list, let revision, let reason):
            .damaged(path: databasePath, list: list, revision: revision, reason: reason)
        }
    }
}

// MARK: - Putting in place

extension OfflineStore {
    /// Wherever this is cut short, the directory has either the old database or the new one, and the old one is kept.
    private func putInPlace(_ new: String, keepingIn name: String) throws -> String {
        let old = StateFiles(directory: directory)
        let kept = old.path(name)
        try FileManager.default.createDirectory(
            atPath: kept, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        old.adopt(name)
        let names = try old.names()
        try old.link(to: kept)
        try StateFiles(directory: kept).synchronize()
        try old.synchronize()
        // An old log must not come to a new database.
        let database = (databasePath as NSString).lastPathComponent
        for name in names where name != database { try FileManager.default.removeItem(atPath: old.path(name)) }
        for name in try StateFiles(directory: new).names() {
            guard rename("\(new)/\(name)", old.path(name)) == 0 else { throw CocoaError(.fileWriteUnknown) }
            old.adopt(name)
        }
        try old.synchronize()
        return kept
    }
}
