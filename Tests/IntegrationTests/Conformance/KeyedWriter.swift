import Diffable
import DiffableJSON
import DiffableProtocol
import Foundation
import TestSupport

/// Changes a list in a sequence of transactions, and sends each again until it is answered. Repeats some after the answer, as a
/// client does after it lost an answer.
struct KeyedWriter {
    let participant: Participant
    let number: Int
    /// Whether it follows the list on the connection that it writes on.
    let isSubscribed: Bool

    /// Makes transactions until `operations` returns nil for the next number.
    func run(seed: UInt64, _ operations: (Int, inout SplitMix64) -> [ListOperation]?) throws {
        var random = SplitMix64(seed: seed)
        var sent: [(Chronicle.Transaction, request: String)] = []
        var next = request(1, operations(1, &random))
        var isRepeated = false
        while let request = next, var link = try participant.connect() {
            if isSubscribed, try !link.subscribe() { continue }
            guard let epoch = try epoch(on: &link) else { continue }
            var current: (Chronicle.Transaction, request: String)? = request
            while let transaction = current {
                guard try make(transaction, on: &link, epoch: epoch, isRepeated: isRepeated) else { break }
                isRepeated = false
                sent = sent.suffix(3) + [transaction]
                current = self.request(transaction.0.number + 1, operations(transaction.0.number + 1, &random))
                if random.next() % 16 == 0, let earlier = sent.randomElement(using: &random) {
                    guard try make(earlier, on: &link, epoch: epoch, isRepeated: true) else { break }
                }
                if random.next() % 16 == 0, try !read(on: &link) { break }
            }
            // After a lost connection, the client does not know whether the current one was sent.
            isRepeated = true
            next = current
        }
    }

    private func request(
        _ number: Int, _ operations: [ListOperation]?
    ) -> (Chronicle.Transaction, request: String)? {
        guard let operations else { return nil }
        var writer = ByteWriter()
        writer.append(#"{"id":1,"method":"transact","params":{"list":"#)
        writer.appendString(participant.list)
        writer.append(#","requestKey":"#)
        writer.appendString("\(self.number)-\(number)")
        writer.append(#","operations":"#)
        writer.append(OperationsWriter.array(operations))
        writer.append("}}")
        let transaction = Chronicle.Transaction(writer: self.number, number: number)
        return (transaction, String(decoding: writer.bytes, as: UTF8.self))
    }

    private func epoch(on link: inout Link) throws -> String? {
        try participant.state(on: &link)?.name.epoch
    }

    /// Returns false without an answer.
    private func make(
        _ transaction: (Chronicle.Transaction, request: String), on link: inout Link, epoch: String, isRepeated: Bool
    ) throws -> Bool {
        let answer = try link.answer(to: transaction.request)
        switch answer {
        case .result(let result)?:
            let change = try Reply.Change(json: result)
            let name = Chronicle.Name(epoch: epoch, revision: change.revision ?? -1)
            participant.note(
                change.isChanged == true
                    ? .acknowledged(transaction.0, name, isRepeated: isRepeated)
                    : .refused(transaction.0, error: #""changed":false"#, isRepeated: isRepeated), in: link.life)
            return true
        case .failure(let error)?:
            participant.note(.refused(transaction.0, error: error.message, isRepeated: isRepeated), in: link.life)
            return true
        case nil: return false
        }
    }

    private func read(on link: inout Link) throws -> Bool {
        let begun = participant.chronicle.count
        guard let state = try participant.state(on: &link) else { return false }
        participant.note(.read(state, begun: begun), in: link.life)
        return true
    }
}

/// The items that only one writer inserts, moves and deletes, so it knows which operations are possible.
struct OwnItems {
    private let writer: Int
    private var ids: [ItemID] = []

    init(of writer: Int) { self.writer = writer }

    /// Returns the operations of the next transaction; the last of them leaves its number.
    mutating func change(_ transaction: Int, _ random: inout SplitMix64) -> [ListOperation] {
        var operations: [ListOperation] = []
        for turn in 0..<Int.random(in: 0...3, using: &random) {
            operations.append(operation("\(writer).\(transaction).\(turn)", &random))
        }
        return operations + [Self.mark(writer, transaction)]
    }

    static func mark(_ writer: Int, _ transaction: Int) -> ListOperation {
        let content = Content(Array(#"{"n":\#(transaction)}"#.utf8))
        return .reconfigureItems([ItemReconfiguration(id: Chronicle.mark(of: writer), content: content)])
    }

    private mutating func operation(_ name: String, _ random: inout SplitMix64) -> ListOperation {
        let id = ItemID(stringLiteral: name)
        let own = ids.randomElement(using: &random)
        let section: SectionID = Bool.random(using: &random) ? "first" : "second"
        switch (Int.random(in: 0..<13, using: &random), own) {
        case (0, let own?), (1, let own?):
            ids.removeAll { $0 == own }
            return .deleteItems([own])
        case (2, let own?): return .moveItem(own, to: .end(of: .section(section)))
        case (3, let own?): return .moveItem(own, to: .front(of: .section(section)))
        case (4, let own?): return .moveItem(own, to: .before(Chronicle.mark(of: writer)))
        case (5, let own?): return .expandItems([own])
        case (6, let own?): return .appendItems([Item(id: id, content: content(&random))], to: .parent(own))
        case (7, let own?): return .reconfigureItems([ItemReconfiguration(id: own, content: content(&random))])
        case (8, let own?):
            return .reloadItems([ItemReload(id: own, kind: .some("kind"), content: content(&random))])
        // These have no owner, and are possible at any time.
        case (12, _): return .reconfigureList(Bool.random(using: &random) ? content(&random) : nil)
        case (9, _):
            ids.append(id)
            return .insertItems([Item(id: id)], at: .after(Chronicle.mark(of: writer)))
        default:
            ids.append(id)
            return .appendItems([Item(id: id, content: content(&random))], to: .section(section))
        }
    }

    private func content(_ random: inout SplitMix64) -> Content {
        let text = String(repeating: "x", count: Int.random(in: 0..<200, using: &random))
        return Content(Array(#"{"text":"\#(text)","shown":\#(Bool.random(using: &random))}"#.utf8))
    }
}
