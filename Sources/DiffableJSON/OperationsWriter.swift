import Diffable

package enum Progress: Sendable {
    case more
    case done
}

/// Writes operations as JSON, in parts of limited length.
///
/// Long operations are split between items: another operation of the same kind continues with the rest. The items of an outline
/// are continued by operations that name their parent and the sibling before them. Applied one after the other, the parts have
/// the same effect as the operations. Two cases are not split. `replaceChildren` needs all children for its diff. A
/// `deleteItems` that names an item and also its descendant must fit one part, because in the next part the descendant is
/// already deleted. (No diff has either.)
///
/// The writer holds one element besides its output, so a million items cost no more memory than ten.
package struct OperationsWriter: Sendable {
    /// The list's own content until it is written, before everything else.
    private var content: Content?
    private let operations: [ListOperation]
    private var next = 0
    private var run: Run?
    private let expansion: Expansion

    package enum Expansion: Sendable {
        /// Nothing: new items are collapsed.
        case canonical
        /// `"expanded":false` where the operation has it. An `apply` needs this, because there a missing member keeps the old
        /// expansion.
        case asSaid
    }

    package init(_ operations: [ListOperation], expansion: Expansion = .canonical) {
        self.operations = operations
        self.expansion = expansion
    }

    /// The operations that make the snapshot from an empty list: `reconfigureList` if the list has content of its own,
    /// `appendSections` without items, and then `appendItems`.
    package init(resetTo snapshot: Snapshot) {
        self.content = snapshot.content
        self.operations = []
        self.run = .elements(ElementRun(.snapshot(SnapshotCursor(snapshot)), form: .append(.lastSection)))
        self.expansion = .canonical
    }

    /// Writes as many operations, separated by commas, as fit until the writer holds `limit` bytes; at least one element.
    /// `.done` is returned exactly when nothing is left.
    package mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        var part = Part(writer: writer, limit: limit, expansion: expansion)
        // The writer's storage moves into the part and back, so that it is never copied.
        writer = ByteWriter()
        defer { writer = part.writer }
        if let content {
            self.content = nil
            // It is the first of its part, so there is room for it.
            _ = part.write(.reconfigureList(content))
        }
        while true {
            if run == nil {
                guard next < operations.count else { return .done }
                next += 1
                if part.writeAtOnce(operations[next - 1]) { continue }
                run = Run(operations[next - 1])
            }
            // No element was left out for lack of room, so the run is at its end.
            guard run!.write(into: &part) == .done else { return .more }
            run = nil
        }
    }

    package static func array(_ operations: [ListOperation]) -> [UInt8] {
        var writer = ByteWriter()
        var operations = OperationsWriter(operations)
        _ = operations.writeArray(into: &writer, upTo: .max)
        return writer.bytes
    }

    /// Writes a JSON array of as many operations as fit until the writer holds `limit` bytes; at least one element.
    package mutating func writeArray(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        writer.append(byte: UInt8(ascii: "["))
        let progress = write(into: &writer, upTo: limit - 1)
        writer.append(byte: UInt8(ascii: "]"))
        return progress
    }
}

extension OperationsWriter {
    struct Part {
        var writer: ByteWriter
        let limit: Int
        let expansion: Expansion
        /// False if the part already has an operation: then the next one needs a comma, and may wait for the next part.
        var isEmpty = true

        mutating func begin(_ verb: StaticString) {
            if !isEmpty { writer.append(byte: UInt8(ascii: ",")) }
            writer.append(#"{"op":""#)
            writer.append(verb)
            writer.append(byte: UInt8(ascii: "\""))
        }

        mutating func appendMember(_ name: StaticString) {
            writer.append(",\"")
            writer.append(name)
            writer.append("\":")
        }

        mutating func appendMember(_ name: StaticString, identifier: Record) {
            appendMember(name)
            writer.appendString(identifier: identifier)
        }

        /// `null` for nil.
        mutating func appendMember(_ name: StaticString, identifier: Record?) {
            guard let identifier else {
                appendMember(name)
                return writer.append("null")
            }
            appendMember(name, identifier: identifier)
        }
    }

    enum Run: Sendable {
        case elements(ElementRun)
        case list(ListRun)
        case single(ListOperation)

        init(_ operation: ListOperation) {
            switch operation {
            case .appendSections(let sections):
                self = .elements(ElementRun(.tree(TreeCursor(sections)), form: .append(.lastSection)))
            case .insertSections(let sections, let position):
                self = .elements(ElementRun(.tree(TreeCursor(sections)), form: .insertSections(position)))
            case .appendItems(let items, let container), .insertItems(let items, .end(let container)):
                self = .elements(ElementRun(.tree(TreeCursor(items)), form: .append(container)))
            case .insertItems(let items, let position):
                self = .elements(ElementRun(.tree(TreeCursor(items)), form: .insertItems(position)))
            case .reconfigureList, .patchList, .moveSection, .deleteAllItems, .moveItem, .replaceChildren:
                self = .single(operation)
            case .deleteSections, .reloadSections, .deleteItems, .reconfigureItems, .patchItems, .reloadItems,
                .expandItems, .collapseItems, .foldItems, .unfoldItems:
                self = .list(ListRun(operation))
            }
        }

        mutating func write(into part: inout Part) -> Progress {
            switch self {
            case .elements(var run):
                // Taken out and put back, so that its arrays are not copied.
                self = .single(.deleteAllItems)
                defer { self = .elements(run) }
                return run.write(into: &part)
            case .list(var run):
                self = .single(.deleteAllItems)
                defer { self = .list(run) }
                return run.write(into: &part)
            case .single(let operation):
                return part.write(operation)
            }
        }
    }
}
