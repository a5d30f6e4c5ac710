import Diffable
import DiffableJSON
import Testing

@testable import DiffableStore

/// Compares the results of random requests by several users, some in one group, with a naive model, across restarts and failures
/// of the disk.
struct DeletionModelTests {
    private static let names: [ListName] = ["a", "b", "c"]
    private static let peers = [
        Peer.daemon, Peer(userID: 61_001, groupID: 61_001), Peer(userID: 61_002, groupID: 61_002),
    ]

    @Test(arguments: 0..<4)
    func `lists that are deleted, brought back and renamed are what they were, after any start`(run: Int) async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var run = ModelRun(seed: seed, isDurableOnly: false, limits: run % 2 == 0 ? .restless : StoreLimits())
        var directory = ScratchDirectory()
        var store = try await directory.open(limits: run.limits)
        for round in 0..<60 {
            let (requests, expected, model) = run.group()
            let results = await Asker().submit(requests, to: store)
            #expect(results == expected, "seed \(seed), round \(round): \(requests)")
            run.model = model
            await run.compare(store, "seed \(seed), round \(round): \(requests)")
            guard Int.random(in: 0..<8, using: &run.changes.generator) == 0 else { continue }
            if Bool.random(using: &run.changes.generator) {
                await store.shutDown()
            } else {
                let left = try await store.sqlite.crash(in: directory).left
                await store.shutDown()
                directory = left
            }
            run.model.restart()
            store = try await directory.open(limits: run.limits)
            await run.compare(store, "seed \(seed), after round \(round)")
        }
        await store.shutDown()
        #expect(try OfflineStore(directory: directory.path).check(scratch: directory.path).isGood, "seed \(seed)")
    }

    @Test(arguments: 0..<4)
    func `a group that the disk refuses leaves lists, deleted lists and names as they were`(run: Int) async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var run = ModelRun(seed: seed, isDurableOnly: true, limits: StoreLimits())
        let bench = Bench(limits: run.limits)
        for round in 0..<120 {
            let (requests, expected, model) = run.group()
            let asker = Asker()
            async let pending = asker.submit(requests, to: bench.store)
            // Requests that change nothing do not wait for the disk.
            var isWritten = false
            while !asker.isAnswered(requests.count) {
                await bench.store.settle()
                guard !bench.journal.waitingGroups.isEmpty else { continue }
                if isWritten || Bool.random(using: &run.changes.generator) {
                    isWritten = true
                    bench.journal.succeed()
                } else {
                    bench.journal.fail(.noSpace)
                    break
                }
            }
            let results = await pending
            let isRefused = results != expected
            if isRefused {
                #expect(results.contains("noSpace"), "seed \(seed), round \(round): \(requests) \(results)")
            }
            if !isRefused { run.model = model }
            await bench.settleJournal()
            await run.compare(bench.store, "seed \(seed), round \(round): \(requests)")
        }
    }
}

private struct NaiveList: Equatable {
    var name: ListName
    let epoch: Int
    let owner: UInt32
    let isDurable: Bool
    var schemas = NaiveSchemas.none
    /// The states by revision.
    var states = [Snapshot()]
    var keys: [RequestKey: Int] = [:]

    func isGoverned(by peer: Peer) -> Bool { peer.isPrivileged || peer.userID == owner }
}

/// The expected state of a store.
private struct NaiveStore {
    var lists: [ListName: NaiveList] = [:]
    /// The deleted lists, in order of deletion.
    var deleted: [NaiveList] = []
    var epochs = 0

    mutating func restart() {
        lists = lists.filter { $0.value.isDurable }
        deleted.removeAll { !$0.isDurable }
    }

    private func refusal(of name: ListName, for peer: Peer) -> String? {
        guard let list = lists[name] else { return nil }
        return list.isGoverned(by: peer) ? "nameTaken" : "permissionDenied"
    }

    mutating func carryOut(_ request: ModelRequest) -> String {
        let peer = request.peer
        switch request.kind {
        case .create(let name, let durability):
            if let refusal = refusal(of: name, for: peer) { return refusal == "nameTaken" ? "listExists" : refusal }
            epochs += 1
            lists[name] = NaiveList(name: name, epoch: epochs, owner: peer.userID, isDurable: durability == .durable)
            return "0"
        case .delete(let name):
            guard let list = lists[name], list.isGoverned(by: peer) else { return "noSuchList" }
            lists[name] = nil
            let earlier = deleted.indices.filter { deleted[$0].name == name && deleted[$0].owner == list.owner }
            if list.states.count == 1, !earlier.isEmpty { return "0" }
            if earlier.count == DeletedList.countOfNameMax { deleted.remove(at: earlier[0]) }
            deleted.append(list)
            return "\(list.states.count - 1)"
        case .undelete(let name, let newName):
            // A list that the caller cannot read does not cause a refusal, unless something can be restored.
            let refusal = refusal(of: newName, for: peer)
            if refusal == "nameTaken" { return "nameTaken" }
            guard let index = deleted.lastIndex(where: { $0.name == name && $0.isGoverned(by: peer) }) else {
                return "noDeletedList"
            }
            if let refusal { return refusal }
            lists[newName] = deleted.remove(at: index)
            lists[newName]?.name = newName
            return "\((lists[newName]?.states.count ?? 0) - 1)"
        case .rename(let name, let newName):
            guard var list = lists[name], list.isGoverned(by: peer) else { return "noSuchList" }
            if let refusal = refusal(of: newName, for: peer) { return refusal }
            list.name = newName
            (lists[name], lists[newName]) = (nil, list)
            return "\(list.states.count - 1)"
        case .transact(let name, let operation, let key):
            guard var list = lists[name], list.isGoverned(by: peer) else { return "noSuchList" }
            if let first = list.keys[key] { return "\(first)" }
            let old = list.states[list.states.count - 1]
            guard let new = try? old.applying([operation]) else { return "transaction" }
            if !list.schemas.accept(new, after: old) { return "invalidContent" }
            if !new.difference(from: old, after: [operation]).isEmpty { list.states.append(new) }
            list.keys[key] = list.states.count - 1
            lists[name] = list
            return "\(list.states.count - 1)"
        case .undo(let name, let revision):
            guard var list = lists[name], list.isGoverned(by: peer) else { return "noSuchList" }
            guard list.states.indices.contains(revision) else { return "noSuchRevision" }
            let (old, new) = (list.states[list.states.count - 1], list.states[revision])
            if !list.schemas.accept(new, after: old) { return "invalidContent" }
            if old != new { list.states.append(new) }
            lists[name] = list
            return "\(list.states.count - 1)"
        case .setSchemas(let name, let schemas, let existing):
            guard var list = lists[name], list.isGoverned(by: peer) else { return "noSuchList" }
            let head = list.states[list.states.count - 1]
            if existing == .areChecked, !schemas.accept(head, after: Snapshot()) { return "invalidContent" }
            list.schemas = schemas
            lists[name] = list
            return "\(list.states.count - 1)"
        }
    }
}

/// A few schemas, and the expected result for contents that are strings.
private enum NaiveSchemas: String, CaseIterable {
    case none = "{}"
    case short = #"{"":{"type":["string","null"],"maxLength":40}}"#
    case long = #"{"kind":{"type":"string","minLength":10}}"#
    case plain = #"{"":true}"#

    func set() throws -> SchemaSet { try .reading(rawValue, others: self == .plain ? .refuse : .allow) }

    private func fits(_ item: Item) -> Bool {
        let length = item.content.map { $0.bytes.count - 2 }
        return switch self {
        case .none: true
        case .short: item.kind != nil || length ?? 0 <= 40
        case .long: item.kind == nil || length ?? 0 >= 10
        case .plain: item.kind == nil
        }
    }

    /// Whether all items that changed fit.
    func accept(_ new: Snapshot, after old: Snapshot) -> Bool {
        new.itemIdentifiers.allSatisfy { id in
            guard let item = new.item(id) else { return false }
            let former = old.item(id)
            let isWritten = former == nil || former?.kind != item.kind || former?.content != item.content
            return !isWritten || fits(item)
        }
    }
}

private struct ModelRequest: CustomStringConvertible, Sendable {
    let kind: Kind
    let peer: Peer

    enum Kind {
        case create(ListName, Durability)
        case delete(ListName)
        case undelete(ListName, as: ListName)
        case rename(ListName, to: ListName)
        case transact(ListName, ListOperation, RequestKey)
        case undo(ListName, to: Int)
        case setSchemas(ListName, NaiveSchemas, ExistingItems)
    }

    var description: String { "\(kind) by \(peer.userID)" }
}

private struct ModelRun {
    var model = NaiveStore()
    var changes: RandomChanges
    let isDurableOnly: Bool
    let limits: StoreLimits
    private var lastKey = 0
    /// Earlier change requests, which may be repeated.
    private var sent: [ModelRequest] = []

    init(seed: UInt64, isDurableOnly: Bool, limits: StoreLimits) {
        changes = RandomChanges(seed: seed)
        self.isDurableOnly = isDurableOnly
        self.limits = limits
    }

    /// Returns requests, their expected results, and the expected state afterwards.
    mutating func group() -> ([ModelRequest], [String], NaiveStore) {
        var next = model
        var requests: [ModelRequest] = []
        var results: [String] = []
        for _ in 0..<Int.random(in: 1...5, using: &changes.generator) {
            let request = request(on: next)
            requests.append(request)
            results.append(next.carryOut(request))
        }
        return (requests, results, next)
    }

    private mutating func request(on model: NaiveStore) -> ModelRequest {
        let name = name()
        // Mostly a user with the right to do it.
        let owner = model.lists[name]?.owner ?? model.deleted.last { $0.name == name }?.owner
        let peers = [Peer.daemon, Peer(userID: 61_001, groupID: 61_001), Peer(userID: 61_002, groupID: 61_002)]
        let stranger = peers.randomElement(using: &changes.generator) ?? .daemon
        let peer =
            Int.random(in: 0..<8, using: &changes.generator) == 0
            ? stranger : peers.first { $0.userID == owner } ?? stranger
        switch Int.random(in: 0..<18, using: &changes.generator) {
        case 16, 17:
            let schemas = NaiveSchemas.allCases.randomElement(using: &changes.generator) ?? .none
            let existing = Bool.random(using: &changes.generator) ? ExistingItems.areChecked : .areKept
            return ModelRequest(kind: .setSchemas(name, schemas, existing), peer: peer)
        case 0, 1: return ModelRequest(kind: .delete(name), peer: peer)
        case 2, 3: return ModelRequest(kind: .undelete(name, as: name), peer: peer)
        case 4: return ModelRequest(kind: .undelete(name, as: self.name()), peer: peer)
        case 5: return ModelRequest(kind: .rename(name, to: self.name()), peer: peer)
        case 6:
            let count = model.lists[name]?.states.count ?? 1
            return ModelRequest(kind: .undo(name, to: Int.random(in: 0...count, using: &changes.generator)), peer: peer)
        case 7: if let again = sent.randomElement(using: &changes.generator) { return again }
        default: break
        }
        guard let list = model.lists[name] else {
            let isDurable = isDurableOnly || Int.random(in: 0..<4, using: &changes.generator) > 0
            return ModelRequest(kind: .create(name, isDurable ? .durable : .volatile), peer: peer)
        }
        lastKey += 1
        let operation = changes.operation(on: list.states[list.states.count - 1])
        let request = ModelRequest(
            kind: .transact(name, operation, RequestKey(stringLiteral: "\(lastKey)")), peer: peer)
        sent.append(request)
        return request
    }

    private mutating func name() -> ListName {
        let names: [ListName] = ["a", "b", "c"]
        return names.randomElement(using: &changes.generator) ?? "a"
    }

    func compare(_ store: Store, _ comment: String) async {
        let found = await store.run { store in
            store.lists.map { state in
                (
                    state: state, owner: store.storedLists[state.name]?.access.effective.owner,
                    past: (0..<state.revision).map { store.list(state.name, at: $0) },
                    keys: store.requestWindows[state.number]?.all.map { ($0.key, $0.revision) } ?? [],
                    schemas: store.storedLists[state.name]?.schemas?.set ?? SchemaSet()
                )
            }
        }
        #expect(found.map(\.state.name) == model.lists.keys.sorted(), "\(comment)")
        for list in found {
            guard let expected = model.lists[list.state.name] else { continue }
            #expect(list.state.revision == expected.states.count - 1, "\(comment)")
            #expect(list.past.map { $0?.snapshot } + [list.state.snapshot] == expected.states, "\(comment)")
            #expect(list.past.allSatisfy { $0?.name == list.state.name && $0?.epoch == list.state.epoch }, "\(comment)")
            #expect(list.owner == expected.owner, "\(comment)")
            #expect(list.schemas == (try? expected.schemas.set()), "\(comment)")
            #expect((list.state.durability == .durable) == expected.isDurable, "\(comment)")
            #expect(Dictionary(list.keys) { $1 } == expected.keys, "\(comment)")
        }
        let deleted = await store.run {
            $0.deletedLists(for: .daemon).map { ($0.list.state, $0.access.owner, $0.list.schemas?.set) }
        }
        let expected = model.deleted.reversed()
        #expect(deleted.map(\.0.name) == expected.map(\.name), "\(comment)")
        #expect(deleted.map(\.0.snapshot) == expected.map { $0.states[$0.states.count - 1] }, "\(comment)")
        #expect(deleted.map(\.1) == expected.map(\.owner), "\(comment)")
        #expect(deleted.map { $0.2 ?? SchemaSet() } == expected.map { try? $0.schemas.set() }, "\(comment)")
    }
}

/// Submits requests and collects their results.
private struct Asker: Sendable {
    private let answers = Log()

    /// Submits all requests at once, and returns the results in order.
    func submit(_ requests: [ModelRequest], to store: Store) async -> [String] {
        let (stream, continuation) = AsyncStream.makeStream(of: (Int, String).self)
        store.later { [answers] store in
            for (index, request) in requests.enumerated() {
                request.submit(to: store) { result in
                    answers.append(result)
                    continuation.yield((index, result))
                }
            }
        }
        var results = Array(repeating: "", count: requests.count)
        var left = requests.count
        for await (index, result) in stream {
            results[index] = result
            left -= 1
            if left == 0 { break }
        }
        return results
    }

    func isAnswered(_ count: Int) -> Bool { answers.lines.count == count }
}

extension ModelRequest {
    func submit(to store: isolated Store, _ completion: @escaping @Sendable (String) -> Void) {
        let list: Store.Completion<ListState> = { result in
            switch result {
            case .success(let state): completion("\(state.revision)")
            case .failure(let error): completion(error.summary)
            }
        }
        let outcome: Store.Completion<Outcome> = { result in
            switch result {
            case .success(let outcome): completion("\(outcome.revision)")
            case .failure(let error): completion(error.summary)
            }
        }
        switch kind {
        case .create(let name, let durability):
            store.createList(name, durability: durability, by: peer, completion: list)
        case .delete(let name): store.deleteList(name, by: peer, completion: list)
        case .undelete(let name, let newName): store.undeleteList(name, as: newName, by: peer, completion: list)
        case .rename(let name, let newName): store.renameList(name, to: newName, by: peer, completion: list)
        case .transact(let name, let operation, let key):
            store.transact(name, [operation], requestKey: key, by: peer, completion: outcome)
        case .undo(let name, let revision): store.undo(name, .revision(revision), by: peer, completion: outcome)
        case .setSchemas(let name, let schemas, let existing):
            guard let set = try? schemas.set() else { return completion("no schemas") }
            store.setSchemas(of: name, set, existing: existing, by: peer, completion: list)
        }
    }
}

extension StoreLimits {
    /// Limits with very frequent checkpoints of many parts.
    fileprivate static let restless = StoreLimits(journalLengthMin: 300, checkpointPartLengthMax: 200)
}
