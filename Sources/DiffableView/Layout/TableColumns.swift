import Diffable
import DiffableJSON

/// The columns of a table and their widths.
///
/// They are derived from the section's first items when it is drawn for the first time, and then stay, because moving columns
/// would make a table unreadable. They are chosen again when the section's content changes, when the screen is resized, and
/// while the table has fewer items than are sampled. When the user moves to other rows, columns become as wide as needed, if
/// there is room, and stay so. Changes by others widen no column.
///
/// If there is no room for all, the user can scroll past the columns after the first, which stays.
struct TableColumns: Sendable {
    struct Column: Sendable {
        /// The index among all columns of the table.
        var index: Int
        var source: TableColumn
        var alignment: TableColumn.Alignment
        var columns: Range<Int>
    }

    var columns: [Column]
    /// The widths that the cells drawn so far need. They never decrease.
    private(set) var natural: [Int] = []
    /// All columns, including those without room.
    private var wantedColumns: [Column] = []
    private let isFixed: [Bool]
    /// The number of columns after the first that are scrolled past.
    private(set) var passed = 0
    let section: Record
    /// The columns of the section's rows.
    let content: Range<Int>
    /// The columns of the cells, without the slots at the end.
    let area: Range<Int>
    let sampled: Int

    static let sampleCount = 32
    /// The limit of a column's width, on any screen.
    static let widthMax = 48
    /// A narrower column is unreadable.
    private static let widthMin = 8
    static let countMax = 64
    private static let gap = 2
}

extension Composer {
    func tableColumns(_ plan: SectionPlan) -> TableColumns {
        let sampled = min(snapshot.numberOfRootItems(inSection: plan.id) ?? 0, TableColumns.sampleCount)
        let passed = viewport.passedColumns[plan.id] ?? 0
        func isValid(_ known: TableColumns) -> Bool {
            known.section.isShared(with: plan.resolved.record) && known.content == plan.geometry.content
                && known.sampled >= sampled
        }
        return document.cache.columns(plan.id) { known in
            isValid(known) && known.passed == known.clampedScroll(passed)
        } otherwise: { known in
            if let known, isValid(known) { return known.scrolled(to: passed) }
            let items = (0..<sampled).compactMap { index in
                snapshot.itemIdentifier(at: [plan.index, index]).flatMap { resolved($0, plan) }
            }
            let leading = leadingWidth(plan.traits) + (plan.traits.isOutline ? 6 : 0)
            let chosen = TableColumns(
                plan.look.columns ?? TableColumns.members(items), items,
                plan: plan, leading: leading, viewport)
            guard let known, known.section.isShared(with: chosen.section), known.content == chosen.content else {
                return chosen.scrolled(to: passed)
            }
            return chosen.keepingWidths(of: known).scrolled(to: passed)
        }
    }
}

extension TableColumns {
    static func members(_ items: [LookCache.ResolvedItem]) -> [TableColumn] {
        var names: [String] = []
        for item in items {
            guard case .object(let members)? = item.content else { continue }
            for member in members where !signs.contains(member.name) && names.count < 12 {
                switch member.value {
                case .text, .number, .boolean: if !names.contains(member.name) { names.append(member.name) }
                case .null, .array, .object: break
                }
            }
        }
        if names.isEmpty { return [TableColumn(path: "", title: "")] }
        return names.map { TableColumn(path: TableColumn.pointer(naming: $0), title: harmlessText($0)) }
    }

    /// Members that are drawn outside the cells.
    private static let signs: Set<String> = [
        "icon", "image", "badge", "tint", "progress", "checked", "urgent", "enabled", "lines", "hasChildren",
        "canReorder",
        "accessibilityLabel", "tooltip", "keywords",
    ]

    init(
        _ wanted: [TableColumn], _ items: [LookCache.ResolvedItem], plan: Composer.SectionPlan,
        leading: Int, _ viewport: Viewport
    ) {
        section = plan.resolved.record
        content = plan.geometry.content
        area = content.lowerBound..<content.upperBound - plan.traits.trailingSlots.width(in: content.count)
        sampled = items.count
        var widths: [Int] = []
        columns = []
        isFixed = wanted.prefix(Self.countMax).map { $0.width != nil }
        for (index, column) in wanted.prefix(Self.countMax).enumerated() {
            var width = columnCount(of: column.title, limit: Self.widthMax)
            var isOfNumbers = !items.isEmpty
            for item in items {
                let cell = Self.cell(column, item, viewport)
                width = max(width, columnCount(of: cell.text, limit: Self.widthMax))
                isOfNumbers = isOfNumbers && cell.isNumber != false
            }
            if index == 0 { width += leading }
            widths.append(min(column.width ?? width, area.count))
            columns.append(
                Column(
                    index: index, source: column, alignment: column.alignment ?? (isOfNumbers ? .right : .left),
                    columns: 0..<0))
        }
        natural = widths
        wantedColumns = columns
        layOut()
    }

    /// Makes room for a cut cell; nil if nothing would change. `width` is the cell's, with its leading part.
    func widened(_ index: Int, to width: Int) -> TableColumns? {
        let width = min(width, Self.widthMax, area.count)
        guard !isFixed[index], natural[index] < width else { return nil }
        var widths = natural
        widths[index] = width
        return withWidths(widths)
    }

    /// Prevents columns from becoming narrower because more of the first rows are sampled.
    fileprivate func keepingWidths(of known: TableColumns) -> TableColumns {
        guard known.paths == paths else { return self }
        return withWidths(zip(natural, known.natural).map { min(max($0, $1), area.count) })
    }

    private func withWidths(_ widths: [Int]) -> TableColumns {
        var next = self
        next.natural = widths
        next.layOut()
        return next
    }

    /// At least one column after the first is visible.
    fileprivate func clampedScroll(_ count: Int) -> Int { max(min(count, wantedColumns.count - 2), 0) }

    fileprivate func scrolled(to count: Int) -> TableColumns {
        var next = self
        next.passed = clampedScroll(count)
        next.layOut()
        return next
    }

    /// Whether scrolling further would show more.
    var isCut: Bool {
        passed < clampedScroll(.max)
            && (hidesLast || columns.dropFirst().contains { $0.columns.count < natural[$0.index] })
    }

    private var paths: [String] { wantedColumns.map(\.source.path) }

    /// The paths of the columns without a format. A search looks at their values.
    var searchedPaths: [String] { wantedColumns.filter { $0.source.format == nil }.map(\.source.path) }

    var firstPath: String? { wantedColumns.first?.source.path }

    /// All columns, also those without room.
    var sources: [TableColumn] { wantedColumns.map(\.source) }

    var hidesLast: Bool { columns.last?.index != wantedColumns.last?.index }

    /// Chooses the visible columns and their widths. Narrows the widest columns first, and leaves out the last ones if even
    /// narrow columns do not fit.
    private mutating func layOut() {
        columns = wantedColumns.filter { $0.index == 0 || $0.index > passed }
        // Hidden columns leave their room to the visible ones.
        while columns.count > 1, total(columns.map(leastWidth)) > area.count { columns.removeLast() }
        let fixed = columns.map { isFixed[$0.index] }
        var widths = columns.map { natural[$0.index] }
        var total = total(widths)
        while total > area.count {
            let widest = widths.indices.filter { !fixed[$0] && widths[$0] > Self.widthMin }.max {
                widths[$0] < widths[$1]
            }
            guard let widest else {
                widths = [area.count]
                break
            }
            widths[widest] -= 1
            total -= 1
        }
        // Later rows may have longer texts.
        let growing = columns.indices.filter { !fixed[$0] && columns[$0].alignment == .left }
        for index in growing {
            widths[index] += max(min((area.count - total) / growing.count, widths[index] / 2 + 4), 0)
        }
        var start = area.lowerBound
        for index in columns.indices {
            columns[index].columns = start..<min(start + widths[index], area.upperBound)
            start = columns[index].columns.upperBound + Self.gap
            if start > area.upperBound { start = area.upperBound }
        }
    }

    private func leastWidth(_ column: Column) -> Int {
        isFixed[column.index] ? natural[column.index] : min(natural[column.index], Self.widthMin)
    }

    private func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + Self.gap * max(widths.count - 1, 0) }

    static func cell(
        _ column: TableColumn, _ item: LookCache.ResolvedItem, _ viewport: Viewport
    ) -> TableCell {
        var cell = TableCell(
            column, of: Item(record: item.record), text: item.look.text, content: item.content, viewport.clock)
        if let sign = cell.sign { cell.text = viewport.symbols.sign(sign) + " " + cell.text }
        return cell
    }
}
