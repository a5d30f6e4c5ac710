import GRDB

// SQLite believes what a page says of itself. When one bit of a page's heading flips, or of a pointer to another page,
// it skips a part of a table without an error, and what it finds depends on the direction of the search. Worse, a page
// in use may count as free, and the next write overwrites it. Checksums of rows do not show this, because the rows that
// are found are good. So a start checks all pages before it reads any row: each page is used once, and its rows fill it
// to the last byte.

extension Database {
    /// The first fault in how the pages refer to each other, or in the index of names; nil when there is none.
    ///
    /// O(pages): reads each page in use once, and no row to its end.
    func structuralFault() throws -> String? {
        // One fault is enough to refuse a start, and needs the least memory.
        for check in ["PRAGMA quick_check(1)", "PRAGMA integrity_check(list)"] {
            guard let found = try String.fetchOne(self, sql: check), found != "ok" else { continue }
            // SQLite puts the database's name before it.
            return found.split(separator: "\n").last.map(String.init) ?? found
        }
        return nil
    }
}
