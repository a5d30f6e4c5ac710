@testable import DiffableStore

/// A disk that is full, by way of SQLite's own limit on pages: the same error, from the same place.
extension Store {
    nonisolated func fillDisk() async throws {
        _ = try await sqlite.query("PRAGMA max_page_count = 1")
        _ = try await sqlite.query("CREATE TABLE IF NOT EXISTS filler (x)")
        // What the file has room for already is used up.
        for length in [1 << 16, 1 << 12] {
            var isFull = false
            for _ in 0..<1_000 where !isFull {
                do {
                    _ = try await sqlite.query("INSERT INTO filler VALUES (zeroblob(\(length)))")
                } catch {
                    isFull = true
                }
            }
        }
    }

    nonisolated func makeRoomOnDisk() async throws {
        _ = try await sqlite.query("PRAGMA max_page_count = 1000000")
    }
}
