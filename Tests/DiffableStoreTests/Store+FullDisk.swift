@testable import DiffableStore

/// Simulates a full disk with SQLite's own limit on pages, which gives the same error in the same place.
extension Store {
    nonisolated func fillDisk() async throws {
        _ = try await sqlite.query("PRAGMA max_page_count = 1")
        _ = try await sqlite.query("CREATE TABLE IF NOT EXISTS filler (x)")
        // Fill the free space in the file.
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
        // The store refuses a database with an unknown table.
        _ = try await sqlite.query("DROP TABLE IF EXISTS filler")
    }
}
