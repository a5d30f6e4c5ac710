import Diffable
import DiffableInput
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DiffableFeed

/// Tests with databases that another process writes.
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

    private func following(
        _ query: String, at path: String? = nil, timeout: Duration? = nil, isCopied: Bool = false,
        problem: (@Sendable (Int) -> String?)? = nil, _ body: (Followed) async throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let followed = Followed()
        let rows = RowStates(RowMapping()) { content, _ in content }
        var settings = DatabaseSettings(path: path ?? self.path, query: query)
        settings.timeout = timeout ?? settings.timeout
        settings.isCopied = isCopied
        let source = DatabaseSource(settings, rows, watcher: watcher, problem: problem)
        let run = Task { try await source.run { followed.append($0) } }
        defer { run.cancel() }
        try await body(followed)
        run.cancel()
        _ = await run.result
    }

    /// Runs `writer.py`, and returns the rows at the end. Fails if the writer does, for example because a table was locked.
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
        // Our PATH finds it, but it finds its modules through its own environment, so it has to get the same PATH.
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
            // When the database is damaged, all states stay.
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

    /// Firefox and Chrome keep their databases locked.
    @Test(arguments: ["wal", "delete"])
    func `a copy of a database that another program keeps locked is read, after each of its commits`(mode: String)
        async throws
    {
        let program = """
            import sqlite3, sys, time, os
            database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
            database.execute("PRAGMA locking_mode=EXCLUSIVE")
            database.execute(f"PRAGMA journal_mode={sys.argv[3]}")
            database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER)")
            database.execute("INSERT INTO t VALUES (1, 1)")
            while not os.path.exists(sys.argv[2]): time.sleep(0.002)
            database.execute("UPDATE t SET n = 2")
            while not os.path.exists(sys.argv[2] + "2"): time.sleep(0.002)
            """
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/var/tmp").filter(isCopy).sorted()
        try await following("SELECT id, n FROM t", isCopied: true) { followed in
            async let holder = python(["-c", program, path, "\(directory)/go", mode])
            let isRead = try await eventuallyInTask { followed.numbers == ["1": 1] }
            #expect(isRead, "\(followed.problem ?? "")")
            go()
            let isReadAgain = try await eventuallyInTask { followed.numbers == ["1": 2] }
            #expect(isReadAgain, "\(followed.problem ?? "")")
            #expect(FileManager.default.createFile(atPath: "\(directory)/go2", contents: nil))
            _ = try await holder
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/var/tmp").filter(isCopy).sorted() == copies)
    }

    private func isCopy(_ name: String) -> Bool { name.hasPrefix("diffable-feed-") }

    @Test(arguments: ["wal", "delete"])
    func `a locked database names the copy as the remedy`(mode: String) async throws {
        try await sql("PRAGMA journal_mode=\(mode)", "CREATE TABLE t(id, n)", "INSERT INTO t VALUES ('a', 1)")
        let holding = holding(path, "PRAGMA locking_mode=EXCLUSIVE", "UPDATE t SET n = 2")
        try await following("SELECT id, n FROM t") { followed in
            async let holder = python(holding)
            let remedy = "if another program keeps it locked, set copy: true to read a copy"
            let isTold = try await eventuallyInTask { followed.problem?.hasSuffix(remedy) == true }
            #expect(isTold && followed.numbers != ["a": 2], "\(followed.problem ?? "")")
            go()
            _ = try await holder
            #expect(try await eventuallyInTask { followed.numbers == ["a": 2] && followed.problem == nil })
        }
    }

    @Test func `a database is copied up to a length, and no further`() async throws {
        try await sql("CREATE TABLE t(id, n)", "INSERT INTO t VALUES ('a', 1)")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var files = DatabaseFiles(path, ignoringLocks: true)
        let look = try files.fingerprint()
        defer { files.close() }
        let length = size(of: path)
        #expect(throws: Never.self) { _ = try files.copy(look, lengthMax: length) { false } }
        #expect { _ = try files.copy(look, lengthMax: length - 1) { false } } throws: {
            "\($0)".contains("copyLengthMax")
        }
    }

    /// Otherwise its disk could not be unmounted.
    @Test(arguments: [false, true])
    func `an idle feed has no file of its database open, not even while the database is locked`(isLocked: Bool)
        async throws
    {
        func openFiles() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return names.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            .filter { $0.hasPrefix(directory) }
        }
        try await sql("PRAGMA journal_mode=wal", "CREATE TABLE t(id, n)", "INSERT INTO t VALUES ('a', 1)")
        let holding = holding(path, "PRAGMA locking_mode=EXCLUSIVE", "UPDATE t SET n = 2")
        try await following("SELECT id, n FROM t") { followed in
            async let holder = isLocked ? python(holding) : ""
            #expect(try await eventuallyInTask { isLocked ? followed.problem != nil : followed.numbers == ["a": 1] })
            // After some seconds of checking.
            #expect(try await eventuallyInTask { openFiles().isEmpty }, "\(openFiles())")
            try await Task.sleep(for: .milliseconds(300))
            let open = openFiles()
            #expect(isLocked || open.isEmpty, "\(open)")
            go()
            _ = try await holder
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
            // A missed event is not an error of the query, so its result does not end the source.
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
        // A file with a time in the future counts as old after it has looked the same for longer than a tick.
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
                let news = await reading.readIfChanged(at: time)
                if case .failure = news {
                    #expect(isRead, "\(change) \(pause)")
                } else {
                    #expect(!isRead, "\(change) \(pause) \(news)")
                }
            }
        }
    }

    /// Returns the command of a writer that executes statements, waits for `go`, and exits without closing the database.
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
            // The writer is killed with half of a transaction in the database, and a journal that undoes it.
            let rows = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 3000) SELECT i, 100 FROM c"
            let beginning = holding(
                real, "PRAGMA cache_size=2", "CREATE TABLE t(id, n)", "INSERT INTO t VALUES ('b', 2)", "BEGIN",
                "INSERT INTO t \(rows)")
            async let killed = python(beginning)
            #expect(try await eventuallyInTask { size(of: real + "-journal") > 1_000 })
            #expect(try await eventuallyInTask { followed.problem?.contains("is being written") == true })
            go()
            _ = try await killed
            // Another writer finds the journal and rolls back.
            unlink("\(directory)/go")
            go()
            _ = try await python(holding(real, "INSERT INTO t VALUES ('c', 3)"))
            #expect(try await eventuallyInTask { followed.numbers == ["b": 2, "c": 3] })
            #expect(followed.sums.allSatisfy { $0 <= 5 }, "\(followed.sums)")
        }
    }

    @Test(
        .enabled(if: geteuid() == 0, "needs root, to give a link to another user"), arguments: ["link.db", "dir/x.db"])
    func `a database behind another user's link is not read`(name: String) async throws {
        try FileManager.default.createDirectory(atPath: "\(directory)/real", withIntermediateDirectories: true)
        symlink("real/x.db", "\(directory)/link.db")
        symlink("real", "\(directory)/dir")
        let link = "\(directory)/\(name == "link.db" ? name : "dir")"
        _ = try await python(["-c", Self.making, "\(directory)/real/x.db", "1"])
        #expect(lchown(link, 65_534, 65_534) == 0)
        try await following("SELECT id, n FROM t", at: "\(directory)/\(name)") { followed in
            let problem = "the symbolic link \(link) belongs to the user"
            let isTold = try await eventuallyInTask { followed.problem?.contains(problem) == true }
            #expect(isTold && followed.sums.isEmpty, "\(followed.problem ?? "")")
            #expect(lchown(link, 0, 0) == 0)
            let isRead = try await eventuallyInTask { followed.numbers == ["1": 1] && followed.problem == nil }
            #expect(isRead)
        }
    }

    /// Another user replaces a directory by a link to a directory that this user cannot read, as fast as possible.
    @Test(.enabled(if: geteuid() == 0, "needs root, to become another user"), arguments: ["delete", "wal"])
    func `no swap of a directory for a link shows the rows of another database`(mode: String) async throws {
        for (name, number) in [("place/a", "1"), ("secret", "1000")] {
            try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
            _ = try await python(["-c", Self.making, "\(directory)/\(name)/x.db", number, mode])
        }
        #expect(chmod("\(directory)/secret", 0o700) == 0)
        let program = """
            import ctypes, os, sys, time
            place, secret = sys.argv[1:]
            for name in (place, place + "/a", place + "/a/x.db"): os.chown(name, 65534, 65534)
            os.setgroups([]); os.setgid(65534); os.setuid(65534)
            os.chdir(place)
            os.symlink(secret, "b")
            libc = ctypes.CDLL(None)
            end = time.monotonic() + 60
            while not os.path.exists("stop") and time.monotonic() < end:
                libc.renameat2(-100, b"a", -100, b"b", 2)
            """
        try await following("SELECT id, n FROM t", at: "\(directory)/place/a/x.db") { followed in
            #expect(try await eventuallyInTask { followed.numbers == ["1": 1] })
            async let attacker = python(["-c", program, "\(directory)/place", "\(directory)/secret"])
            let settings = DatabaseSettings(path: "\(directory)/place/a/x.db", query: "SELECT id, n FROM t")
            let begin = ContinuousClock.now
            while begin.duration(to: .now) < .seconds(followed.sums.count > 10 ? 2 : 60) {
                // A new reading has no earlier state, so it reads the rows.
                var reading = DatabaseReading(settings, RowStates(RowMapping()) { content, _ in content })
                if case .state(let snapshot, _) = await reading.readIfChanged() { followed.append(.snapshot(snapshot)) }
                reading.end()
            }
            #expect(FileManager.default.createFile(atPath: "\(directory)/place/stop", contents: nil))
            _ = try await attacker
            #expect(followed.sums.count > 10 && followed.sums.allSatisfy { $0 == 1 }, "\(Set(followed.sums))")
            // Nothing was created there.
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(directory)/secret")
            #expect(files == ["x.db"])
        }
    }

    private static let making = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        if len(sys.argv) > 3: database.execute("PRAGMA journal_mode=" + sys.argv[3])
        database.execute("CREATE TABLE t(id, n)")
        database.execute("INSERT INTO t VALUES (1, " + sys.argv[2] + ")")
        database.commit()
        database.close()
        """

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
        // The rows exceed the cache, so some of them are in the log before the commit.
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
        /// Looks that many seconds after the last write to the log, and returns whether it was read.
        func reads(afterRest rest: Double) async throws -> Bool {
            let date = Date.now
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path + "-wal")
            let time = date.timeIntervalSince1970 + rest
            switch await reading.readIfChanged(at: timespec.Parts(nanoseconds: Int(time * 1_000_000_000))) {
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

    /// YAML block scalars end this way.
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

    // MARK: - Hostile databases

    @Test func `a query without an end is ended, and the next one is run when the database is good again`() async throws
    {
        try await sql(
            "CREATE VIEW t AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS id FROM r"
        )
        try await following("SELECT id, 1 AS n FROM t", timeout: .milliseconds(300)) { followed in
            let isEnded = try await eventuallyInTask { followed.problem?.contains("ran longer than 0.3 s") == true }
            #expect(isEnded, "\(followed.problem ?? "")")
            try await sql("DROP VIEW t", "CREATE TABLE t(id)", "INSERT INTO t VALUES ('a')")
            #expect(try await eventuallyInTask { followed.numbers == ["a": 1] && followed.problem == nil })
        }
    }

    private func answer(_ query: String, _ change: (inout InputLimits) -> Void = { _ in }) -> String {
        var asked = DatabaseQuery(path: path, sql: query, jsonColumns: [])
        change(&asked.limits)
        return switch asked.answer(at: path, .shared, QueryInterrupter()) {
        case .rows(let images): "\(images.count) rows"
        case .busy(let message), .failure(let message): message
        }
    }

    @Test func `a result has so many rows and bytes, and not one more`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await sql(
            "CREATE VIEW endless AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r) SELECT id FROM r",
            "CREATE VIEW long AS SELECT id, printf('%.*c', 1000, 'x') AS text FROM endless",
            "CREATE VIEW named AS SELECT id AS \"\(String(repeating: "n", count: 1_000))\" FROM endless")
        #expect(
            answer("SELECT id FROM endless")
                == "the database \(path): there are more than 1,000,000 rows (rowsMax); select fewer")
        #expect(answer("SELECT id FROM endless LIMIT 50") { $0.rowsMax = 50 } == "50 rows")
        #expect(answer("SELECT id FROM endless LIMIT 51") { $0.rowsMax = 50 }.contains("more than 50 rows (rowsMax)"))
        for view in ["long", "named"] {
            let message = answer("SELECT * FROM \(view)")
            #expect(
                message == "the database \(path): the rows are longer than 67,108,864 bytes (sourceLengthMax); "
                    + "select fewer rows or columns")
        }
        // A row has 9 bytes for its number, 9 for its text's length, 1,000 for its text, and 6 for the names of its columns.
        #expect(answer("SELECT * FROM long LIMIT 10") { $0.sourceLengthMax = 10_240 } == "10 rows")
        #expect(answer("SELECT * FROM long LIMIT 10") { $0.sourceLengthMax = 10_239 }.contains("sourceLengthMax"))
        let value = answer("SELECT hex(zeroblob(40000000)) AS id")
        #expect(
            value.hasSuffix("string or blob too big: longer than 67,108,864 bytes (sourceLengthMax); select less"),
            "\(value)")
        #expect(
            answer("SELECT replace('\(String(repeating: "a", count: 2_000))', 'a', 'b') LIKE '%a%b%' AS id") == "1 rows"
        )
        #expect(answer("SELECT 'x' LIKE printf('%.*c', 1001, '%') AS id").contains("pattern too complex"))
    }

    @Test(arguments: [
        "SELECT load_extension('x') AS id", "ATTACH '/tmp/diffable-other.db' AS other", "PRAGMA journal_mode = delete",
        "PRAGMA user_version = 5", "PRAGMA writable_schema = ON", "CREATE TEMP TABLE x(id)", "DELETE FROM t",
        "UPDATE t SET id = 1", "INSERT INTO t VALUES (1)", "VACUUM INTO '/tmp/diffable-other.db'", "SAVEPOINT x",
        "SELECT integrity_check AS id FROM pragma_integrity_check", "SELECT * FROM loading", "SELECT * FROM pages",
    ])
    func `a query only reads, also by the views of its database`(query: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await sql(
            "CREATE TABLE t(id)", "CREATE VIEW loading AS SELECT load_extension('x') AS id",
            "CREATE VIEW pages AS SELECT pgno AS id FROM dbstat")
        let message = answer(query)
        #expect(
            ["one SELECT, which changes nothing", "unsafe use of", "not authorized"].contains(
                where: message.contains),
            "\(message)")
        #expect(!FileManager.default.fileExists(atPath: "/tmp/diffable-other.db"))
    }

    @Test func `indexes of texts and places, JSON and descriptions of tables can be read`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await sql(
            "CREATE TABLE t(id)", "INSERT INTO t VALUES ('[1,2]')", "CREATE VIRTUAL TABLE words USING fts5(id)",
            "INSERT INTO words VALUES ('a fox'), ('a dog')", "CREATE VIRTUAL TABLE old USING fts4(id)",
            "INSERT INTO old VALUES ('a fox'), ('a dog')", "CREATE VIRTUAL TABLE places USING rtree(id, x1, x2)",
            "INSERT INTO places VALUES (1, 0, 1), (2, 5, 6)")
        for query in [
            "SELECT id FROM words WHERE words MATCH 'fox'", "SELECT id FROM old WHERE old MATCH 'dog'",
            "SELECT id FROM places WHERE x1 > 4", "SELECT name AS id FROM pragma_table_info('t')",
            "SELECT user_version AS id FROM pragma_user_version", "SELECT json_array_length(id) AS id FROM t",
        ] {
            #expect(answer(query) == "1 rows", "\(query)")
        }
    }

    @Test(arguments: ["fifo", "socket", "directory", "/dev/zero", "link"])
    func `something else than a file is refused without being opened`(kind: String) async throws {
        let place = kind.hasPrefix("/") ? kind : path
        switch kind {
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        case "link":
            #expect(mkfifo("\(directory)/fifo", 0o600) == 0)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(directory)/fifo")
        case "socket":
            _ = try await python(["-c", "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", path])
        case "directory": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        default: break
        }
        let names = ["fifo": "a FIFO", "link": "a FIFO", "socket": "a socket", "directory": "a directory"]
        try await following("SELECT id, n FROM t", at: place) { followed in
            let problem = "the database \(place) is \(names[kind] ?? "a device"), not a regular file"
            #expect(try await eventuallyInTask { followed.problem == problem }, "\(followed.problem ?? "")")
            guard place == path else { return }
            #expect(rename(path, "\(directory)/old") == 0)
            try await sql("CREATE TABLE t(id, n)", "INSERT INTO t VALUES ('a', 1)")
            #expect(try await eventuallyInTask { followed.numbers == ["a": 1] && followed.problem == nil })
        }
    }

    /// SQLite maps the index of the log into memory, and reading after the end of a truncated file would kill the process.
    @Test func `an index that is truncated while it is read ends nothing`() async throws {
        let program = """
            import os, sqlite3, sys, time
            path = sys.argv[1]
            database = sqlite3.connect(path, timeout=0, isolation_level=None)
            database.execute("PRAGMA journal_mode=wal")
            database.execute("CREATE TABLE t(id, n)")
            database.execute("BEGIN")
            for number in range(50000): database.execute("INSERT INTO t VALUES (?, 1)", (number,))
            database.execute("COMMIT")
            end = time.monotonic() + 2
            while time.monotonic() < end:
                os.truncate(path + "-shm", 0)
                time.sleep(0.0005)
                os.truncate(path + "-shm", 32768)
                time.sleep(0.002)
            os._exit(0)
            """
        try await following("SELECT id, n FROM t") { followed in
            _ = try await python(["-c", program, path])
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            try await sql("CREATE TABLE t(id, n)", "INSERT INTO t VALUES ('a', 1)")
            let isRead = try await eventuallyInTask { followed.numbers == ["a": 1] }
            #expect(isRead, "\(followed.problem ?? "")")
        }
    }

    /// Opening a FIFO without a writer would block forever.
    @Test(arguments: ["", "-wal", "-shm", "-journal"])
    func `a FIFO that takes the place of a file at any moment keeps nobody waiting`(suffix: String) async throws {
        try await sql(
            "PRAGMA journal_mode=\(suffix == "-journal" ? "delete" : "wal")", "CREATE TABLE t(id, n)",
            "INSERT INTO t VALUES ('a', 1)")
        #expect(mkfifo("\(directory)/fifo", 0o600) == 0)
        let (file, fifo) = (path + suffix, "\(directory)/fifo")
        if !FileManager.default.fileExists(atPath: file) {
            #expect(FileManager.default.createFile(atPath: file, contents: nil))
        }
        let program = """
            import ctypes, sys, time
            libc = ctypes.CDLL(None)
            end = time.monotonic() + 1
            count = 0
            while time.monotonic() < end or count % 2:
                libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)
                count += 1
            """
        try await following("SELECT id, n FROM t") { followed in
            _ = try await python(["-c", program, file, fifo])
            try await sql("UPDATE t SET n = 2")
            let isRead = try await eventuallyInTask { followed.numbers == ["a": 2] }
            #expect(isRead, "\(followed.problem ?? "")")
        }
    }
}

/// The states of a database.
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
            case .change, .incomplete, .whole: break
            case .snapshot(let snapshot):
                var numbers: [String: Int] = [:]
                for item in snapshot.sections.flatMap(\.items) {
                    guard let content = item.content else { continue }
                    numbers["\(item.id)"] = JSONReader(content).member("n").flatMap { Int($0.json) }
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
