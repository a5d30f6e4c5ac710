import Diffable
import DiffableJSON
import Synchronization

/// Caches resolved appearances for the next frame, so that an arrow key parses nothing. A cached value is always equal to a
/// newly resolved one, except for the columns of a table, see `TableColumns`.
final class LookCache: Sendable {
    struct ResolvedSection: Sendable {
        let record: Record
        let look: SectionLook
        let itemLooks: ItemLooks

        fileprivate func isCurrent(_ record: Record, at now: Int) -> Bool {
            self.record.isShared(with: record)
                && earlier(look.header?.changesAt, look.footer?.changesAt).map { now < $0 } ?? true
        }
    }

    struct ResolvedItem: Sendable {
        let record: Record
        let section: Record
        let look: ItemLook
        let content: ContentValue?

        fileprivate func isCurrent(_ record: Record, in section: Record, at now: Int) -> Bool {
            self.record.isShared(with: record) && self.section.isShared(with: section)
                && look.changesAt.map { now < $0 } ?? true
        }
    }

    private struct State {
        var items: [ItemID: ResolvedItem] = [:]
        var sections: [SectionID: ResolvedSection] = [:]
        var columns: [SectionID: TableColumns] = [:]
        var resolvedCount = 0
        var wideningCount = 0
    }

    /// The limit for items, and for sections. A full cache is emptied.
    private static let countMax = 4096

    private let state = Mutex(State())
    private let wording: Document.Wording

    init(_ wording: Document.Wording) { self.wording = wording }

    var resolvedCount: Int { state.withLock { $0.resolvedCount } }

    func section(_ section: Section, _ looks: Looks, _ clock: WallClock) -> ResolvedSection {
        if let known = state.withLock({ $0.sections[section.id] }), known.isCurrent(section.record, at: clock.now) {
            return known
        }
        let content = section.content
        let resolved = ResolvedSection(
            record: section.record, look: looks.sectionLook(content, clock),
            itemLooks: looks.items(inSectionWith: content))
        state.withLock { state in
            if state.sections.count >= Self.countMax { state.sections = [:] }
            state.sections[section.id] = resolved
        }
        return resolved
    }

    func item(_ item: Item, in section: ResolvedSection, _ clock: WallClock) -> ResolvedItem {
        if let known = state.withLock({ $0.items[item.id] }),
            known.isCurrent(item.record, in: section.record, at: clock.now)
        {
            return known
        }
        let look = section.itemLooks.look(item, clock)
        let resolved = ResolvedItem(
            record: item.record, section: section.record, look: wording == .spoken ? look.spoken : look,
            content: section.look.layout.kind == .table ? item.content.map { ContentValue($0) } : nil)
        state.withLock { state in
            if state.items.count >= Self.countMax { state.items = [:] }
            state.items[item.id] = resolved
            state.resolvedCount += 1
        }
        return resolved
    }

    /// The columns that were chosen for a table, as long as they are valid.
    func columns(
        _ section: SectionID, where isValid: (TableColumns) -> Bool, otherwise choose: (TableColumns?) -> TableColumns
    ) -> TableColumns {
        let known = state.withLock({ $0.columns[section] })
        if let known, isValid(known) { return known }
        let chosen = choose(known)
        state.withLock { state in
            if state.columns.count >= Self.countMax { state.columns = [:] }
            state.columns[section] = chosen
        }
        return chosen
    }

    /// Widens a column for the next layout, because one of its cells was cut.
    func widen(_ section: SectionID, _ column: Int, to width: Int) {
        state.withLock { state in
            guard let wider = state.columns[section]?.widened(column, to: width) else { return }
            state.columns[section] = wider
            state.wideningCount += 1
        }
    }

    var wideningCount: Int { state.withLock { $0.wideningCount } }
}
