import Diffable
import DiffableJSON
import DiffableProtocol

/// A whole list as operations in parts, as in a subscriber's first update and in `apply`.
struct WrittenSnapshot {
    private var parts: [[UInt8]] = []

    init(_ snapshot: Snapshot) {
        var operations = OperationsWriter(resetTo: snapshot)
        var progress = Progress.more
        while progress == .more {
            var writer = ByteWriter()
            writer.append(byte: UInt8(ascii: "["))
            progress = operations.write(into: &writer, upTo: 64 << 10)
            writer.append(byte: UInt8(ascii: "]"))
            parts.append(writer.bytes)
        }
    }

    func snapshot() throws -> Snapshot {
        try parts.reduce(Snapshot()) { snapshot, part in
            try snapshot.applying(try part.withUnsafeBytes { try [ListOperation](json: $0, limits: .journal) })
        }
    }
}

/// A flat list as in a checkpoint, without the headings: ids and contents in sequence.
struct StoredSnapshot {
    private var bytes: [UInt8] = []
    private var lengths: [(id: Int, content: Int)] = []

    init(_ snapshot: Snapshot) {
        var cursor = SnapshotCursor(snapshot)
        while let element = cursor.next() {
            guard case .item(let record, _, _, _) = element else { continue }
            record.withID { bytes.append(contentsOf: $0) }
            record.withContent { bytes.append(contentsOf: $0) }
            lengths.append((record.withID(\.count), record.contentLength))
        }
    }

    func snapshot() throws -> Snapshot {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        var builder = SnapshotBuilder()
        try "section".utf8.withContiguousStorageIfAvailable {
            try builder.append(section: UnsafeRawBufferPointer($0), content: none)
        }
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            for length in lengths {
                let content = offset + length.id
                builder.append(
                    item: UnsafeRawBufferPointer(rebasing: bytes[offset..<content]), kind: none,
                    content: UnsafeRawBufferPointer(rebasing: bytes[content..<content + length.content]), level: 0,
                    isExpanded: false)
                offset = content + length.content
            }
        }
        return try builder.finished()
    }
}

/// A client's transaction in a line of 300 bytes, and its processing.
struct TransactionLine {
    let bytes: [UInt8]

    init() {
        let before =
            #"{"id":7,"method":"transact","params":{"list":"tasks","operations":[{"op":"appendItems","section":"section","#
            + #""items":[{"id":"item-00012345678","kind":"task","content":{"text":""#
        let after = #"","done":false}}]}]}}"#
        let text = String(repeating: "x", count: 300 - before.utf8.count - after.utf8.count)
        bytes = Array((before + text + after).utf8)
    }

    var workloads: [(String, () throws -> Void)] {
        let operations = operations, list: ListName = "tasks"
        return [
            ("scan of a 300-byte line", { _ = try request() }),
            (
                "write of the same",
                {
                    var writer = ByteWriter()
                    NotificationWriter.writePrefix(.changes, subscription: 1, into: &writer)
                    var rest = NotificationWriter(changesOf: list, from: 1, to: 2, operations: operations)
                    precondition(rest.writeRest(into: &writer, lineLengthMax: 65_535) == .done)
                }
            ),
        ]
    }

    private var operations: [ListOperation] { (try? request().operations) ?? [] }

    private func request() throws -> Request.Transact { try bytes.withUnsafeBytes { try Self.request($0) } }

    static func request(_ line: UnsafeRawBufferPointer) throws -> Request.Transact {
        guard case .transact(let transact) = try DecodedRequest(line: line, limits: .server).request.get() else {
            preconditionFailure("the line is a transaction")
        }
        return transact
    }

    /// Does all of the daemon's work for a transaction on a volatile list, without sockets: returns the new state, and appends
    /// the lines for subscribers and the publisher.
    func carryOut(on snapshot: Snapshot, _ framer: inout LineFramer, _ sent: inout ByteWriter) throws -> Snapshot {
        bytes.withUnsafeBytes { framer.append($0) }
        "\n".utf8.withContiguousStorageIfAvailable { framer.append(UnsafeRawBufferPointer($0)) }
        let transact = try framer.next { line in
            guard case .line(let bytes) = line else { preconditionFailure("the line is not too long") }
            return try Self.request(bytes)
        }
        guard let transact else { preconditionFailure("the line is whole") }
        let new = try snapshot.applying(transact.operations)
        NotificationWriter.writePrefix(.changes, subscription: 1, into: &sent)
        var rest = NotificationWriter(
            changesOf: transact.list, from: 1, to: 2,
            operations: new.difference(from: snapshot, after: transact.operations))
        precondition(rest.writeRest(into: &sent, lineLengthMax: 65_535) == .done)
        let change = Reply.Change(list: transact.list, revision: 2, isChanged: true)
        Reply.change(change).write(id: .number(7), into: &sent)
        return new
    }
}
