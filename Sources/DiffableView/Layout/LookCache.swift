import Diffable
import DiffableJSON
import Synchronization

/// Looks that were resolved for a frame and will be asked for again for the next one: an arrow key then parses nothing.
/// What it answers is what would be resolved anew. The columns of a table are the exception, see `TableColumns`.
final class LookCache: Sendable {
    struct ResolvedSection: Sendable {
        let record: Record
        let look: SectionLook
        let itemLooks: ItemLooks
    }

    struct ResolvedItem: Sendable {
        let record: Record
        let section: Record
        let look: ItemLook
        let content: ContentValue?
    }

    private struct State {
        var items: [ItemID: ResolvedItem] = [:]
        var sections: [SectionID: ResolvedSection] = [:]
        var columns: [SectionID: TableColumns] = [:]
        var resolvedCount = 0
        var wideningCount = 0
    }

    /// Of items, and of sections. What is over it begins anew.
    private static let countMax = 4096

    private let state = Mutex(State())
    private let wording: Document.Wording

    init(_ wording: Document.Wording) { self.wording = wording }

    /// How many items' looks were resolved so far.
    var resolvedCount: Int { state.withLock { $0.resolvedCount } }

    func section(_ section: Section, _ looks: Looks) -> ResolvedSection {
        if let known = state.withLock({ $0.sections[section.id] }), known.record.isShared(with: section.record) {
            return known
        }
        let content = section.content
        let resolved = ResolvedSection(
            record: section.record, look: looks.sectionLook(content),
            itemLooks: looks.items(inSectionWith: content))
        state.withLock { state in
            if state.sections.count >= Self.countMax { state.sections = [:] }
            state.sections[section.id] = resolved
        }
        return resolved
    }

    func item(_ item: Item, in section: ResolvedSection) -> ResolvedItem {
        if let known = state.withLock({ $0.items[item.id] }), known.record.isShared(with: item.record),
            known.section.isShared(with: section.record)
        {
            return known
        }
        let look = section.itemLooks.look(item)
        let resolved = ResolvedItem(
            record: item.record, section: section.record, look: wording == .spoken ? look.spoken : look,
            content: section.look.layout.sort == .table ? item.content.map { ContentValue($0) } : nil)
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

    /// A cell of a table was cut: from the next layout on its column has more room.
    func widen(_ section: SectionID, _ column: Int, to width: Int) {
        state.withLock { state in
            guard let wider = state.columns[section]?.widened(column, to: width) else { return }
            state.columns[section] = wider
            state.wideningCount += 1
        }
    }

    /// How often a column of a table became wider so far.
    var wideningCount: Int { state.withLock { $0.wideningCount } }
}
