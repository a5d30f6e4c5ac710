import Diffable
import DiffableJSON
import Testing

@testable import DiffableStore

/// The contents of a shared list's log.
struct SharedBatchTests {
    private func text(_ rows: [SharedRow], after position: SharedPosition = .beginning, revision: Int) -> [UInt8] {
        SharedBatch.text(rows, after: position, revision: revision)
    }

    private let row = SharedRow(
        operations: [.appendSections([Section(id: "s", items: [Item(id: "é\\\"", content: nil)])])], delivery: .reload,
        time: 1_763_763_525_000,
        origin: Origin(
            name: "diffablectl@alpha", processID: 4711, handler: ClientIdentity(name: nil, processID: 1, userID: 2)),
        request: SharedRow.KeyedResult(
            key: "k", digest: .min, summary: DifferenceSummary(countsText: "1,2,3")))

    @Test func `a batch is read as it was written`() throws {
        let position = SharedPosition(batch: 41, chain: SharedChain(value: 7))
        var row = row
        row.undoStep = UndoStep(from: 8, to: 6)
        let text = text([row, SharedRow(operations: [], time: 1, request: row.request)], after: position, revision: 9)
        let batch = try SharedBatch(text)
        #expect(SharedBatch.number(of: text) == 42)
        #expect(batch.number == 42 && batch.after == position.chain && batch.revision == 9 && batch.rows.count == 2)
        #expect(OperationsWriter.array(batch.rows[0].operations) == OperationsWriter.array(row.operations))
        #expect(batch.rows[0].delivery == .reload && batch.rows[1].delivery == .difference)
        #expect(batch.rows[0].time == row.time && batch.rows[0].origin == row.origin)
        #expect(batch.rows[0].request == row.request && batch.rows[1].request == row.request)
        #expect(batch.rows[0].undoStep == row.undoStep && batch.rows[1].undoStep == nil)
        #expect(batch.rows[1].origin == nil && batch.rows[1].operations.isEmpty)
    }

    @Test func `two batches are never the same text, and every byte counts for the chain`() {
        let (one, other) = (text([row], revision: 1), text([row], revision: 1))
        #expect(one != other)
        #expect(SharedPosition.beginning.following(one) != SharedPosition.beginning.following(other))
        var altered = one
        for index in altered.indices {
            altered[index] ^= 1
            #expect(SharedChain.beginning.linked(altered) != SharedChain.beginning.linked(one))
            altered[index] ^= 1
        }
    }

    @Test func `one of a later version is not read`() throws {
        let text = String(decoding: text([row], revision: 1), as: UTF8.self)
        let later = Array(text.replacing("\"version\":1", with: "\"version\":9").utf8)
        #expect(throws: SharedBatch.Unreadable.self) { try SharedBatch(later) }
        for end in stride(from: 0, to: text.utf8.count, by: 7) {
            #expect(throws: (any Error).self) { try SharedBatch(Array(text.utf8.prefix(end))) }
        }
    }

    @Test func `a batch says the first version that has all that is in it`() throws {
        let holder = SharedHolder(host: "al\"pha", life: "l", number: 7)
        var (governed, leased, ended) = (row, row, SharedRow(operations: [], time: 1))
        governed.access = SharedAccess(owner: "anna")
        leased.lease = holder
        ended.endedLease = holder
        for (rows, version) in [([row], 1), ([row, governed], 2), ([leased], 3), ([governed, ended], 3)] {
            let text = text(rows, revision: 1)
            #expect(String(decoding: text, as: UTF8.self).hasPrefix("{\"version\":\(version),"))
            let batch = try SharedBatch(text)
            #expect(batch.rows.map(\.lease) == rows.map(\.lease))
            #expect(batch.rows.map(\.endedLease) == rows.map(\.endedLease))
        }
    }

    /// Hosts with two versions may share a list.
    @Test func `what a later version wrote stops a replica where it is, and it goes on from there`() throws {
        let host = ScriptedHost("alpha")
        let first = text([row], revision: 1)
        host.tell([first])
        let position = SharedPosition.beginning.following(first)
        var changed = SharedRow(operations: [.appendItems([Item(id: "new")])], time: 1)
        let known = text([changed], after: position, revision: 2)
        changed.lease = SharedHolder(host: "beta", life: "l", number: 1)
        let next = String(decoding: text([changed], after: position, revision: 2), as: UTF8.self)
        let later = Array(next.replacing("\"version\":3", with: "\"version\":\(SharedBatch.version + 1)").utf8)
        let behind = text([row], after: position.following(later), revision: 3)
        for batches in [[later], [later, behind], [first, later]] {
            let report = try #require(host.tell(batches))
            #expect(!report.fits && report.state.position == position && report.state.revision == 1)
        }
        let state = Array("{\"version\":\(SharedBatch.version + 1),\"revision\":9,\"operations\":[]}".utf8)
        let end = SharedPosition(batch: 9, chain: SharedChain(value: 9))
        let report = try #require(host.tell { $0.part = Replication.Part(text: state, end: end) })
        #expect(!report.fits && report.state.position == position)
        #expect(host.items == ["é\\\""])
        do {
            _ = try SharedBatch(later)
            Issue.record("it was read")
        } catch {
            #expect("\(error)".contains("upgrade diffabled on this host"), "\(error)")
        }
        #expect(try #require(host.tell([known])).fits)
        #expect(host.items == ["é\\\"", "new"])
    }

    @Test func `a position is read as it was written`() {
        for value in [0, 1, 255, .max, UInt64.random(in: 0...UInt64.max)] {
            let position = SharedPosition(batch: 12, chain: SharedChain(value: value))
            #expect(SharedPosition("\(position)") == position)
            #expect(SharedChain("\(position.chain)") == position.chain)
        }
        for text in ["", "1", "1 2", "x 00f3a1b2c3d4e5f6", "1 +0f3a1b2c3d4e5f6", "-1 00f3a1b2c3d4e5f6"] {
            #expect(SharedPosition(text) == nil, "\(text)")
        }
    }
}

extension SharedBatch {
    static func text(_ rows: [SharedRow], after position: SharedPosition = .beginning, revision: Int) -> [UInt8] {
        var writer = ByteWriter()
        for (index, row) in rows.enumerated() {
            if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
            row.write(into: &writer)
        }
        return text(
            version: rows.map(\.version).max() ?? 1, after: position, revision: revision, host: "al\"pha", rows: writer,
            number: .random(in: 0...UInt64.max))
    }
}
