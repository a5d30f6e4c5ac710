import Diffable
import DiffableClient
import DiffableJSON
import Synchronization
import TestSupport

/// The states of a list by revision, as its only writer knows them.
final class RevisionLog: Sendable {
    private let states = Mutex<[Int: String]>([:])

    func note(_ snapshot: Snapshot, at revision: Int) {
        let text = snapshot.json
        states.withLock { $0[revision] = text }
    }

    func state(at revision: Int) -> String? { states.withLock { $0[revision] } }
    var count: Int { states.withLock { $0.count } }
}

/// The only writer of a list. After a lost connection, it checks whether its change was made.
struct Writer {
    let list: ListName
    let client: Client
    let log: RevisionLog
    private var random: SplitMix64
    private var snapshot = Snapshot()
    private(set) var revision = 0
    private var lastNumber = 0

    init(to list: ListName, of daemon: Daemon, log: RevisionLog, seed: UInt64) {
        self.list = list
        self.client = Client(socket: SocketPath(daemon.socket), name: "writer")
        self.log = log
        self.random = SplitMix64(seed: seed)
    }

    mutating func begin() async throws {
        let list = list
        try await client.withConnection { try await $0.createList(list, ifPresent: .isKept) }
        try await look()
        try await change([.appendSections([Diffable.Section(id: "s"), Diffable.Section(id: "t")])])
    }

    mutating func write() async throws { try await change(operations()) }

    private mutating func change(_ operations: [ListOperation]) async throws {
        let (list, next) = (list, try snapshot.applying(operations))
        let connectionsErrors: Set = ["connectionLost", "noConnection", "shuttingDown"]
        do {
            let outcome = try await client.withConnection { try await $0.transact(list, operations) }
            snapshot = next
            revision = outcome.revision
            log.note(snapshot, at: revision)
        } catch let error as ClientError {
            guard connectionsErrors.contains(error.shortName) else { throw error }
            try await look()
        }
    }

    private mutating func look() async throws {
        let list = list
        while true {
            do {
                let state = try await client.withConnection { try await $0.state(of: list) }
                (snapshot, revision) = (state.snapshot, state.revision)
                return log.note(snapshot, at: revision)
            } catch ClientError.connectionLost {}
        }
    }

    private mutating func operations() throws -> [ListOperation] {
        let ids = snapshot.itemIdentifiers
        let section = Container.section(Bool.random(using: &random) ? "s" : "t")
        lastNumber += 1
        let content = try Content(json: #"{"number":\#(lastNumber),"text":"ü\n\#(lastNumber)"}"#)
        let new = ListOperation.appendItems([Item(id: try ItemID("\(lastNumber)"), content: content)], to: section)
        guard ids.count > 3, let item = ids.randomElement(using: &random),
            let other = ids.randomElement(using: &random)
        else { return [new] }
        switch Int.random(in: 0..<(ids.count > 40 ? 9 : 6), using: &random) {
        case 0: return [.reconfigureItems([.init(id: item, content: content)])]
        case 1: return [.moveItem(item, to: .front(of: section))]
        case 2 where item != other && !isAbove(item, other): return [.moveItem(item, to: .end(of: .parent(other)))]
        case 3: return [.insertItems([Item(id: try ItemID("\(lastNumber)"), content: content)], at: .before(item))]
        case 4: return [new, .moveSection("t", to: Bool.random(using: &random) ? .front : .after("s"))]
        case 6, 7, 8: return [.deleteItems([item])]
        default: return [new]
        }
    }

    private func isAbove(_ item: ItemID, _ other: ItemID) -> Bool {
        var above = snapshot.parent(of: other)
        while let id = above {
            if id == item { return true }
            above = snapshot.parent(of: id)
        }
        return false
    }
}

extension ClientError {
    /// The name of the case or of the refusal.
    var shortName: String {
        if case .refused(let refusal) = self { return refusal.code.rawValue }
        return String("\(Mirror(reflecting: self).children.first?.label ?? "")")
    }
}
