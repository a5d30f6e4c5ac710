import Diffable

/// Reads sections or items that an operation brings, in pre-order. It can be kept and continued at any time.
struct TreeCursor: Sendable {
    private let sections: [Section]
    private var nextSection = 0
    /// The siblings that are being read, from the outermost.
    private var open: [(items: [Item], next: Int)] = []

    init(_ sections: [Section]) { self.sections = sections }

    init(_ items: [Item]) {
        self.sections = []
        self.open = [(items, 0)]
    }

    mutating func next() -> OperationsWriter.ElementRun.Element? {
        while let (items, next) = open.last {
            guard next < items.count else {
                open.removeLast()
                continue
            }
            let level = open.count - 1
            open[level].next = next + 1
            let item = items[next]
            if !item.children.isEmpty { open.append((item.children, 0)) }
            return .item(item.record, level: level, isExpanded: item.isExpanded)
        }
        guard nextSection < sections.count else { return nil }
        let section = sections[nextSection]
        nextSection += 1
        open.append((section.items, 0))
        return .section(section.record)
    }
}
