import Diffable
import DiffableJSON
import DiffableProtocol
import Foundation

/// Changes a list in random ways, one transaction after the other, and sends each again until it is answered.
struct Writer {
    let number: Int
    let list: String
    let lives: Lives
    let chronicle: Chronicle
    let writers: Int
    /// Whether it follows the list on the connection that it writes on.
    let isSubscribed: Bool

    var name: String { "writer \(number)" }

    /// Makes so many transactions.
    func run(_ count: Int, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var items = OwnItems(writer: number)
        var operations = items.change(1, &random)
        var transaction = 1
        var isRepeated = false
        while transaction <= count, let (client, life) = try lives.connect() {
            var talk = Talk(client: client, writer: self, life: life)
            guard let epoch = try talk.begin() else { continue }
            while transaction <= count {
                let request = try transact(transaction, operations)
                guard let answer = try talk.result(of: request) else { break }
                let change = try Reply.Change(json: answer)
                chronicle.note(
                    .init(
                        client: name, life: life,
                        what: .acknowledged(
                            writer: number, number: transaction, epoch: epoch, revision: change.revision,
                            isRepeated: isRepeated)))
                isRepeated = false
                transaction += 1
                operations = items.change(transaction, &random)
                if random.next() % 20 == 0, try !talk.read() { break }
            }
            isRepeated = true
        }
    }

    private func transact(_ transaction: Int, _ operations: [Diffable.Operation]) throws -> String {
        var writer = ByteWriter()
        writer.append(#"{"id":1,"method":"transact","params":{"list":"#)
        writer.appendString(list)
        writer.append(#","requestKey":"#)
        writer.appendString("\(number)-\(transaction)")
        writer.append(#","operations":"#)
        writer.append(OperationsWriter.array(operations))
        writer.append("}}")
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// One connection. Nil and false mean that it is lost.
    private struct Talk {
        let client: RawClient
        let writer: Writer
        let life: Int
        var mirror = Mirror()

        /// The list's epoch.
        mutating func begin() throws -> String? {
            let create = #"{"id":1,"method":"createList","params":{"list":"\#(writer.list)","ifAbsent":true}}"#
            guard let result = try result(of: create) else { return nil }
            if writer.isSubscribed {
                let subscribe = #"{"id":1,"method":"subscribe","params":{"list":"\#(writer.list)"}}"#
                guard let result = try self.result(of: subscribe) else { return nil }
                let isResumed = try Reply.Subscribe(json: result).isResumed
                note(.subscribed(since: nil, isResumed: isResumed))
            }
            return try Reply.ListRevision(json: result).epoch
        }

        /// Of a request with the id 1. What the subscription brings meanwhile is noted.
        mutating func result(of request: String) throws -> [UInt8]? {
            let bytes = Array("\(request)\n".utf8)
            guard try client.sendAsFarAsPossible(bytes) == bytes.count else { return nil }
            while let line = try client.line(within: 60) {
                switch try Array(line.utf8).withUnsafeBytes({ try Message(line: $0) }) {
                case .result(_, let result): return result
                case .failure(_, let error) where error.code == .shuttingDown || error.code == .storageFailed:
                    return nil
                case .failure: throw Failure("\(request.prefix(300)) is refused: \(line)")
                default:
                    guard let (state, cause) = try mirror.receive(line) else { continue }
                    note(.seen(sight(state, mirror.epoch, mirror.revision), cause))
                }
            }
            return nil
        }

        mutating func read() throws -> Bool {
            let request = #"{"id":1,"method":"snapshot","params":{"list":"\#(writer.list)"}}"#
            guard let result = try result(of: request) else { return false }
            let read = try SnapshotResult(json: result)
            note(.read(sight(try Snapshot(read.sections), read.start.epoch, read.start.revision)))
            return true
        }

        private func sight(_ state: Snapshot, _ epoch: String, _ revision: Int) -> Chronicle.State {
            Chronicle.State(state, epoch: epoch, revision: revision, writers: writer.writers)
        }

        private func note(_ what: Chronicle.What) {
            writer.chronicle.note(.init(client: writer.name, life: life, what: what))
        }
    }
}

/// The items that only this writer inserts, moves and deletes, and so knows what is possible.
private struct OwnItems {
    let writer: Int
    private var ids: [ItemID] = []

    init(writer: Int) { self.writer = writer }

    /// The operations of the next transaction, of which the last leaves its number.
    mutating func change(_ transaction: Int, _ random: inout SplitMix64) -> [Diffable.Operation] {
        let content = Content(Array(#"{"n":\#(transaction)}"#.utf8))
        var operations: [Diffable.Operation] = []
        for turn in 0..<Int.random(in: 0...3, using: &random) {
            operations.append(operation("\(writer).\(transaction).\(turn)", &random))
        }
        operations.append(
            .reconfigureItems([ItemReconfiguration(id: Chronicle.mark(of: writer), content: content)]))
        return operations
    }

    private mutating func operation(_ name: String, _ random: inout SplitMix64) -> Diffable.Operation {
        let id = ItemID(stringLiteral: name)
        let own = ids.randomElement(using: &random)
        let section: SectionID = Bool.random(using: &random) ? "first" : "second"
        switch (Int.random(in: 0..<10, using: &random), own) {
        case (0, let own?):
            ids.removeAll { $0 == own }
            return .deleteItems([own])
        case (1, let own?), (2, let own?): return .moveItem(own, to: .end(of: .section(section)))
        case (3, let own?): return .moveItem(own, to: .before(Chronicle.mark(of: writer)))
        case (4, let own?): return .expandItems([own])
        case (5, let own?):
            return .reconfigureItems([ItemReconfiguration(id: own, content: Content(Array("true".utf8)))])
        case (6, _): ids.append(id); return .insertItems([Item(id: id)], at: .after(Chronicle.mark(of: writer)))
        default:
            ids.append(id)
            let padding = String(repeating: "x", count: Int.random(in: 0..<200, using: &random))
            return .appendItems([Item(id: id, content: Content(Array("\"\(padding)\"".utf8)))], to: .section(section))
        }
    }
}
