struct SectionGeometry: Sendable {
    let appearance: Appearance
    /// The section's part of the screen, with its box.
    let outer: Range<Int>
    let row: Range<Int>
    let content: Range<Int>
    let page: BackgroundRole
    let ground: BackgroundRole

    var hasBox: Bool { appearance == .insetGrouped && outer.count > 8 }

    /// Wider groups are hard to read across.
    private static let boxWidthMax = 100

    init(_ appearance: Appearance, columns: Int) {
        self.appearance = appearance
        /// The last column is the scroll indicator's.
        let end = max(columns - 1, 1)
        switch appearance {
        case .plain, .sidebarPlain:
            outer = 0..<columns
            row = 0..<end
            content = Self.inside(row, 2, 1)
            (page, ground) = (.base, .base)
        case .grouped:
            outer = 0..<columns
            row = 0..<end
            content = Self.inside(row, 3, 2)
            (page, ground) = (.page, .group)
        case .insetGrouped:
            let margin = columns >= 60 ? 2 : columns > 30 ? 1 : 0
            let width = min(columns - 2 * margin, Self.boxWidthMax)
            let start = max((columns - width) / 2, 0)
            outer = start..<max(start + width, start + 1)
            row = outer.count > 8 ? Self.inside(outer, 1, 1) : outer
            content = Self.inside(row, 2, 1)
            (page, ground) = (.base, .base)
        case .sidebar:
            outer = 0..<columns
            row = Self.inside(0..<end, 1, 0)
            content = Self.inside(row, 2, 1)
            (page, ground) = (.sidebar, .sidebar)
        }
    }

    /// A range without its margins; on a very narrow screen as much of it as there is.
    private static func inside(_ range: Range<Int>, _ leading: Int, _ trailing: Int) -> Range<Int> {
        guard range.count > leading + trailing else { return range }
        return range.lowerBound + leading..<range.upperBound - trailing
    }
}

// MARK: - Cards

extension SectionGeometry {
    static let cardWidthMin = 8

    /// Cards begin and end where the boxes of lists do, or their texts.
    private var cards: Range<Int> { hasBox ? outer : content }

    func cards(level: Int) -> Range<Int> { cards.lowerBound + indent(level)..<cards.upperBound }

    /// The indentation at a level of an outline, as far as there is room.
    func indent(_ level: Int) -> Int { min(level * 2, content.count / 2) }

    func groupCount(_ layout: SectionLayout) -> Int {
        switch layout.kind {
        case .list, .table: return 1
        case .carousel: return .max
        case .grid:
            if let columns = layout.columns {
                return min(columns, max((cards.count + 1) / (Self.cardWidthMin + 1), 1))
            }
            let width = min(max(layout.minWidth ?? 24, Self.cardWidthMin), cards.count)
            return max((cards.count + 1) / (width + 1), 1)
        }
    }

    /// The width of a carousel's items. A part of the next one is always visible.
    func itemWidth(_ layout: SectionLayout) -> Int {
        max(min(layout.itemWidth ?? 28, cards.count - 5), min(Self.cardWidthMin, cards.count))
    }
}
