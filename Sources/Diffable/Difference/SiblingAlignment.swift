/// How the children of one owner became what they are: who stays in place, who comes, who goes.
///
/// Pages that the two trees share are never opened: a page's handles are neighbours in both orders, so they stay or
/// move together, and count as one element that weighs as much as they are.
struct SiblingAlignment {
    /// A sibling that does not stay: it is inserted or moved, after the sibling `previous` (nil: to the front).
    struct Placement {
        var handle: Handle
        /// Among the new siblings.
        var index: Int
        var previous: Handle?
    }

    /// In the new order.
    private(set) var placements: [Placement] = []
    /// Old handles that are no longer children of this owner, in the old order.
    private(set) var departures: [Handle] = []

    /// A handle, or a shared page by its number.
    private struct Element: Equatable {
        var number: UInt32
        /// How many siblings a shared page holds; 0 for a handle.
        var pageCount: UInt32 = 0

        var weight: UInt32 { max(pageCount, 1) }
    }

    private var sharedPages: [PageNumber: SiblingTree] = [:]

    init(old: SiblingTree?, new: SiblingTree?, _ matching: inout SnapshotMatching) {
        let (oldElements, newElements) = openUnshared(old, new)
        align(oldElements, newElements, &matching)
    }

    // MARK: Opening

    private enum Opening {
        case page(SiblingTree)
        case shared(SiblingTree)
    }

    /// Opens both trees level by level as far as they are not shared.
    private mutating func openUnshared(_ old: SiblingTree?, _ new: SiblingTree?) -> ([Element], [Element]) {
        var oldPages: [Opening] = old.map { [.page($0)] } ?? []
        var newPages: [Opening] = new.map { [.page($0)] } ?? []
        var oldHeight = old?.height ?? 0
        var newHeight = new?.height ?? 0
        while true {
            if oldHeight == newHeight { markShared(&oldPages, &newPages) }
            if oldHeight == 0 && newHeight == 0 { break }
            let height = max(oldHeight, newHeight)
            if oldHeight == height {
                oldPages = opened(oldPages)
                oldHeight -= 1
            }
            if newHeight == height {
                newPages = opened(newPages)
                newHeight -= 1
            }
        }
        for case .shared(let page) in newPages { sharedPages[page.number] = page }
        return (elements(oldPages), elements(newPages))
    }

    private func opened(_ pages: [Opening]) -> [Opening] {
        var opened: [Opening] = []
        for page in pages {
            if case .page(let tree) = page, case .branch(let children) = tree.contents {
                for child in children { opened.append(.page(child)) }
            } else {
                opened.append(page)
            }
        }
        return opened
    }

    private func markShared(_ old: inout [Opening], _ new: inout [Opening]) {
        var positions: [PageNumber: Int] = [:]
        for (position, page) in old.enumerated() {
            if case .page(let tree) = page { positions[tree.number] = position }
        }
        for position in new.indices {
            guard case .page(let tree) = new[position], let oldPosition = positions[tree.number],
                case .page(let oldTree) = old[oldPosition], tree.isShared(with: oldTree)
            else { continue }
            new[position] = .shared(tree)
            old[oldPosition] = .shared(tree)
        }
    }

    private func elements(_ pages: [Opening]) -> [Element] {
        var elements: [Element] = []
        for page in pages {
            switch page {
            case .shared(let tree): elements.append(Element(number: tree.number, pageCount: tree.count))
            case .page(let tree): tree.forEach { elements.append(Element(number: $0)) }
            }
        }
        return elements
    }

    // MARK: Aligning

    private mutating func align(_ old: [Element], _ new: [Element], _ matching: inout SnapshotMatching) {
        var start = 0
        var index = 0
        var previous: Handle?
        while start < min(old.count, new.count), isSame(old[start], new[start], &matching) {
            index += Int(new[start].weight)
            previous = last(of: new[start])
            start += 1
        }
        var oldEnd = old.count
        var newEnd = new.count
        while oldEnd > start, newEnd > start, isSame(old[oldEnd - 1], new[newEnd - 1], &matching) {
            oldEnd -= 1
            newEnd -= 1
        }
        let oldMiddle = old[start..<oldEnd]
        let newMiddle = new[start..<newEnd]

        let ordinals = ordinals(of: newMiddle, in: oldMiddle, &matching)
        let stays = heaviestIncreasingSubsequence(ordinals: ordinals, weights: newMiddle.map(\.weight))
        for (element, stays) in zip(newMiddle, stays) {
            if !stays { place(element, index, previous) }
            index += Int(element.weight)
            previous = last(of: element)
        }

        var isMatched = [Bool](repeating: false, count: oldMiddle.count)
        for ordinal in ordinals where ordinal >= 0 { isMatched[Int(ordinal)] = true }
        for (element, isMatched) in zip(oldMiddle, isMatched) where !isMatched { departures.append(element.number) }
    }

    private func isSame(_ old: Element, _ new: Element, _ matching: inout SnapshotMatching) -> Bool {
        guard old.pageCount == new.pageCount else { return false }
        return new.pageCount > 0 ? old.number == new.number : matching.oldHandle(new.number) == old.number
    }

    /// Where each new element stands among the old ones; -1 where it does not.
    private func ordinals(
        of new: ArraySlice<Element>, in old: ArraySlice<Element>, _ matching: inout SnapshotMatching
    ) -> [Int32] {
        guard !new.isEmpty else { return [] }
        var handles = HandleMap(count: old.count, bound: matching.old.forest.handleBound)
        var pages: [PageNumber: Int32] = [:]
        for (ordinal, element) in old.enumerated() {
            if element.pageCount > 0 {
                pages[element.number] = Int32(ordinal)
            } else {
                handles[element.number] = UInt32(ordinal)
            }
        }
        var ordinals: [Int32] = []
        ordinals.reserveCapacity(new.count)
        for element in new {
            if element.pageCount > 0 {
                ordinals.append(pages[element.number] ?? -1)
            } else {
                let ordinal = matching.oldHandle(element.number).flatMap { handles[$0] }
                ordinals.append(ordinal.map { Int32($0) } ?? -1)
            }
        }
        return ordinals
    }

    private func last(of element: Element) -> Handle {
        guard element.pageCount > 0, let page = sharedPages[element.number] else { return element.number }
        return page.last
    }

    private mutating func place(_ element: Element, _ index: Int, _ previous: Handle?) {
        guard element.pageCount > 0, let page = sharedPages[element.number] else {
            placements.append(Placement(handle: element.number, index: index, previous: previous))
            return
        }
        var index = index
        var previous = previous
        var cursor = SiblingCursor(page)
        while let handle = cursor.next() {
            placements.append(Placement(handle: handle, index: index, previous: previous))
            index += 1
            previous = handle
        }
    }
}
