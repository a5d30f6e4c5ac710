import Files
import Foundation
import GRDB
import SystemPackage

extension JournalDirectory {
    /// The name of a copy of a database with an earlier schema, before the number of the schema.
    static let keptCopyPrefix = "lists.sqlite.schema-"

    /// Copies a database, as it is now, to a file beside it, and returns the copy's path once it is on disk.
    ///
    /// SQLite itself copies the pages: a process that opens the database's file to read it gives up SQLite's lock when
    /// it closes it.
    func keepCopy(of database: Database) throws -> String {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let name = Self.keptCopyPrefix + "\(version)"
        let unfinished = StateFiles(directory: path).path(name + ".unfinished")
        try? FileManager.default.removeItem(atPath: unfinished)
        let kept = StateFiles(directory: path).path(name)
        do {
            let file = try FileDescriptor.opened(
                unfinished, .readWrite, [.create, .exclusiveCreate], permissions: .ownerReadWrite)
            defer { try? file.close() }
            let copy = try DatabaseQueue(path: unfinished)
            try copy.writeWithoutTransaction { try database.backup(to: $0) }
            try copy.close()
            try file.synchronize()
            guard rename(unfinished, kept) == 0 else { throw Errno.last }
            try FileDescriptor.synchronize(directory: path)
        } catch let error as Errno {
            throw StoreOpeningError.directoryUnusable(path: path, reason: "its database cannot be copied: \(error)")
        }
        return kept
    }
}
