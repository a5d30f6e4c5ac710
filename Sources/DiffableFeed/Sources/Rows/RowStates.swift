import Diffable
import DiffableInput

/// Builds the successive states of a list from a source that delivers all of its rows each time.
///
/// Rows with the same bytes as in the last state are not parsed again. The new state is made from the last one by operations,
/// and shares memory with it, so the cost depends on the number of changed rows. The whole state is built again if many rows
/// differ, if sections appear or vanish, if rows with parents are inserted, deleted or moved, and if any row is invalid. Errors
/// are reported only then.
struct RowStates {
    typealias CompleteContent = @Sendable (_ content: Content?, _ id: ItemID) throws(FeedError) -> Content?

    struct LastState {
        var images: RawRows
        var fields: RowFields
        /// In the list's order.
        var sections: [SectionID]
        /// The index of each row's section; empty if no field names a section.
        var sectionOfRow: [Int32]
        var snapshot: Snapshot

        var sectionNumbers: [SectionID: Int32] {
            Dictionary(uniqueKeysWithValues: zip(sections, (0 as Int32)...))
        }

        func id(of number: Int) throws -> ItemID { try fields.id(of: images.row(number), among: images.count) }
    }

    private let mapping: RowMapping
    private let complete: CompleteContent
    private var last: LastState?

    init(_ mapping: RowMapping, complete: @escaping CompleteContent) {
        self.mapping = mapping
        self.complete = complete
    }

    /// The list of these rows, with nothing expanded. If it throws, the last state is kept.
    mutating func state(of images: RawRows) throws(FeedError) -> Snapshot {
        if let new = advanced(to: images) {
            last = new
            return new.snapshot
        }
        let new = try build(from: images)
        last = new
        return new.snapshot
    }

    /// Nil if the whole state has to be built again, or cannot be built.
    func advanced(to images: RawRows) -> LastState? {
        guard let last, last.images.columns == images.columns, images.count > 0, last.images.count > 0 else {
            return nil
        }
        if last.images.bytes == images.bytes, last.images.ends == images.ends { return last }
        guard let alignment = RowAlignment(of: images, from: last.images) else { return nil }
        var advance = RowAdvance(from: last, to: images, alignment, complete: complete)
        // Errors are reported when the whole state is built.
        do { return try advance.result() } catch { return nil }
    }

    // MARK: - From nothing

    private func build(from images: RawRows) throws(FeedError) -> LastState {
        do {
            var rows: [Row] = []
            rows.reserveCapacity(images.count)
            for index in 0..<images.count { rows.append(try images.row(index)) }
            let builder = try ItemBuilder(
                of: rows, columns: images.columns, fields: mapping.fields, orphans: mapping.orphans)
            let sections = try builder.sections().map {
                Section(id: $0.id, items: try $0.items.completed(by: complete))
            }
            var last = LastState(
                images: images, fields: builder.fields, sections: sections.map(\.id), sectionOfRow: [],
                snapshot: try Snapshot(sections, limits: .none))
            if mapping.fields.section != nil, mapping.fields.parent == nil {
                let numbers = last.sectionNumbers
                for row in rows { last.sectionOfRow.append(numbers[try builder.fields.section(of: row)] ?? 0) }
            }
            return last
        } catch let error as FeedError {
            throw error
        } catch let error as InputError {
            throw FeedError(error, at: images.place)
        } catch {
            throw FeedError("\(images.place)\(error)")
        }
    }
}

extension [Item] {
    func completed(by complete: RowStates.CompleteContent) throws(FeedError) -> [Item] {
        var completed: [Item] = []
        completed.reserveCapacity(count)
        for item in self {
            completed.append(
                Item(
                    id: item.id, kind: item.kind, content: try complete(item.content, item.id),
                    isExpanded: item.isExpanded, children: try item.children.completed(by: complete)))
        }
        return completed
    }
}
