import Diffable
import Foundation
import Logging
import Testing

@testable import DiffableStore

/// A revision never names two states in one epoch, even if the files change while no daemon has them open.
struct WitnessTests {
    let directory = ScratchDirectory()
    /// Logged warnings and errors.
    let log = Log()

    private var logger: Logger { Logger(label: "test") { _ in ComplaintLogHandler(log: log) } }

    private var witnessPath: String { Witness.path(in: directory.path) }
    private var logPath: String { directory.databasePath + "-wal" }

    private func open(_ directory: ScratchDirectory? = nil) async throws -> Store {
        try await (directory ?? self.directory).open(logger: logger)
    }

    private func append(_ id: Int, to store: Store) async throws {
        _ = try await store.transacting("tasks", [.appendItems([Item(id: .numbered(id))])]).get()
    }

    /// Opens a store with two durable lists, and a few changes that are only in SQLite's log.
    private func openWithLists() async throws -> Store {
        let first = try await open()
        for name in ["other", "tasks"] as [ListName] { _ = try await first.creating(name, .durable).get() }
        _ = try await first.transacting("tasks", [.appendSections([Section(id: "s")])]).get()
        await first.shutDown()
        let store = try await open()
        for index in 0..<5 { try await append(index, to: store) }
        return store
    }

    /// Returns the epochs, ordered by list name.
    private func epochs(_ store: Store) async -> [String] { await store.lists.map(\.epoch) }

    private func expectNewEpochs(_ store: Store, than epochs: [String], _ complaint: String) async {
        for (old, new) in zip(epochs, await self.epochs(store)) { #expect(old != new) }
        await store.run { store in
            for held in store.storedLists.values {
                #expect(Set(held.history.wholeStates.map(\.epoch)).isSubset(of: [held.committed?.epoch ?? ""]))
            }
        }
        #expect(log.lines.count == 1 && log.lines[0].contains(complaint), "\(log.lines)")
    }

    @Test func `after a stop and after a crash every list is in its epoch, and nothing is said`() async throws {
        let store = try await openWithLists()
        let before = await store.lists.map(Remembered.init)
        let left = try await store.sqlite.crash(in: directory).left
        await store.shutDown()
        for directory in [directory, left] {
            let again = try await open(directory)
            #expect(await again.lists.map(Remembered.init) == before)
            await again.shutDown()
        }
        #expect(log.lines.isEmpty)
    }

    @Test func `whether the group that a crash came in is on disk or not, the epochs stay`() async throws {
        let store = try await openWithLists()
        let before = await store.lists.map(Remembered.init)
        let (left, _) = try await store.sqlite.crash(in: directory)
        let digest = await store.sqlite.digest
        await store.shutDown()
        let other = ListsDigest(value: 4711)
        for (acknowledged, underway) in [(digest, other), (other, digest)] {
            let copy = try left.copied()
            let record = WitnessRecord(boot: WitnessRecord.currentBoot, acknowledged: acknowledged, underway: underway)
            try Witness(in: copy.path).write(record)
            let again = try await open(copy)
            #expect(await again.lists.map(Remembered.init) == before)
            await again.shutDown()
        }
        #expect(log.lines.isEmpty)
    }

    @Test func `a log that is gone or cut off anywhere never makes a fork`() async throws {
        let store = try await openWithLists()
        let before = await store.lists.map(Remembered.init)
        let (left, _) = try await store.sqlite.crash(in: directory)
        await store.shutDown()
        let whole = try Data(contentsOf: URL(fileURLWithPath: left.databasePath + "-wal"))
        var losses = 0
        // A frame is a page and 24 bytes, after 32 bytes for the log itself.
        for length in Array(stride(from: 0, to: whole.count, by: 2_060)) + [whole.count - 1, whole.count] {
            let copy = try left.copied()
            try whole.prefix(length).write(to: URL(fileURLWithPath: copy.databasePath + "-wal"))
            log.clear()
            let again = try await open(copy)
            let after = await again.lists.map(Remembered.init)
            if after != before {
                losses += 1
                #expect(zip(before, after).allSatisfy { $0.epoch != $1.epoch }, "\(length) bytes")
                #expect(log.lines.count == 1 && log.lines[0].contains("error: the database is not as it was"))
                // The loss is reported once.
                await again.shutDown()
                let third = try await open(copy)
                #expect(await third.lists.map(Remembered.init) == after)
                #expect(log.lines.count == 1)
                await third.shutDown()
            } else {
                #expect(log.lines.isEmpty)
                await again.shutDown()
            }
        }
        #expect(losses > 5)
    }

    @Test func `an older database in the place of the one that was closed is noticed`() async throws {
        await (try await openWithLists()).shutDown()
        let older = try directory.backedUp()
        let store = try await open()
        let epochs = await epochs(store)
        try await append(10, to: store)
        await store.shutDown()
        try FileManager.default.removeItem(atPath: directory.databasePath)
        try FileManager.default.copyItem(atPath: older.databasePath, toPath: directory.databasePath)
        let again = try await open()
        await expectNewEpochs(again, than: epochs, "error: the database is not as it was")
        #expect(await again.list("tasks")?.revision == 6)
        // The history is read from the database, under the new epoch.
        let past = await again.run { $0.list("tasks", at: 3) }
        #expect(past?.snapshot.numberOfItems == 2)
        #expect(await again.list("tasks")?.epoch == past?.epoch)
        await again.shutDown()
    }

    @Test func `a backup that was put back is noticed, also when it was written over the files`() async throws {
        await (try await openWithLists()).shutDown()
        let backup = try directory.backedUp()
        let store = try await open()
        let epochs = await epochs(store)
        try await append(10, to: store)
        await store.shutDown()
        // Longer than a daemon may take between reading the clock and writing.
        try await Task.sleep(for: .milliseconds(150))
        for file in ["lists.sqlite", "witness"] {
            let handle = try #require(FileHandle(forWritingAtPath: directory.path + "/" + file))
            let old = try Data(contentsOf: URL(fileURLWithPath: backup.path + "/" + file))
            try handle.write(contentsOf: old)
            try handle.truncate(atOffset: UInt64(old.count))
            try handle.close()
        }
        let again = try await open()
        await expectNewEpochs(again, than: epochs, "was copied or changed since the daemon wrote it")
        await again.shutDown()
        log.clear()
        let copied = try await open(backup)
        await expectNewEpochs(copied, than: epochs, "was copied or changed since the daemon wrote it")
        await copied.shutDown()
    }

    @Test func `without a witness, or with a damaged one, nothing is taken for granted`() async throws {
        let first = try await openWithLists()
        var epochs = await epochs(first)
        await first.shutDown()
        try FileManager.default.removeItem(atPath: witnessPath)
        let second = try await open()
        await expectNewEpochs(second, than: epochs, "No such file or directory")
        #expect(log.lines[0].hasPrefix("warning: "))
        epochs = await self.epochs(second)
        await second.shutDown()
        for offset in 0..<Witness.length {
            log.clear()
            let copy = try directory.copied()
            var bytes = try Data(contentsOf: URL(fileURLWithPath: Witness.path(in: copy.path)))
            bytes[offset] ^= 1
            try bytes.write(to: URL(fileURLWithPath: Witness.path(in: copy.path)))
            let again = try await open(copy)
            await expectNewEpochs(again, than: epochs, "/witness is damaged")
            await again.shutDown()
        }
    }

    @Test func `once the machine has gone down, only a daemon that was stopped before is believed`() async throws {
        let store = try await openWithLists()
        let epochs = await epochs(store)
        let (left, _) = try await store.sqlite.crash(in: directory)
        await store.shutDown()
        for (directory, isClosed) in [(left, false), (self.directory, true)] {
            log.clear()
            var record = try Witness.read(in: directory.path).get()
            #expect(record.isClosed == isClosed)
            record.boot = 4711
            try Witness(in: directory.path).write(record)
            let again = try await open(directory)
            if isClosed {
                #expect(await self.epochs(again) == epochs)
                #expect(log.lines.isEmpty)
            } else {
                await expectNewEpochs(again, than: epochs, "warning: cannot verify that the database")
            }
            await again.shutDown()
        }
    }

    @Test(arguments: [
        "DELETE FROM journal WHERE list = 2 AND revision = (SELECT max(revision) FROM journal)",
        "DELETE FROM list WHERE number = 1", "DELETE FROM list WHERE number = 2",
    ])
    func `rows that are missing at the end are noticed, and what is left of their list stays`(
        edit: String
    ) async throws {
        let store = try await openWithLists()
        let before = await epochs(store)
        await store.shutDown()
        try directory.edit(edit)
        let again = try await open()
        let after = await epochs(again)
        #expect(Set(after).isDisjoint(with: before))
        #expect(log.lines.count == 1 && log.lines[0].contains("error: the database is not as it was"))
        await again.sqlite.finishMaintenance()
        #expect(try await again.sqlite.query("SELECT count(*) FROM journal") >= 5)
        await again.shutDown()
    }

    @Test(arguments: [false, true])
    func `a database that is gone is refused, and one that was never there is not`(isCopy: Bool) async throws {
        await (try await openWithLists()).shutDown()
        #expect(log.lines.isEmpty)
        // A copy of the witness works too.
        let place = isCopy ? try directory.backedUp() : directory
        for isEmptied in [false, true] {
            try FileManager.default.removeItem(atPath: place.databasePath)
            if isEmptied { try Data().write(to: URL(filePath: place.databasePath)) }
            let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
            do {
                _ = try await open(place)
                Issue.record("it was opened")
            } catch let error as StoreOpeningError {
                guard case .missing = error else { throw error }
                #expect("\(error)".contains(isEmptied ? "the file is empty" : "there is no such file"), "\(error)")
                #expect(error.isAboutContents)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() == names)
            if !isEmptied { try Data().write(to: URL(filePath: place.databasePath)) }
        }
        // Without the witness nothing shows that there was a database.
        try FileManager.default.removeItem(atPath: Witness.path(in: place.path))
        let again = try await open(place)
        #expect(await again.lists.isEmpty)
        await again.shutDown()
        // Replacing an empty database by an empty one loses nothing.
        try FileManager.default.removeItem(atPath: place.databasePath)
        await (try await open(place)).shutDown()
        #expect(log.lines.isEmpty)
    }

    @Test func `of a database that is gone --check says so, and --repair makes an empty one`() async throws {
        await (try await openWithLists()).shutDown()
        try FileManager.default.removeItem(atPath: directory.databasePath)
        let offline = OfflineStore(directory: directory.path)
        let found = try offline.check(scratch: NSTemporaryDirectory())
        #expect(found.isMissing && !found.isGood && found.faults[0].contains("there is no such file"), "\(found)")
        let kept = try #require(try offline.repair(keepingIn: "kept").keptIn)
        #expect(FileManager.default.fileExists(atPath: kept + "/witness"))
        let again = try await open()
        #expect(await again.lists.isEmpty)
        await again.shutDown()
        #expect(try offline.check(scratch: NSTemporaryDirectory()).isGood)
    }

    @Test func `a witness that is a link is refused, and one that cannot be written refuses the group`() async throws {
        let linked = ScratchDirectory()
        try FileManager.default.createDirectory(atPath: linked.path, withIntermediateDirectories: true)
        let link = Witness.path(in: linked.path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
        let error = StoreOpeningError.directoryUnusable(
            path: linked.path,
            reason: "\(link) is a symbolic link, which is not followed; replace the link with the file itself")
        await #expect(throws: error) { _ = try await linked.open() }
        let store = try await openWithLists()
        try await store.sqlite.replaceWitness(byOneAt: "/dev/full")
        #expect(await store.transacting("tasks", [.deleteAllItems]).failure == .noSpace)
        #expect(await store.list("tasks")?.revision == 6)
        try await store.sqlite.replaceWitness(byOneAt: Witness.path(in: directory.path))
        try await append(10, to: store)
        await store.shutDown()
    }
}

extension SQLiteJournal {
    fileprivate func replaceWitness(byOneAt path: String) throws {
        witness = try Witness(path: path)
    }
}

/// Keeps warnings and errors.
private struct ComplaintLogHandler: LogHandler {
    let log: Log
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        log.append("\(event.level): \(event.message) \(event.metadata ?? [:])")
    }
}
