import Diffable
import DiffableJSON
import Foundation
import GRDB
import Testing

@testable import DiffableStore

/// A state directory with every kind of row in trees of several levels, and the expected state after a start.
struct FlippedOriginal {
    enum Outcome: Equatable {
        case right, newEpochs, refused
        case wrong(String)
    }

    let files: StateImage
    private let expected: StartedState
    /// The earlier states by list and revision.
    private let past: [String: [Int: Snapshot]]

    /// Limits without checkpoints, so that journals get long.
    private static let limits = StoreLimits(
        journalLengthMin: 1 << 30, journalStepsMin: 1 << 30, history: HistoryLimits(lengthMax: 100 << 20))
    private static let names: [ListName] = ["checkpointed", "deep", "keyed", "leased"]

    /// Returns a directory after a stop, and one after a crash with a long log of SQLite.
    static func all() async throws -> [FlippedOriginal] {
        let directory = ScratchDirectory()
        try await makeCheckpoint(in: directory)
        var store = try await directory.open(limits: limits)
        try await lengthen(store, by: 0..<48)
        let stopped = await StartedState(of: store)
        let stoppedPast = await past(of: store)
        await store.shutDown()
        let first = FlippedOriginal(files: try StateImage(of: directory), expected: stopped, past: stoppedPast)
        // Leased items were deleted at this start; these are new ones.
        store = try await directory.open(limits: limits)
        try await lengthen(store, by: 48..<64)
        let second = FlippedOriginal(
            files: try StateImage(of: directory), expected: await StartedState(of: store),
            past: await past(of: store))
        await store.shutDown()
        return [first, second]
    }

    /// Makes a checkpoint of many parts, one of which continues in other pages.
    private static func makeCheckpoint(in directory: ScratchDirectory) async throws {
        let limits = StoreLimits(journalLengthMin: 2_000, checkpointPartLengthMax: 700, history: .none)
        let store = try await directory.open(limits: limits)
        for name in names { _ = try await store.creating(name, .durable).get() }
        for length in [10, 6_000] {
            let description = String(repeating: "d", count: length)
            let schemas = #"{"":{"type":["string","null"],"description":"\#(description)"}}"#
            _ = try await store.settingSchemas("deep", .reading(schemas)).get()
        }
        var items = (0..<100).map { Item(id: .numbered($0), content: .text(length: 60)) }
        items.append(Item(id: "long", content: .text(length: 4_500)))
        _ = try await store.applying("checkpointed", .section("all", items)).get()
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT count(*) FROM checkpoint") > 10)
        await store.shutDown()
    }

    private static func lengthen(_ store: Store, by steps: Range<Int>) async throws {
        let lease = await store.run { $0.makeLease() }
        let section = SectionID.numbered(steps.lowerBound)
        for name in names { _ = try await store.transacting(name, [.appendSections([Section(id: section)])]).get() }
        for step in steps {
            // Four such rows fill a page, so there are three levels of pages.
            let long = Item(id: .numbered(step + 1_000), content: .text(length: step % 30 == 7 ? 5_000 : 880))
            _ = try await store.transacting("deep", [.appendItems([long])]).get()
            for half in 0..<2 {
                let short = Item(id: .numbered(2 * step + half))
                _ = try await store.transacting("keyed", [.appendItems([short])], key: .long(2 * step + half)).get()
            }
            if step % 2 == 0 {
                let leased = [Item(id: .long(step)), Item(id: .long(step + 1))]
                _ = try await store.transacting("leased", [.appendItems(leased)], lease: lease).get()
            }
        }
        _ = try await store.transacting(
            "checkpointed", [.deleteItems([.numbered(steps.lowerBound)])], key: .long(steps.lowerBound)
        ).get()
    }

    private static func past(of store: Store) async -> [String: [Int: Snapshot]] {
        var past: [String: [Int: Snapshot]] = [:]
        for list in await store.lists {
            for revision in 0...list.revision {
                let state = await store.run { $0.list(list.name, at: revision) }
                past[list.name.description, default: [:]][revision] = state?.snapshot
            }
        }
        return past
    }
}

// MARK: - Outcomes

extension FlippedOriginal {
    /// - Parameter goingOn: whether to make changes afterwards, which must be there at the next start.
    func outcome(of flip: Flip, goingOn isGoingOn: Bool) async throws -> Outcome {
        let directory = ScratchDirectory()
        try files.put(in: directory, flipped: flip)
        do throws(StoreOpeningError) {
            let found = try await directory.started(limits: Self.limits)
            let outcome = judge(found)
            if case .wrong = outcome { return outcome }
            if isGoingOn, let reason = await wrongAfterGoingOn(in: directory) { return .wrong(reason) }
            return outcome
        } catch {
            return error.isAboutContents ? .refused : .wrong("\(error)")
        }
    }

    private func judge(_ found: StartedState) -> Outcome {
        if found == expected { return .right }
        let epochs = Set(expected.lists.map(\.epoch))
        for list in found.lists {
            if epochs.contains(list.epoch) { return .wrong("in its old epoch: \(difference(found))") }
            guard past[list.name]?[list.revision] == list.snapshot else {
                return .wrong("\(list.name) never was like that at revision \(list.revision)")
            }
            if let schemas = found.schemas[list.name], schemas != expected.schemas[list.name] {
                return .wrong("\(list.name) never had these schemas")
            }
            for (key, result) in found.results[list.name] ?? [:] where expected.results[list.name]?[key] != result {
                return .wrong("\(list.name) remembers something else of \(key)")
            }
        }
        return .newEpochs
    }

    private func difference(_ found: StartedState) -> String {
        func summary(_ state: StartedState) -> String {
            state.lists.map {
                """
                \($0.name) at \($0.revision) with \(state.results[$0.name]?.count ?? 0) keys and \
                \(state.leases[$0.name]?.count ?? 0) leases
                """
            }.joined(separator: ", ")
        }
        return "\(summary(found)) instead of \(summary(expected))"
    }

    /// Changes each list, stops, and starts again. Returns an error message.
    private func wrongAfterGoingOn(in directory: ScratchDirectory) async -> String? {
        do {
            let store = try await directory.open(limits: Self.limits)
            for list in await store.lists {
                let section = Section(id: "more")
                _ = try await store.transacting(list.name, [.appendSections([section])], key: .long(9_999)).get()
            }
            let before = await StartedState(of: store)
            await store.shutDown()
            let after = try await directory.started(limits: Self.limits)
            return after == before ? nil : "what was acknowledged after it is not there"
        } catch {
            return "after it was taken: \(error)"
        }
    }
}

/// The complete state after a start.
struct StartedState: Equatable {
    private(set) var lists: [Remembered] = []
    /// The results by list and key.
    private(set) var results: [String: [RequestKey: FirstResult]] = [:]
    /// The ids of leased items, by list.
    private(set) var leases: [String: [String]] = [:]
    private var access: [String: AccessRecord] = [:]
    private(set) var schemas: [String: SchemaSet] = [:]

    init(_ recovered: RecoveredLists) {
        self.init(recovered.states, recovered.requestWindows, recovered.leases, recovered.access, recovered.schemas)
    }

    init(of store: Store) async {
        let states = await store.lists
        let (windows, leases) = await store.run { ($0.requestWindows, $0.leases) }
        let schemas = await store.run { store in
            Dictionary(
                store.storedLists.values.compactMap { held in
                    held.schemas.flatMap { schemas in held.committed.map { ($0.number, schemas) } }
                }
            ) { $1 }
        }
        self.init(states, windows, leases, await store.sqlite.access(), schemas)
    }

    private init(
        _ states: [ListState], _ windows: [Int: RequestWindow], _ leases: [Int: Leases], _ access: [Int: AccessRecord],
        _ schemas: [Int: ListSchemas]
    ) {
        for state in states.sorted(by: { $0.name < $1.name }) {
            let name = state.name.description
            lists.append(Remembered(state))
            self.access[name] = access[state.number]
            self.schemas[name] = schemas[state.number]?.set
            for number in Array(0..<140) + [9_999] {
                let key = RequestKey.long(number)
                results[name, default: [:]][key] = windows[state.number]?[key]
            }
            let leased = leases[state.number]
            self.leases[name] =
                (leased.map { leased in
                    leased.leases.flatMap {
                        leased.items(of: $0).map(\.description) + leased.sections(of: $0).map(\.description)
                    }
                } ?? []).sorted()
        }
    }
}

extension SQLiteJournal {
    fileprivate func access() -> [Int: AccessRecord] { lists.mapValues(\.access) }
}

extension ScratchDirectory {
    /// Reads the complete state without changing the files.
    fileprivate func started(limits: StoreLimits) async throws(StoreOpeningError) -> StartedState {
        let journal = try SQLiteJournal(directory: path, limits: limits, logger: .silent)
        let recovered: Result<RecoveredLists, StoreOpeningError>
        do throws(StoreOpeningError) {
            recovered = .success(try await journal.recover())
        } catch {
            recovered = .failure(error)
        }
        try? await journal.database.close()
        return StartedState(try recovered.get())
    }
}

extension Identifier {
    /// Returns a long id, so that a few of them fill a page.
    fileprivate static func long(_ number: Int) -> Identifier {
        Identifier(stringLiteral: "\(number)-" + String(repeating: "k", count: 100))
    }
}

extension Content {
    fileprivate static func text(length: Int) -> Content {
        Content(Array("\"\(String(repeating: "x", count: length))\"".utf8))
    }
}
