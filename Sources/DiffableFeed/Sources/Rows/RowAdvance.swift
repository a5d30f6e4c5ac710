import Diffable
import DiffableInput

/// One step from a state of rows to the next, as operations for the rows that differ. Unchanged rows keep their items; each other
/// row changes an item or inserts one. Deletions happen first. Then the rows are visited in their new order: as many as possible
/// stay in place, and each of the others is moved after its predecessor in its section.
struct RowAdvance {
    private struct ChangedRow {
        var id: ItemID
        var section: Int32
        var content: Content?
        /// The number of the row that had this id; nil for a new id.
        var old: Int?
    }

    private let last: RowStates.LastState
    private let images: RawRows
    private let alignment: RowAlignment
    private let complete: RowStates.CompleteContent
    private var others: [Int: ChangedRow] = [:]
    /// The ids whose rows have vanished, in the last order.
    private var deleted: [ItemID] = []

    init(
        from last: RowStates.LastState, to images: RawRows, _ alignment: RowAlignment,
        complete: @escaping RowStates.CompleteContent
    ) {
        self.last = last
        self.images = images
        self.alignment = alignment
        self.complete = complete
    }

    /// The new state; nil if it has to be built from all rows, which also happens if a row is invalid.
    mutating func result() throws -> RowStates.LastState? {
        // The first row may determine the field of the id.
        guard try last.fields.isSame(firstRow: images.row(0), columns: images.columns), try readOthers() else {
            return nil
        }
        return try last.fields.named.parent == nil ? rearranged() : changedInPlace()
    }

    // MARK: - Reading

    /// Returns whether every id is unique and every section is known.
    private mutating func readOthers() throws -> Bool {
        let sections = last.sectionNumbers
        var left: [ItemID: Int] = [:]
        var order: [ItemID] = []
        for number in alignment.rest.joined() {
            let id = try last.id(of: number)
            left[id] = number
            order.append(id)
        }
        var new: Set<ItemID> = []
        for part in alignment.parts where part.old == nil {
            let row = try images.row(part.start)
            let id = try last.fields.id(of: row, among: images.count)
            let old = left.removeValue(forKey: id)
            // The id of a vanished row is in `left`, so any other known id belongs to an unchanged row.
            guard old != nil || !last.snapshot.contains(id), new.insert(id).inserted else { return false }
            guard let section = sections[try last.fields.section(of: row)] else { return false }
            let content = try complete(last.fields.content(of: row), id)
            others[part.start] = ChangedRow(id: id, section: section, content: content, old: old)
        }
        deleted = order.filter { left[$0] != nil }
        return true
    }

    private func id(of number: Int) throws -> ItemID {
        if let other = others[number] { return other.id }
        return try last.fields.id(of: images.row(number), among: images.count)
    }

    private var changes: [ItemReconfiguration] {
        others.sorted { $0.key < $1.key }.compactMap { _, other in
            other.old == nil ? nil : ItemReconfiguration(id: other.id, content: .some(other.content))
        }
    }

    // MARK: - With parents

    /// The new state if only contents changed and every row kept its place; nil otherwise.
    private func changedInPlace() throws -> RowStates.LastState? {
        let isInPlace = alignment.parts.allSatisfy { ($0.old ?? others[$0.start]?.old) == $0.start }
        guard isInPlace, images.count == last.images.count else { return nil }
        for number in others.keys {
            let (row, old) = (try images.row(number), try last.images.row(number))
            guard try last.fields.parent(of: row) == last.fields.parent(of: old),
                try last.fields.section(of: row) == last.fields.section(of: old)
            else { return nil }
        }
        return applied([.reconfigureItems(changes)], [])
    }

    // MARK: - Without parents

    private func rearranged() throws -> RowStates.LastState? {
        let sectionOfRow = sectionOfRows()
        guard keepsSections(sectionOfRow) else { return nil }
        var operations: [ListOperation] = deleted.isEmpty ? [] : [.deleteItems(deleted)]
        operations += try placements(sectionOfRow)
        let changes = changes
        if !changes.isEmpty { operations.append(.reconfigureItems(changes)) }
        return applied(operations, sectionOfRow)
    }

    /// Empty if no field names a section.
    private func sectionOfRows() -> [Int32] {
        guard !last.sectionOfRow.isEmpty else { return [] }
        var sections: [Int32] = []
        sections.reserveCapacity(images.count)
        for part in alignment.parts {
            if let old = part.old {
                sections += last.sectionOfRow[old..<old + part.count]
            } else {
                sections.append(others[part.start]?.section ?? 0)
            }
        }
        return sections
    }

    /// Whether the sections and their order are the same. They are in the order of their first rows.
    private func keepsSections(_ sectionOfRow: [Int32]) -> Bool {
        guard !sectionOfRow.isEmpty else { return true }
        var count: Int32 = 0
        for section in sectionOfRow where section >= count {
            if section > count { return false }
            count += 1
        }
        return count == last.sections.count
    }

    private func staying() -> [Bool] {
        var ordinals: [Int32] = []
        for part in alignment.parts {
            let other = others[part.start]
            let isElsewhere = other?.old.map { $0 < last.sectionOfRow.count && last.sectionOfRow[$0] != other?.section }
            ordinals.append(isElsewhere == true ? -1 : Int32(part.old ?? other?.old ?? -1))
        }
        return heaviestIncreasingSubsequence(ordinals: ordinals, weights: alignment.parts.map { UInt32($0.count) })
    }

    private func placements(_ sectionOfRow: [Int32]) throws -> [ListOperation] {
        var operations: [ListOperation] = []
        var ends = [Int?](repeating: nil, count: last.sections.count)
        for (part, isStaying) in zip(alignment.parts, staying()) {
            if isStaying, sectionOfRow.isEmpty {
                ends[0] = part.range.last
                continue
            }
            for number in part.range {
                let section = sectionOfRow.isEmpty ? 0 : Int(sectionOfRow[number])
                defer { ends[section] = number }
                if isStaying { continue }
                let position: ItemPosition =
                    try ends[section].map { .after(try id(of: $0)) } ?? .front(of: .section(last.sections[section]))
                if let other = others[number], other.old == nil {
                    operations.append(.insertItems([Item(id: other.id, content: other.content)], at: position))
                } else {
                    operations.append(.moveItem(try id(of: number), to: position))
                }
            }
        }
        return operations
    }

    private func applied(_ operations: [ListOperation], _ sectionOfRow: [Int32]) -> RowStates.LastState {
        do {
            let snapshot = try last.snapshot.applying(operations, limits: .none)
            return RowStates.LastState(
                images: images, fields: last.fields, sections: last.sections, sectionOfRow: sectionOfRow,
                snapshot: snapshot)
        } catch {
            preconditionFailure("rows that are the same as before were elsewhere: \(error)")
        }
    }
}
