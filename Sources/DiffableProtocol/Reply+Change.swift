import Diffable
import DiffableJSON

extension Reply {
    /// The reply to `transact`, `apply`, `propose` and `undo`.
    package struct Change: Sendable {
        package var list: ListName
        /// Nil for a caller that may change the list but not read it.
        package var revision: Int?
        package var isChanged: Bool?
        package var summary: DifferenceSummary?
        /// Set for an undo or a redo.
        package var undoStep: UndoStep?
        /// The operations that a dry run would have made.
        package var operations: [ListOperation]?

        package init(
            list: ListName, revision: Int?, isChanged: Bool?, summary: DifferenceSummary? = nil,
            undoStep: UndoStep? = nil, operations: [ListOperation]? = nil
        ) {
            self.list = list
            self.revision = revision
            self.isChanged = isChanged
            self.summary = summary
            self.undoStep = undoStep
            self.operations = operations
        }
    }
}

extension Reply.Change {
    func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        if let revision { writer.appendMember("revision", revision) }
        if let isChanged { writer.append(isChanged ? #","changed":true"# : #","changed":false"#) }
        if let summary { writer.appendMember("summary", summary) }
        if let undoStep { writer.appendMember(undoStep) }
        if let operations {
            writer.append(#","operations":"#)
            writer.append(OperationsWriter.array(operations))
        }
    }
}

extension Reply.Change: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case list, revision, changed, summary, undo, redo, operations

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var revision: Int?
        var isChanged: Bool?
        var summary: DifferenceSummary?
        var undoStep: UndoStep?
        var operations: [ListOperation]?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .revision: revision = try decoder.wholeNumber("a count")
            case .changed: isChanged = try decoder.boolean("changed")
            case .summary: summary = try decoder.summary()
            case .undo, .redo: undoStep = try decoder.undoStep()
            case .operations: operations = try decoder.operations()
            }
        }
        self.init(
            list: try Self.needed(list, "list"), revision: revision, isChanged: isChanged, summary: summary,
            undoStep: undoStep, operations: operations)
    }
}

// MARK: - Counts

private enum SummaryMember: UInt8, IndexedMemberName {
    case insertedItems, deletedItems, movedItems, reconfiguredItems, reloadedItems, expandedItems, collapsedItems
    case insertedSections, deletedSections, movedSections, reloadedSections
    case reconfiguredList

    static let names = MemberNames(SummaryMember.self)
    static let texts = allCases.map(\.name)

    var count: WritableKeyPath<DifferenceSummary, Int> {
        switch self {
        case .insertedItems: \.insertedItems
        case .deletedItems: \.deletedItems
        case .movedItems: \.movedItems
        case .reconfiguredItems: \.reconfiguredItems
        case .reloadedItems: \.reloadedItems
        case .expandedItems: \.expandedItems
        case .collapsedItems: \.collapsedItems
        case .insertedSections: \.insertedSections
        case .deletedSections: \.deletedSections
        case .movedSections: \.movedSections
        case .reloadedSections: \.reloadedSections
        case .reconfiguredList: \.reconfiguredList
        }
    }
}

extension ByteWriter {
    mutating func appendMember(_ name: StaticString, _ summary: DifferenceSummary) {
        append(",\"")
        append(name)
        append("\":")
        appendNumbers(summary.counts)
    }
}

extension DifferenceSummary {
    /// The counts that are not zero, with their names in the protocol. The names are collected once, and no key paths are used:
    /// both take longer than a small transaction.
    fileprivate var counts: [(String, Int)] {
        let counts = [
            insertedItems, deletedItems, movedItems, reconfiguredItems, reloadedItems, expandedItems, collapsedItems,
            insertedSections, deletedSections, movedSections, reloadedSections, reconfiguredList,
        ]
        return zip(SummaryMember.texts, counts).filter { $0.1 > 0 }
    }
}

extension Decoder {
    mutating func summary() throws(DecodingError) -> DifferenceSummary {
        var summary = DifferenceSummary([], from: Snapshot(), to: Snapshot())
        try object("summary", SummaryMember.self) { member, decoder throws(DecodingError) in
            summary[keyPath: member.count] = try decoder.wholeNumber("a count")
        }
        return summary
    }
}
