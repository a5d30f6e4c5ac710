import GRDB

// SQLite trusts the structure of its pages. If a bit flips in a page's header or in a pointer to another page, SQLite skips
// part of a table without an error, and the result depends on the direction of the search. Worse, a page in use may count as
// free, and the next write overwrites it. Checksums of rows do not detect this, because the rows that are found are valid.
// So startup checks all pages before it reads any row: each page is used once, and its cells fill it to the last byte.

extension Database {
    /// The first fault in how the pages refer to each other, or in the index of names. Nil for none.
    ///
    /// O(pages): reads each page in use once, but not the overflow of every row.
    func structuralFault() throws -> String? {
        // One fault is enough to refuse startup, and stopping there needs the least memory.
        for check in ["PRAGMA quick_check(1)", "PRAGMA integrity_check(list)"] {
            guard let found = try String.fetchOne(self, sql: check), found != "ok" else { continue }
            // SQLite prefixes the database's name.
            return found.split(separator: "\n").last.map(String.init) ?? found
        }
        return nil
    }
}
