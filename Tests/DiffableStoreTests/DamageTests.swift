import Diffable
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DiffableStore

/// Damaged files. A daemon restores the lists as they were, or restores an earlier revision in another epoch, or refuses
/// everything. Salvaged lists are never anything else.
struct DamageTests {
    /// `DIFFABLED_MUTATIONS=2000 swift test --filter DamageTests` for more.
    private static let mutations =
        ProcessInfo.processInfo.environment["DIFFABLED_MUTATIONS"].flatMap { Int($0) }
        ?? (ProcessInfo.processInfo.environment["DIFFABLED_SOAK"] == nil ? 65 : 2_000)

    @Test func `no mutation of the files crashes it or changes a list in silence`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("\(Self.mutations) mutations, seed \(seed)")
        var generator = SplitMix64(seed: seed)
        let original = try await DamagedOriginal(seed: generator.next())
        var outcomes: [String: Int] = [:]
        for number in 0..<Self.mutations {
            // Each kind of mutation is used equally often.
            let mutation = Mutation.allCases[number % Mutation.allCases.count]
            let outcome = try await original.outcome(of: mutation, using: &generator)
            outcomes[outcome.word, default: 0] += 1
            if let wrong = outcome.wrong {
                Issue.record("mutation \(number), seed \(seed): \(mutation): \(wrong)")
                return
            }
        }
        print(outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        #expect(outcomes["refused", default: 0] > Self.mutations / 20)
        #expect(outcomes["unharmed", default: 0] > 0)
        #expect(outcomes["earlier, with new epochs", default: 0] > 0)
    }
}

/// A kind of damage to the files.
private enum Mutation: CaseIterable {
    case bit, bits, structureBit, byteRun, truncation, zeroedPage, swappedPages, copiedPage
    case noLog, shortLog, logBit, otherLog, empty

    private static let pageLength = 4_096

    /// - Parameter files: the database, its log, and the log as it was before.
    func change(
        _ database: inout Data, _ log: inout Data?, otherLog: Data, using generator: inout SplitMix64
    ) {
        switch self {
        case .bit: flip(&database, times: 1, using: &generator)
        case .bits: flip(&database, times: 30, using: &generator)
        case .structureBit:
            let offset = PageMap(database).structure.randomElement(using: &generator) ?? 0
            database[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case .byteRun:
            let start = Int.random(in: 0..<database.count, using: &generator)
            let end = min(start + Int.random(in: 1...300, using: &generator), database.count)
            for index in start..<end { database[index] = UInt8.random(in: 0...255, using: &generator) }
        case .truncation: database = database.prefix(Int.random(in: 0..<database.count, using: &generator))
        case .zeroedPage: copy(Data(repeating: 0, count: Self.pageLength), to: &database, using: &generator)
        case .swappedPages:
            let first = page(of: database, using: &generator)
            let second = page(of: database, using: &generator)
            let kept = database.subdata(in: first)
            database.replaceSubrange(first, with: database.subdata(in: second))
            database.replaceSubrange(second, with: kept)
        case .copiedPage:
            copy(database.subdata(in: page(of: database, using: &generator)), to: &database, using: &generator)
        case .noLog: log = nil
        case .shortLog: log = log.map { $0.prefix(Int.random(in: 0..<$0.count, using: &generator)) }
        case .logBit: if log != nil { flip(&log!, times: 1, using: &generator) }
        case .otherLog: log = otherLog
        case .empty: database = Data()
        }
    }

    private func page(of file: Data, using generator: inout SplitMix64) -> Range<Int> {
        let start = Int.random(in: 0..<file.count / Self.pageLength, using: &generator) * Self.pageLength
        return start..<start + Self.pageLength
    }

    private func copy(_ page: Data, to file: inout Data, using generator: inout SplitMix64) {
        file.replaceSubrange(self.page(of: file, using: &generator), with: page)
    }

    private func flip(_ file: inout Data, times: Int, using generator: inout SplitMix64) {
        for _ in 0..<times {
            file[Int.random(in: 0..<file.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
    }
}

/// A state directory after a crash, with all its earlier states.
private struct DamagedOriginal {
    private let database: Data
    private let log: Data
    private let otherLog: Data
    /// The record of the witness, which matches the database. Without a witness, every start would give new epochs, and no loss
    /// would go unnoticed.
    private let record: WitnessRecord
    /// Every state by list and revision.
    private var states: [String: [Int: Remembered]] = [:]
    private var newest: [Remembered] = []
    /// The results of each list's requests, in order; each has a key.
    private var results: [String: [FirstResult]] = [:]

    init(seed: UInt64) async throws {
        let directory = ScratchDirectory()
        var changes = RandomChanges(seed: seed)
        // Frequent checkpoints, and a history of a few pages.
        let limits = StoreLimits(
            journalLengthMin: 3_000, checkpointPartLengthMax: 500, history: HistoryLimits(lengthMax: 100_000))
        let names: [ListName] = ["a", "b", "c"]
        var old = Data()
        for round in 0..<2 {
            let store = try await directory.open(limits: limits)
            if round == 0 {
                for name in names {
                    let state = try await store.creating(name, .durable).get()
                    states[name.description] = [0: Remembered(state)]
                }
            }
            for step in 0..<60 {
                let name = names[step % (round == 0 ? 3 : 2)]
                guard let state = await store.list(name) else { continue }
                let key = RequestKey.numbered(round * 60 + step)
                _ = try await store.transacting(name, [changes.operation(on: state.snapshot)], key: key).get()
                let result = await store.run { $0.requestWindows[state.number]?[key] }
                if let result { results[name.description, default: []].append(result) }
                for state in await store.lists {
                    states[state.name.description, default: [:]][state.revision] = Remembered(state)
                }
                if round == 1, step == 20 {
                    old = try Data(contentsOf: URL(filePath: directory.databasePath + "-wal"))
                }
            }
            await store.sqlite.finishMaintenance()
            newest = await store.lists.map(Remembered.init)
            if round == 1 {
                let left = try directory.copied()
                database = try Data(contentsOf: URL(filePath: left.databasePath))
                log = try Data(contentsOf: URL(filePath: left.databasePath + "-wal"))
                otherLog = old
                record = try Witness.read(in: left.path).get()
                await store.shutDown()
                return
            }
            await store.shutDown()
        }
        preconditionFailure("the second round ends it")
    }

    /// Returns the kind of outcome, and an error message if it is wrong.
    func outcome(
        of mutation: Mutation, using generator: inout SplitMix64
    ) async throws -> (word: String, wrong: String?) {
        let directory = ScratchDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        var database = database
        var log: Data? = log
        mutation.change(&database, &log, otherLog: otherLog, using: &generator)
        try database.write(to: URL(filePath: directory.databasePath))
        try log?.write(to: URL(filePath: directory.databasePath + "-wal"))
        try Witness(in: directory.path).write(record)
        let files = try fileContents(of: directory)
        let checked = Result { () throws(StoreOpeningError) in
            try OfflineStore(directory: directory.path).check(scratch: NSTemporaryDirectory())
        }
        guard try fileContents(of: directory) == files else { return ("wrong", "--check changed the files") }
        do {
            let untouched = try directory.copied()
            let store = try await untouched.open()
            let found = await store.lists.map(Remembered.init)
            let wrongResult = await wrongResult(in: store, mayMiss: .oldest)
            await store.shutDown()
            if let wrongResult { return ("wrong", wrongResult) }
            if case .success(let examination) = checked, !examination.isGood, examination.faults.isEmpty {
                return ("wrong", "it is opened, and --check says it is damaged: \(examination)")
            }
            return judge(found)
        } catch {
            if case .success(let examination) = checked, examination.isGood {
                return ("wrong", "it is refused (\(error)), and --check says it is good")
            }
            return ("refused", try await wrongWithRepair(of: directory, files))
        }
    }

    /// Checks an opened store: each list is at some earlier revision, and either nothing is lost or the epoch is new.
    private func judge(_ found: [Remembered]) -> (String, String?) {
        if found == newest { return ("unharmed", nil) }
        var hasNewEpochs = true
        for list in found {
            guard let state = states[list.name]?[list.revision], state.snapshot == list.snapshot else {
                return ("wrong", "the list \(list.name) at revision \(list.revision) never was")
            }
            if state.epoch == list.epoch { hasNewEpochs = false }
        }
        if found.map(\.revision) == newest.map(\.revision), found.map(\.name) == newest.map(\.name) {
            return ("unharmed, with new epochs", nil)
        }
        return hasNewEpochs
            ? ("earlier, with new epochs", nil)
            : ("wrong", "what is lost is lost in silence: \(found.map(\.revision)) of \(newest.map(\.revision))")
    }

    private enum Missing { case oldest, any }

    /// Checks the remembered requests: each has its first result, and none has lost its change.
    private func wrongResult(in store: Store, mayMiss missing: Missing) async -> String? {
        for list in await store.lists {
            guard let all = results[list.name.description] else { continue }
            // A reported loss includes the newest request.
            let isLost = states[list.name.description]?[list.revision]?.epoch != list.epoch
            let kept = await store.run { store in all.map { store.requestWindows[list.number]?[$0.key] } }
            var isMissing = false
            for (first, now) in zip(all, kept).reversed() where first.revision <= list.revision {
                guard let now else {
                    isMissing = true
                    continue
                }
                if isMissing, missing == .oldest, !isLost {
                    return "\(list.name) has forgotten requests after \(first.key)"
                }
                if now.numbered(first.number) != first {
                    return "\(list.name) remembers another \(first.key): \(now)"
                }
            }
            for (first, now) in zip(all, kept) where first.revision > list.revision && now != nil {
                return "\(list.name) at \(list.revision) remembers \(first.key) at \(first.revision)"
            }
        }
        return nil
    }

    private func wrongWithRepair(of directory: ScratchDirectory, _ files: [String: Data]) async throws -> String? {
        do {
            let repair = try OfflineStore(directory: directory.path).repair(keepingIn: "kept")
            guard let kept = repair.keptIn else { return "it was refused, and --repair found nothing to do" }
            for (name, data) in files where try Data(contentsOf: URL(filePath: "\(kept)/\(name)")) != data {
                return "--repair did not keep \(name) as it was"
            }
            let store = try await directory.open()
            let found = await store.lists.map(Remembered.init)
            let wrongResult = await wrongResult(in: store, mayMiss: .any)
            await store.shutDown()
            if let wrongResult { return "after --repair: \(wrongResult)" }
            for list in found {
                let damage = repair.found.lists.first { $0.name.description == list.name }?.damage
                guard let state = states[list.name]?[list.revision] else {
                    if damage?.contains("table of lists") == true { continue }
                    return "--repair made the list \(list.name) at revision \(list.revision), which never was"
                }
                if state.epoch == list.epoch { return "--repair kept an epoch" }
                let isUncertain = damage?.contains("checkpoint") == true || damage?.contains("cannot verify") == true
                if state.snapshot != list.snapshot, !isUncertain {
                    return "--repair made another state of \(list.name) at \(list.revision)"
                }
            }
            return nil
        } catch let error as StoreOpeningError {
            // Nothing in it shows that the file was ours.
            if case .foreign = error { return nil }
            switch error {
            case .otherSchema, .unreadable: return nil
            default: return "--repair: \(error)"
            }
        }
    }

    private func fileContents(of directory: ScratchDirectory) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            contents[name] = try Data(contentsOf: URL(filePath: "\(directory.path)/\(name)"))
        }
        return contents
    }
}
