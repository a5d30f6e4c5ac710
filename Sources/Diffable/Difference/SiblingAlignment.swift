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

    /// Shared pages that stand between what is not, by number.
    private var sharedPages: [PageNumber: SiblingTree] = [:]
    /// How many siblings both orders begin with, and the last of these.
    private var commonCount = 0
    private var lastCommon: Handle?

    init(old: SiblingTree?, new: SiblingTree?, _ matching: SnapshotMatching) {
        let (oldElements, newElements) = openUnshared(old, new)
        align(oldElements, newElements, matching)
    }

    // MARK: Opening

    /// A page, and whether both trees have it.
    private struct Piece {
        var tree: SiblingTree
        var isShared = false
    }

    /// Opens both trees level by level as far as they are not shared. What both begin or end with is left out.
    private mutating func openUnshared(_ old: SiblingTree?, _ new: SiblingTree?) -> ([Element], [Element]) {
        var oldPieces = old.map { [Piece(tree: $0)] } ?? []
        var newPieces = new.map { [Piece(tree: $0)] } ?? []
        var oldHeight = Int(old?.height ?? 0)
        var newHeight = Int(new?.height ?? 0)
        while true {
            if oldHeight == newHeight {
                trim(&oldPieces, &newPieces)
                markShared(&oldPieces, &newPieces)
            }
            if oldHeight == 0 && newHeight == 0 { break }
            let height = max(oldHeight, newHeight)
            if oldHeight == height {
                oldPieces = opened(oldPieces)
                oldHeight -= 1
            }
            if newHeight == height {
                newPieces = opened(newPieces)
                newHeight -= 1
            }
        }
        for piece in newPieces where piece.isShared { sharedPages[piece.tree.number] = piece.tree }
        return (elements(oldPieces), elements(newPieces))
    }

    private func opened(_ pieces: [Piece]) -> [Piece] {
        var opened: [Piece] = []
        for piece in pieces {
            if !piece.isShared, !piece.tree.isLeaf {
                piece.tree.withPages { pages in for page in pages { opened.append(Piece(tree: page)) } }
            } else {
                opened.append(piece)
            }
        }
        return opened
    }

    private mutating func trim(_ old: inout [Piece], _ new: inout [Piece]) {
        var start = 0
        while start < min(old.count, new.count), new[start].tree.isShared(with: old[start].tree) {
            commonCount += Int(new[start].tree.count)
            lastCommon = new[start].tree.last
            start += 1
        }
        var end = 0
        while end < min(old.count, new.count) - start,
            new[new.count - 1 - end].tree.isShared(with: old[old.count - 1 - end].tree)
        {
            end += 1
        }
        old = Array(old[start..<old.count - end])
        new = Array(new[start..<new.count - end])
    }

    private func markShared(_ old: inout [Piece], _ new: inout [Piece]) {
        // One page that is not the same is not shared.
        guard old.count * new.count > 1 else { return }
        var positions: [PageNumber: Int] = [:]
        for (position, piece) in old.enumerated() where !piece.isShared { positions[piece.tree.number] = position }
        for position in new.indices where !new[position].isShared {
            guard let oldPosition = positions[new[position].tree.number],
                new[position].tree.isShared(with: old[oldPosition].tree)
            else { continue }
            new[position].isShared = true
            old[oldPosition].isShared = true
        }
    }

    private func elements(_ pieces: [Piece]) -> [Element] {
        var elements: [Element] = []
        for piece in pieces {
            if piece.isShared {
                elements.append(Element(number: piece.tree.number, pageCount: piece.tree.count))
            } else {
                piece.tree.forEach { elements.append(Element(number: $0)) }
            }
        }
        return elements
    }

    // MARK: Aligning

    private mutating func align(_ old: [Element], _ new: [Element], _ matching: SnapshotMatching) {
        var start = 0
        var index = commonCount
        var previous = lastCommon
        while start < min(old.count, new.count), isSame(old[start], new[start], matching) {
            index += Int(new[start].weight)
            previous = last(of: new[start])
            start += 1
        }
        var oldEnd = old.count
        var newEnd = new.count
        while oldEnd > start, newEnd > start, isSame(old[oldEnd - 1], new[newEnd - 1], matching) {
            oldEnd -= 1
            newEnd -= 1
        }
        let oldMiddle = old[start..<oldEnd]
        let newMiddle = new[start..<newEnd]

        let ordinals = ordinals(of: newMiddle, in: oldMiddle, matching)
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

    private func isSame(_ old: Element, _ new: Element, _ matching: SnapshotMatching) -> Bool {
        guard old.pageCount == new.pageCount else { return false }
        return new.pageCount > 0 ? old.number == new.number : matching.oldHandle(new.number) == old.number
    }

    /// Where each new element stands among the old ones; -1 where it does not.
    private func ordinals(
        of new: ArraySlice<Element>, in old: ArraySlice<Element>, _ matching: SnapshotMatching
    ) -> [Int32] {
        guard !old.isEmpty else { return [Int32](repeating: -1, count: new.count) }
        var handles = HandleMap(count: old.count, bound: matching.old.forest.handleBound)
        var pages: [PageNumber: Int32] = [:]
        for (ordinal, element) in old.enumerated() {
            if element.pageCount > 0 {
                pages[element.number] = Int32(ordinal)
            } else {
                handles[element.number] = UInt32(ordinal)
            }
        }
        return new.map { element in
            if element.pageCount > 0 { return pages[element.number] ?? -1 }
            let ordinal = matching.oldHandle(element.number).flatMap { handles[$0] }
            return ordinal.map { Int32($0) } ?? -1
        }
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
