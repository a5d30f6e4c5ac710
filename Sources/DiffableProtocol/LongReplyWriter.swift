import DiffableJSON

/// Writes a reply of many elements as one line, in pages of limited length.
package struct LongReplyWriter {
    private var parts: ReplyParts
    private var head: [UInt8]

    /// Nil for a reply without elements, and for a request without an id.
    package init?(_ reply: Reply, id: RequestID) {
        guard id != .absent, let parts = reply.parts else { return nil }
        self.parts = parts
        var writer = ByteWriter()
        writer.beginReply(id)
        writer.append(#","result":{"#)
        head = writer.bytes
    }

    /// Writes at least one part, and more until the writer holds `limit` bytes. Returns `.done` with the end of the line.
    package mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        writer.append(head)
        head = []
        while parts.writeNext(into: &writer) {
            if writer.count >= limit { return .more }
        }
        writer.append("}}\n")
        return .done
    }

    /// The approximate memory of the reply, in bytes. O(1).
    package var lengthHeld: Int { parts.count * 256 }
}

/// A reply's members as parts. Each part has at most one element.
struct ReplyParts {
    private enum Part {
        case one((inout ByteWriter) -> Void)
        case several(Int, (Int, inout ByteWriter) -> Void)
    }

    private var parts: [Part] = []
    private var position = 0
    private var elementsWritten = 0
    private(set) var count = 0

    mutating func append(_ write: @escaping (inout ByteWriter) -> Void) {
        parts.append(.one(write))
        count += 1
    }

    mutating func append<Element>(_ elements: [Element], _ write: @escaping (Element, inout ByteWriter) -> Void) {
        let several = Part.several(elements.count) { index, writer in
            if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
            write(elements[index], &writer)
        }
        parts.append(several)
        count += elements.count
    }

    /// Writes the next part; false if all are written.
    mutating func writeNext(into writer: inout ByteWriter) -> Bool {
        while position < parts.count {
            switch parts[position] {
            case .one(let write):
                position += 1
                write(&writer)
                return true
            case .several(let count, let write):
                if elementsWritten < count {
                    write(elementsWritten, &writer)
                    elementsWritten += 1
                    return true
                }
                position += 1
                elementsWritten = 0
            }
        }
        return false
    }
}

extension Reply {
    /// Nil for a reply without elements.
    var parts: ReplyParts? {
        switch self {
        case .lists(let lists): ListSummary.parts(lists)
        case .followLists(let follow): follow.parts
        case .deletedLists(let lists): DeletedList.parts(lists)
        case .clients(let clients): Client.parts(clients)
        case .history(let history): history.parts
        default: nil
        }
    }
}
