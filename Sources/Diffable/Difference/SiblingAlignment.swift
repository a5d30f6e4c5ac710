/// How the children of one owner became what they are: who stays in place, who comes, who goes.
///
/// Pages that the two trees share are never opened: a page's handles are neighbours in both orders, so they stay or
/// move together, and count as one element that weighs as much as they are.
struct SiblingAlignment {
    /// A sibling that does not stay: it is inserted or moved, after the sibling `previous` (nil: to the front).
    struct Placement {
        var handle: Handle
        /// Among the new siblings.
        var index: UInt32
        var previous: Handle?
    }

    /// In the new order.
    private(set) var placements: [Placement] = []
    /// Old handles that are no longer children of this owner, in the old order.
    private(set) var departures: [Handle] = []

    /// A handle, or a shared page by its place in `sharedPages`.
    private struct Element {
        var number: UInt32
        /// How many siblings a shared page holds; 0 for a handle.
        var pageCount: UInt32 = 0

        var weight: UInt32 { max(pageCount, 1) }
    }

    /// Shared pages that stand between what is not.
    private var sharedPages: [SiblingTree] = []
    /// How many siblings both orders begin with, and the last of these.
    private var commonCount: UInt32 = 0
    private var lastCommon: Handle?

    init(old: SiblingTree?, new: SiblingTree?, _ matching: SnapshotMatching) {
        let (oldElements, newElements) = openUnshared(old, new)
        align(oldElements, newElements, matching)
    }

    // MARK: Opening

    /// A page, and its place in `sharedPages` if both trees have it.
    private struct Piece {
        var tree: SiblingTree
        var sharedPage: UInt32?
    }

    /// Opens both trees level by level as far as they are not shared. What both begin or end with is left out.
    private mutating func openUnshared(_ old: SiblingTree?, _ new: SiblingTree?) -> ([Element], [Element]) {
        guard let old, let new else { return (elements(of: old), elements(of: new)) }
        guard old.height == new.height, !new.isLeaf else {
            return opened([Piece(tree: old)], Int(old.height), [Piece(tree: new)], Int(new.height))
        }
        return old.withPages { oldPages in
            new.withPages { newPages in
                let (oldPages, newPages) = trim(oldPages, newPages)
                // The way to a single change leads through one page of each tree on every level.
                if oldPages.count == 1, newPages.count == 1 { return openUnshared(oldPages.first, newPages.first) }
                let height = Int(new.height) - 1
                return opened(oldPages.map { Piece(tree: $0) }, height, newPages.map { Piece(tree: $0) }, height)
            }
        }
    }

    /// Leaves out what both begin or end with.
    private mutating func trim(
        _ old: UnsafeBufferPointer<SiblingTree>, _ new: UnsafeBufferPointer<SiblingTree>
    ) -> (Slice<UnsafeBufferPointer<SiblingTree>>, Slice<UnsafeBufferPointer<SiblingTree>>) {
        let count = min(old.count, new.count)
        var start = 0
        while start < count, new[start].isShared(with: old[start]) {
            commonCount += new[start].count
            start += 1
        }
        if start > 0 { lastCommon = new[start - 1].last }
        var end = 0
        while end < count - start, new[new.count - 1 - end].isShared(with: old[old.count - 1 - end]) { end += 1 }
        return (old[start..<old.count - end], new[start..<new.count - end])
    }

    private mutating func opened(
        _ old: [Piece], _ oldHeight: Int, _ new: [Piece], _ newHeight: Int
    ) -> ([Element], [Element]) {
        var old = old
        var new = new
        for height in stride(from: max(oldHeight, newHeight), through: 0, by: -1) {
            // Pages of one height can be the same.
            if height <= min(oldHeight, newHeight) { markShared(&old, &new) }
            if height == 0 { break }
            if height <= oldHeight { old = opened(old) }
            if height <= newHeight { new = opened(new) }
        }
        return (elements(of: old), elements(of: new))
    }

    private func opened(_ pieces: [Piece]) -> [Piece] {
        var opened: [Piece] = []
        for piece in pieces {
            if piece.sharedPage == nil, !piece.tree.isLeaf {
                piece.tree.withPages { pages in for page in pages { opened.append(Piece(tree: page)) } }
            } else {
                opened.append(piece)
            }
        }
        return opened
    }

    private mutating func markShared(_ old: inout [Piece], _ new: inout [Piece]) {
        var positions = HandleMap(count: old.count, bound: .max)
        for position in old.indices where old[position].sharedPage == nil {
            positions[old[position].tree.number] = UInt32(position)
        }
        for position in new.indices where new[position].sharedPage == nil {
            guard let oldPosition = positions[new[position].tree.number],
                new[position].tree.isShared(with: old[Int(oldPosition)].tree)
            else { continue }
            new[position].sharedPage = UInt32(sharedPages.count)
            old[Int(oldPosition)].sharedPage = UInt32(sharedPages.count)
            sharedPages.append(new[position].tree)
        }
    }

    private func elements(of tree: SiblingTree?) -> [Element] {
        tree.map { elements(of: [Piece(tree: $0)]) } ?? []
    }

    private func elements(of pieces: [Piece]) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(pieces.reduce(0) { $0 + ($1.sharedPage == nil ? Int($1.tree.count) : 1) })
        for piece in pieces {
            if let sharedPage = piece.sharedPage {
                elements.append(Element(number: sharedPage, pageCount: piece.tree.count))
            } else {
                piece.tree.forEach { elements.append(Element(number: $0)) }
            }
        }
        return elements
    }

    // MARK: Aligning

    private mutating func align(_ old: [Element], _ new: [Element], _ matching: SnapshotMatching) {
        var start = 0
        while start < min(old.count, new.count), isSame(old[start], new[start], matching) {
            commonCount += new[start].weight
            start += 1
        }
        if start > 0 { lastCommon = last(of: new[start - 1]) }
        var end = 0
        while end < min(old.count, new.count) - start,
            isSame(old[old.count - 1 - end], new[new.count - 1 - end], matching)
        {
            end += 1
        }
        alignRest(old[start..<old.count - end], new[start..<new.count - end], matching)
    }

    private func isSame(_ old: Element, _ new: Element, _ matching: SnapshotMatching) -> Bool {
        guard old.pageCount == new.pageCount else { return false }
        return new.pageCount > 0 ? old.number == new.number : matching.oldHandle(new.number) == old.number
    }

    private mutating func alignRest(
        _ old: ArraySlice<Element>, _ new: ArraySlice<Element>, _ matching: SnapshotMatching
    ) {
        let ordinals = ordinals(of: new, in: old, matching)
        let stays =
            sharedPages.isEmpty
            ? longestIncreasingSubsequence(ordinals: ordinals)
            : heaviestIncreasingSubsequence(ordinals: ordinals, weights: new.map(\.weight))
        var index = commonCount
        for (position, element) in new.enumerated() {
            if !stays[position] {
                place(element, index, position == 0 ? lastCommon : last(of: new[new.startIndex + position - 1]))
            }
            index += element.weight
        }

        var isMatched = [Bool](repeating: false, count: old.count)
        for ordinal in ordinals where ordinal >= 0 { isMatched[Int(ordinal)] = true }
        for (element, isMatched) in zip(old, isMatched) where !isMatched { departures.append(element.number) }
    }

    /// Where each new element stands among the old ones; -1 where it does not.
    private func ordinals(
        of new: ArraySlice<Element>, in old: ArraySlice<Element>, _ matching: SnapshotMatching
    ) -> [Int32] {
        if old.isEmpty || new.isEmpty { return [Int32](repeating: -1, count: new.count) }
        var handles = HandleMap(count: old.count, bound: matching.old.forest.handleBound)
        var pages = [Int32](repeating: -1, count: sharedPages.count)
        for (ordinal, element) in old.enumerated() {
            if element.pageCount > 0 {
                pages[Int(element.number)] = Int32(ordinal)
            } else {
                handles[element.number] = UInt32(ordinal)
            }
        }
        return new.map { element in
            if element.pageCount > 0 { return pages[Int(element.number)] }
            let ordinal = matching.oldHandle(element.number).flatMap { handles[$0] }
            return ordinal.map { Int32($0) } ?? -1
        }
    }

    private func last(of element: Element) -> Handle {
        element.pageCount > 0 ? sharedPages[Int(element.number)].last : element.number
    }

    private mutating func place(_ element: Element, _ index: UInt32, _ previous: Handle?) {
        guard element.pageCount > 0 else {
            placements.append(Placement(handle: element.number, index: index, previous: previous))
            return
        }
        var index = index
        var previous = previous
        sharedPages[Int(element.number)].forEach { handle in
            placements.append(Placement(handle: handle, index: index, previous: previous))
            index += 1
            previous = handle
        }
    }
}
