import Diffable
import DiffableJSON

/// Writes a `transact`, a `propose` or an `apply` of any length, in as many lines as needed. Only the last part has the id, so
/// only the whole request gets a reply. Each part repeats everything except the operations.
package struct RequestWriter: Sendable {
    private let method: Method
    private let head: [UInt8]
    private var operations: Operations
    private var hasWrittenPart = false

    package enum Operations: Sendable {
        case values(OperationsWriter)
        /// JSON text from a file.
        case text(OperationsText)

        fileprivate mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
            switch self {
            case .values(var operations):
                defer { self = .values(operations) }
                return operations.write(into: &writer, upTo: limit)
            case .text(var operations):
                defer { self = .text(operations) }
                return operations.write(into: &writer, upTo: limit)
            }
        }
    }

    package init(
        transact list: ListName, _ operations: Operations, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        lease: LeaseTerm? = nil, mode: TransactionMode = .commit
    ) {
        var writer = ByteWriter()
        writer.appendParameter("list", list)
        writer.appendChangeOptions(
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode, part: .whole)
        self.method = .transact
        self.head = writer.bytes
        self.operations = operations
    }

    /// `timeout` is a number of milliseconds; nil: the daemon's default.
    package init(
        propose list: ListName, _ operations: Operations, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        lease: LeaseTerm? = nil, mode: TransactionMode = .commit, timeout: Int? = nil
    ) {
        var writer = ByteWriter()
        writer.appendParameter("list", list)
        writer.appendChangeOptions(
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode, part: .whole)
        if let timeout { writer.appendParameter("timeout", timeout) }
        self.method = .propose
        self.head = writer.bytes
        self.operations = operations
    }

    /// The operations make the new state from nothing: of the list, or of the section's items. They mark collapsed items
    /// explicitly, if that matters: `OperationsWriter(_, expansion: .asSaid)`.
    package init(
        apply list: ListName, _ operations: Operations, section: SectionID? = nil,
        delivery: Delivery = .difference, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        lease: LeaseTerm? = nil, mode: TransactionMode = .commit
    ) {
        var writer = ByteWriter()
        writer.appendParameter("list", list)
        if let section { writer.appendParameter("section", section) }
        if delivery == .reload { writer.appendParameter("usingReloadData", true) }
        writer.appendChangeOptions(
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode, part: .whole)
        self.method = .apply
        self.head = writer.bytes
        self.operations = operations
    }

    /// Writes one line of at most `lineLengthMax` bytes with its newline. `.more` means that another must follow.
    package mutating func write(id: RequestID, into writer: inout ByteWriter, lineLengthMax: Int) -> Progress {
        // The end is written last, and is `],"more":true}}`, or with the id `]}` or, after other parts, `],"more":false}`.
        var end = ByteWriter()
        if id != .absent {
            end.append(#","id":"#)
            end.append(id)
        }
        end.append("}\n")
        let endOfLast: StaticString = "],\"more\":false}"
        let endLengthMax = endOfLast.utf8CodeUnitCount + end.count
        let limit = lineLengthMax == .max ? .max : writer.count + lineLengthMax - endLengthMax
        writer.beginRequest(method, id: .absent)
        writer.append(head)
        writer.append(#","operations":["#)
        guard operations.write(into: &writer, upTo: limit) == .done else {
            writer.append("],\"more\":true}}\n")
            hasWrittenPart = true
            return .more
        }
        writer.append(hasWrittenPart ? endOfLast : "]}")
        writer.append(end)
        return .done
    }
}
