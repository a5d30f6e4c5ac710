import Diffable

/// How far a writer came.
package enum Progress: Sendable {
    /// There is more to write: call again.
    case more
    case done
}

/// Writes operations as JSON, in parts of limited length.
///
/// Long operations are split between items: a run is continued by another operation of its kind, the items of an
/// outline by operations that name their parent and their neighbour. Applied one after the other, the parts do what
/// the operations do. Only `replaceChildren` is never split, because its difference needs all of the children; and
/// a `deleteItems` that names an item and also its descendant must fit one part, because in the next the descendant
/// is gone. (No difference has either.)
///
/// Nothing but one element is ever held beside what was asked for, so a million items cost no more memory than ten.
package struct OperationsWriter: Sendable {
    private var source: Source
    /// The operation that is being written.
    private var run: Run?
    private let expansion: Expansion

    /// What is said of items that are not expanded.
    package enum Expansion: Sendable {
        /// Nothing: new items are collapsed.
        case canonical
        /// `"expanded":false` where the operation says so: for an `apply`, where nothing said keeps what was.
        case asSaid
    }

    private enum Source: Sendable {
        case operations([Operation], next: Int)
        /// The run is all there is.
        case reset
    }

    package init(_ operations: [Operation], expansion: Expansion = .canonical) {
        self.source = .operations(operations, next: 0)
        self.expansion = expansion
    }

    /// What makes the snapshot from an empty list: `appendSections` without items, then their items by
    /// `appendItems`.
    package init(resetTo snapshot: Snapshot) {
        self.source = .reset
        self.run = .elements(ElementRun(.snapshot(SnapshotCursor(snapshot)), form: .append(.lastSection)))
        self.expansion = .canonical
    }

    /// Writes as many operations, separated by commas, as fit until the writer holds `limit` bytes; one element at
    /// least. `.done` comes exactly when nothing is left.
    package mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        var part = Part(writer: writer, limit: limit, expansion: expansion)
        // The writer's storage moves into the part and back, so that it is never copied.
        writer = ByteWriter()
        defer { writer = part.writer }
        while true {
            if run == nil {
                guard case .operations(let operations, let next) = source, next < operations.count else { return .done }
                source = .operations(operations, next: next + 1)
                if part.writeAtOnce(operations[next]) { continue }
                run = Run(operations[next])
            }
            // No element was left out for want of room, so the run is at its end.
            guard run!.write(into: &part) == .done else { return .more }
            run = nil
        }
    }

    /// All operations at once, with brackets around them.
    package static func array(_ operations: [Operation]) -> [UInt8] {
        var writer = ByteWriter()
        var operations = OperationsWriter(operations)
        _ = operations.writeArray(into: &writer, upTo: .max)
        return writer.bytes
    }

    /// Writes a JSON array of as many operations as fit until the writer holds `limit` bytes; one element at least.
    package mutating func writeArray(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        writer.append(byte: UInt8(ascii: "["))
        let progress = write(into: &writer, upTo: limit - 1)
        writer.append(byte: UInt8(ascii: "]"))
        return progress
    }
}

extension OperationsWriter {
    /// One part in the making.
    struct Part {
        var writer: ByteWriter
        let limit: Int
        let expansion: Expansion
        /// Whether an operation stands in it already: a comma is due, and what does not fit can wait.
        var isEmpty = true

        /// Begins an operation, up to its first member.
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

    /// One operation being written, kept between parts.
    enum Run: Sendable {
        /// Brings sections or items.
        case elements(ElementRun)
        /// Names ids, with or without something new.
        case list(ListRun)
        /// Cannot be split.
        case single(Operation)

        init(_ operation: Operation) {
            switch operation {
            case .appendSections(let sections):
                self = .elements(ElementRun(.tree(TreeCursor(sections)), form: .append(.lastSection)))
            case .insertSections(let sections, let position):
                self = .elements(ElementRun(.tree(TreeCursor(sections)), form: .insertSections(position)))
            case .appendItems(let items, let container), .insertItems(let items, .end(let container)):
                self = .elements(ElementRun(.tree(TreeCursor(items)), form: .append(container)))
            case .insertItems(let items, let position):
                self = .elements(ElementRun(.tree(TreeCursor(items)), form: .insertItems(position)))
            case .moveSection, .deleteAllItems, .moveItem, .replaceChildren: self = .single(operation)
            default: self = .list(ListRun(operation))
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
