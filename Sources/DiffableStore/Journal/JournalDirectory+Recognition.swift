import Foundation

extension JournalDirectory {
    /// Whether the file is a damaged database of diffabled, judging by its first page or the text of its tables. The
    /// database must not be open, because closing a file releases all of the process's locks on it.
    func isDiffabledDatabase() -> Bool {
        guard let start = try? FileHandle(forReadingFrom: URL(filePath: databasePath)).read(upToCount: 4_096) else {
            return true
        }
        let isSQLite = start.prefix(15).elementsEqual("SQLite format 3".utf8)
        let applicationID = start.dropFirst(68).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let hasTables = start.range(of: Data("CREATE TABLE checkpoint".utf8)) != nil
        let isBlank = start.allSatisfy { $0 == 0 }
        return hasTables || isBlank || isSQLite && applicationID == JournalSchema.applicationID
    }
}
