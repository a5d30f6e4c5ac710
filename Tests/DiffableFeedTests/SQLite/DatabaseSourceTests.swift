import Diffable
import DiffableInput
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DiffableFeed

/// Databases to which another process really writes.
@Suite struct DatabaseSourceTests {
    private let directory: String
    private let watcher: FileWatcher

    init() throws {
        directory = "/tmp/diffable-sqlite-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        watcher = FileWatcher()
        watcher.start()
    }

    private var path: String { "\(directory)/x.db" }

    /// Follows the database while the closure runs.
    private func following(
        _ query: String, at path: String? = nil, problem: (@Sendable (Int) -> String?)? = nil,
        _ body: (Followed) async throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let followed = Followed()
        let rows = RowStates(RowMapping()) { content, _ in content }
        let source = DatabaseSource(
            DatabaseSettings(path: path ?? self.path, query: query), rows, watcher: watcher, problem: problem)
        let run = Task { try await source.run { followed.append($0) } }
        defer { run.cancel() }
        try await body(followed)
        run.cancel()
        _ = await run.result
    }

    /// Runs `writer.py`, and gives the rows at the end. Fails if the writer does, for example because something was locked.
    private func write(_ mode: String, count: Int, seed: Int, pause: Double) async throws -> [String: Int] {
        let output = try await python(
            [
                #filePath.replacing("DatabaseSourceTests.swift", with: "writer.py"), path, mode, "\(count)", "\(seed)",
                "\(pause)",
            ])
        return try JSONDecoder().decode([String: Int].self, from: Data(output.utf8))
    }

    private func sql(_ statements: String...) async throws {
        let program = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
            for statement in sys.argv[2:]: database.execute(statement)
            """
        _ = try await python(["-c", program, path] + statements)
    }

    private func python(_ arguments: [String]) async throws -> String {
        // It is found by our PATH, and finds its modules by its own: a Python that somebody put first needs the same.
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = try await CommandRun(["python3"] + arguments, environment: ["PATH=\(path)"], .init())
            .result(ofInput: [])
        guard result.ending == .status(0) else { throw FeedError("the writer failed: \(result.lastComplaint ?? "")") }
        return String(decoding: result.output, as: UTF8.self)
    }

    @Test(arguments: ["wal", "delete", "truncate", "persist", "memory"])
    func `the last state is right whatever another process commits, and nobody is ever locked out`(mode: String)
        async throws
    {
        let (count, seed) = (Environment.number("DIFFABLED_COMMITS") ?? 300, Int.random(in: 1...1_000_000))
        try await following("SELECT id, n FROM t ORDER BY id") { followed in
            let rows = try await write(mode, count: count, seed: seed, pause: 4)
            let isRight = try await eventuallyInTask { followed.numbers == rows }
            #expect(isRight, "seed \(seed): \(String(describing: followed.numbers))")
            #expect(followed.sums.allSatisfy { $0 == 0 }, "seed \(seed): half of a transaction was seen")
        }
    }

    @Test func `a database that is not there yet, is replaced, truncated and damaged`() async throws {
        try await following("SELECT id, n FROM t") { followed in
            #expect(try await eventuallyInTask { followed.problem?.contains("No such file") == true })
            try await sql("CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER)", "INSERT INTO t VALUES (1, 1)")
            #expect(try await eventuallyInTask { followed.numbers == ["1": 1] })
            let other = "\(directory)/other.db"
            let program =
                "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute('CREATE TABLE t(id, n)'); d.execute('INSERT INTO t VALUES (2, 2)'); d.commit()"
            _ = try await python(["-c", program, other])
            rename(other, path)
            #expect(try await eventuallyInTask { followed.numbers == ["2": 2] })
            // All states stay as they are when it is damaged.
            truncate(path, 50)
            #expect(try await eventuallyInTask { followed.problem != nil })
            #expect(followed.numbers == ["2": 2])
            unlink(path)
            try await sql("CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER)", "INSERT INTO t VALUES (3, 3)")
            #expect(try await eventuallyInTask { followed.numbers == ["3": 3] && followed.problem == nil })
        }
    }

    @Test func `a database that somebody keeps locked stays as it was until it is free`() async throws {
        try await sql(
            "PRAGMA journal_mode=wal", "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER)",
            "INSERT INTO t VALUES (1, 1)")
        try await following("SELECT id, n FROM t") { followed in
            #expect(try await eventuallyInTask { followed.numbers == ["1": 1] })
            let program = """
                import sqlite3, sys, time, os
                database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
                database.execute("PRAGMA locking_mode=EXCLUSIVE")
                database.execute("INSERT INTO t VALUES (2, 2)")
                while not os.path.exists(sys.argv[2]): time.sleep(0.002)
                """
            async let holder = python(["-c", program, path, "\(directory)/go"])
            #expect(try await eventuallyInTask { followed.problem?.contains("locked") == true })
            #expect(followed.numbers == ["1": 1])
            #expect(FileManager.default.createFile(atPath: "\(directory)/go", contents: nil))
            _ = try await holder
            #expect(try await eventuallyInTask { followed.numbers == ["1": 1, "2": 2] && followed.problem == nil })
        }
    }

    @Test func `a query that fails goes on failing when the kernel tells of changes again`() async throws {
        try await sql("CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER)", "INSERT INTO t VALUES (1, 1)")
        let isBlind = Atomic(true)
        try await following(
            "SELECT id, n FROM t", problem: { _ in isBlind.load(ordering: .relaxed) ? "it hears nothing" : nil }
        ) { followed in
            #expect(
                try await eventuallyInTask {
                    followed.numbers == ["1": 1] && followed.blindness == "it hears nothing"
                })
            // What it does not hear is no failure of the query, so what it brings does not end it.
            try await sql("INSERT INTO t VALUES (2, 2)")
            #expect(try await eventuallyInTask { followed.numbers == ["1": 1, "2": 2] })
            #expect(followed.blindness == "it hears nothing" && followed.problem == nil)
            try await sql("DROP TABLE t")
            #expect(try await eventuallyInTask { followed.problem?.contains("no such table") == true })
            isBlind.store(false, ordering: .relaxed)
            #expect(try await eventuallyInTask { followed.blindness == nil })
            #expect(followed.problem?.contains("no such table") == true)
        }
    }

    @Test
    func `rows that are wrong are read again as long as the clock of files may hide what mends them`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await sql("CREATE TABLE t(id)", "INSERT INTO t VALUES (NULL)")
        var reading = DatabaseReading(
            DatabaseSettings(path: path, query: "SELECT id FROM t"), RowStates(RowMapping()) { content, _ in content })
        defer { reading.end() }
        // A file with a time in the future is old when it has looked the same for longer than a tick.
        let expected: [(change: Double, looks: [(after: Double, isRead: Bool)])] = [
            (3_600, [(0, true), (0.02, true), (0.1, true), (0.2, false), (5, false)]),
            (-3_600, [(0, true), (0.02, false)]),
        ]
        for (change, looks) in expected {
            let now = Date.now.timeIntervalSince1970
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: now + change)], ofItemAtPath: path)
            for (pause, isRead) in looks {
                let time = timespec.Parts(nanoseconds: Int((now + pause) * 1_000_000_000))
                let news = await reading.look(at: time)
                if case .failure = news {
                    #expect(isRead, "\(change) \(pause)")
                } else {
                    #expect(!isRead, "\(change) \(pause) \(news)")
                }
            }
        }
    }

    /// What a writer runs that executes statements, and ends without closing the database after `go`.
    private func holding(_ file: String, _ statements: String...) -> [String] {
        let program = """
            import os, sqlite3, sys, time
            database = sqlite3.connect(sys.argv[1], isolation_level=None)
            for statement in sys.argv[3:]: database.execute(statement)
            end = time.monotonic() + 120
            while not os.path.exists(sys.argv[2]) and time.monotonic() < end: time.sleep(0.002)
            os._exit(0)
            """
        return ["-c", program, file, "\(directory)/go"] + statements
    }

    private func go() { _ = FileManager.default.createFile(atPath: "\(directory)/go", contents: nil) }

    private func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// SQLite keeps the log and the journal in the directory of the real file.
    @Test(arguments: ["link.db", "dir/x.db", "../NAME/other/link.db"])
    func `a database behind a link is read with all that was committed, and nothing else`(name: String) async throws {
        try FileManager.default.createDirectory(atPath: "\(directory)/real", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: "\(directory)/other", withIntermediateDirectories: true)
        let real = "\(directory)/real/x.db"
        symlink("real/x.db", "\(directory)/link.db")
        symlink("real", "\(directory)/dir")
        symlink("../link.db", "\(directory)/other/link.db")
        let own = String(directory.split(separator: "/").last ?? "")
        let link = "\(directory)/\(name.replacing("NAME", with: own))"
        try await following("SELECT id, n FROM t", at: link) { followed in
            // The rows stay in the log while the writer has the database open.
            let writing = holding(
                real, "PRAGMA journal_mode=wal", "PRAGMA wal_autocheckpoint=0", "CREATE TABLE t(id, n)",
                "INSERT INTO t VALUES ('a', 1)")
            async let writer = python(writing)
            #expect(try await eventuallyInTask { followed.numbers == ["a": 1] })
            go()
            _ = try await writer
            unlink("\(directory)/go")
            for suffix in ["", "-wal", "-shm"] { unlink(real + suffix) }
            // It is killed with half of a transaction in the database, and a journal that undoes it.
            let rows = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 3000) SELECT i, 100 FROM c"
            let beginning = holding(
                real, "PRAGMA cache_size=2", "CREATE TABLE t(id, n)", "INSERT INTO t VALUES ('b', 2)", "BEGIN",
                "INSERT INTO t \(rows)")
            async let killed = python(beginning)
            #expect(try await eventuallyInTask { size(of: real + "-journal") > 1_000 })
            #expect(try await eventuallyInTask { followed.problem?.contains("is being written") == true })
            go()
            _ = try await killed
            // Another writer finds the journal, and undoes it.
            unlink("\(directory)/go")
            go()
            _ = try await python(holding(real, "INSERT INTO t VALUES ('c', 3)"))
            #expect(try await eventuallyInTask { followed.numbers == ["b": 2, "c": 3] })
            #expect(followed.sums.allSatisfy { $0 <= 5 }, "\(followed.sums)")
        }
    }

    @Test func `a database is another one when a link or a directory on the way is`() async throws {
        for number in 1...3 {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/all/v\(number)", withIntermediateDirectories: true)
            let making = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute('CREATE TABLE t(id, n)'); "
            let row = "d.execute('INSERT INTO t VALUES (1, \(number))'); d.commit()"
            _ = try await python(["-c", making + row, "\(directory)/all/v\(number)/x.db"])
        }
        symlink("all/v1", "\(directory)/current")
        try await following("SELECT id, n FROM t", at: "/\(directory)//current/x.db") { followed in
            #expect(try await eventuallyInTask { followed.numbers == ["1": 1] })
            symlink("all/v2", "\(directory)/new")
            rename("\(directory)/new", "\(directory)/current")
            #expect(try await eventuallyInTask { followed.numbers == ["1": 2] })
            rename("\(directory)/all/v2", "\(directory)/all/old")
            rename("\(directory)/all/v3", "\(directory)/all/v2")
            let isLast = try await eventuallyInTask { followed.numbers == ["1": 3] }
            #expect(isLast)
        }
    }

    @Test func `what a transaction writes to the log is read when it is committed, or when nothing more comes`()
        async throws
    {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await sql(
            "PRAGMA journal_mode=wal", "CREATE TABLE t(id INTEGER PRIMARY KEY, n)", "INSERT INTO t VALUES (1, 1)")
        // More than fits its cache, so the log has some of it before the end.
        let program = """
            import os, sqlite3, sys, time
            database = sqlite3.connect(sys.argv[1], isolation_level=None)
            database.execute("PRAGMA cache_size=1")
            database.execute("SELECT count(*) FROM t").fetchall()
            open(sys.argv[2] + "/open", "w")
            def wait(name):
                end = time.monotonic() + 120
                while not os.path.exists(sys.argv[2] + name) and time.monotonic() < end: time.sleep(0.002)
            wait("/write")
            database.execute("BEGIN")
            for number in range(2, 500): database.execute("INSERT INTO t VALUES (?, ?)", (number, "x" * 1000))
            open(sys.argv[2] + "/written", "w")
            wait("/commit")
            database.execute("COMMIT")
            open(sys.argv[2] + "/committed", "w")
            wait("/go")
            """
        async let writer = python(["-c", program, path, directory])
        func tell(_ name: String) { _ = FileManager.default.createFile(atPath: directory + name, contents: nil) }
        func hears(_ name: String) async throws -> Bool {
            try await eventuallyInTask { FileManager.default.fileExists(atPath: directory + name) }
        }
        var reading = DatabaseReading(
            DatabaseSettings(path: path, query: "SELECT id, n FROM t"),
            RowStates(RowMapping()) { content, _ in content })
        defer { reading.end() }
        /// Looks when the log was written to so many seconds ago, and says whether it was read.
        func reads(afterRest rest: Double) async throws -> Bool {
            let date = Date.now
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path + "-wal")
            let time = date.timeIntervalSince1970 + rest
            switch await reading.look(at: timespec.Parts(nanoseconds: Int(time * 1_000_000_000))) {
            case .same: return false
            case .state: return true
            case .trouble(let message): throw FeedError(message)
            case .failure(let error): throw error
            }
        }
        #expect(try await hears("/open"))
        #expect(try await reads(afterRest: 0.5))
        #expect(try await !reads(afterRest: 0.5))
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        tell("/write")
        #expect(try await hears("/written"))
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int != size)
        #expect(try await !reads(afterRest: 0.5))
        #expect(try await reads(afterRest: 2))
        tell("/commit")
        #expect(try await hears("/committed"))
        #expect(try await reads(afterRest: 0.5))
        tell("/go")
        _ = try await writer
    }

    /// As YAML writes what stands on lines of its own.
    @Test func `behind a query its end, a line feed and a comment may stand`() async throws {
        try await sql("CREATE TABLE t(id, n)", "INSERT INTO t VALUES ('a', 1)")
        try await following("SELECT id, n FROM t;\n-- all of them;\n") { followed in
            let isRight = try await eventuallyInTask { followed.numbers == ["a": 1] }
            #expect(isRight, "\(String(describing: followed.numbers))")
        }
    }

    @Test(arguments: [
        ("SELECT nonsense", "no such column"), ("DELETE FROM t", "one SELECT"), ("SELECT 1; SELECT 2", "one SELECT"),
        ("SELECT 1 AS id, 2 AS id", "two columns"), ("SELECT x'00' AS id", "blob"), ("SELECT NULL AS id", "identify"),
        ("SELECT 1 AS id UNION ALL SELECT 1", "has the id \"1\" too"),
        ("SELECT 1 AS id, 9e999 AS n", "column n is infinite"),
    ])
    func `a query that is none is said`(query: String, message: String) async throws {
        try await sql("CREATE TABLE t(id)")
        try await following(query) { followed in
            let isSaid = try await eventuallyInTask { followed.problem?.contains(message) == true }
            #expect(isSaid, "\(followed.problem ?? "")")
        }
    }
}

/// What a database was seen as.
private final class Followed: Sendable {
    private struct State {
        var numbers: [String: Int]?
        var problem: String?
        var blindness: String?
        var sums: [Int] = []
    }

    private let state = Mutex(State())

    func append(_ news: FeedState) {
        state.withLock { state in
            switch news {
            case .failure(let error): state.problem = error.description
            case .blindness(let message): state.blindness = message
            case .items, .incomplete, .whole: break
            case .snapshot(let snapshot):
                var numbers: [String: Int] = [:]
                for item in snapshot.sections.flatMap(\.items) {
                    guard let content = item.content else { continue }
                    numbers["\(item.id)"] = JSONView(content).member("n").flatMap { Int($0.json) }
                }
                state.numbers = numbers
                state.sums.append(numbers.values.reduce(0, +))
                state.problem = nil
            }
        }
    }

    var numbers: [String: Int]? { state.withLock(\.numbers) }
    var problem: String? { state.withLock(\.problem) }
    var blindness: String? { state.withLock(\.blindness) }
    var sums: [Int] { state.withLock(\.sums) }
}

private enum Environment {
    static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
}
