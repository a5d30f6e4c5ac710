/// The diff of one owner's children: the ones that stay in place, arrive and leave.
///
/// Pages that the two trees share are not opened. The handles of a shared page are adjacent in both orders, so they
/// stay or move together, and the page counts as one element whose weight is the number of its handles.
struct SiblingAlignment {
    /// A sibling that is inserted or moved, to the position after the sibling `previous`. Nil is the front.
    struct Placement {
        var handle: Handle
        var index: UInt32
        var previous: Handle?
        /// Whether it is new to the list.
        var isInserted: Bool
    }

    /// In the new order.
    private(set) var placements: [Placement] = []
    /// Old handles that are no longer children of this owner, in the old order.
    private(set) var departures: [Handle] = []

    /// A page of a tree, without a reference count. The snapshots keep it alive.
    private typealias Page = UnsafePointer<SiblingTree>

    /// A handle, or the index of a shared page in `sharedPages`.
    private struct Element {
        var number: UInt32
        /// The number of siblings on a shared page; 0 for a handle.
        var pageCount: UInt32 = 0

        var weight: UInt32 { max(pageCount, 1) }
    }

    private typealias Elements = UnsafeBufferPointer<Element>

    /// The shared pages that are not part of the common prefix or suffix.
    private var sharedPages: [Page] = []
    /// The length of the common prefix of both orders, and its last sibling.
    private var commonCount: UInt32 = 0
    private var lastCommon: Handle?

    init(old: SiblingTree?, new: SiblingTree?, _ matching: SnapshotMatching) {
        guard let old else {
            if let new { place(allOf: new, matching) }
            return
        }
        guard let new else {
            departures.reserveCapacity(Int(old.count))
            old.forEach { departures.append($0) }
            return
        }
        withUnsafePointer(to: old) { old in
            withUnsafePointer(to: new) { new in align(old, new, matching) }
        }
        sharedPages = []
    }

    private mutating func place(allOf tree: SiblingTree, _ matching: SnapshotMatching) {
        tree.forEach { handle in
            let isInserted = matching.oldHandle(handle) == nil
            let index = UInt32(placements.count)
            placements.append(
                Placement(handle: handle, index: index, previous: placements.last?.handle, isInserted: isInserted))
        }
    }

    // MARK: Opening

    /// A page, and its index in `sharedPages` if both trees have it.
    private struct PageReference {
        var page: Page
        var sharedPage: UInt32?
    }

    /// Opens both trees level by level where they are not shared, leaving out the pages of the common prefix and suffix.
    private mutating func align(_ old: Page, _ new: Page, _ matching: SnapshotMatching) {
        let height = Int(new.pointee.height)
        guard old.pointee.height == height else {
            return align(
                [PageReference(page: old)], Int(old.pointee.height), [PageReference(page: new)], height, matching)
        }
        if height == 0 {
            return old.pointee.withHandles { old in new.pointee.withHandles { new in align(old, new, matching) } }
        }
        old.pointee.withPages { oldPages in
            new.pointee.withPages { newPages in
                let (oldRest, newRest) = trim(oldPages, newPages)
                guard let oldBase = oldPages.baseAddress, let newBase = newPages.baseAddress else { return }
                if oldRest.count == 1, newRest.count == 1 {
                    align(oldBase + oldRest.lowerBound, newBase + newRest.lowerBound, matching)
                } else {
                    align(
                        oldRest.map { PageReference(page: oldBase + $0) }, height - 1,
                        newRest.map { PageReference(page: newBase + $0) }, height - 1, matching)
                }
            }
        }
    }

    /// The pages without the common prefix and suffix.
    private mutating func trim(
        _ old: UnsafeBufferPointer<SiblingTree>, _ new: UnsafeBufferPointer<SiblingTree>
    ) -> (Range<Int>, Range<Int>) {
        let count = min(old.count, new.count)
        var start = 0
        while start < count, old[start].isShared(with: new[start]) {
            commonCount += new[start].count
            start += 1
        }
        if start > 0 { lastCommon = new[start - 1].last }
        var end = 0
        while end < count - start, old[old.count - 1 - end].isShared(with: new[new.count - 1 - end]) { end += 1 }
        return (start..<old.count - end, start..<new.count - end)
    }

    private mutating func align(
        _ old: UnsafeBufferPointer<Handle>, _ new: UnsafeBufferPointer<Handle>, _ matching: SnapshotMatching
    ) {
        let count = min(old.count, new.count)
        var start = 0
        while start < count, matching.oldHandle(new[start]) == old[start] { start += 1 }
        var end = 0
        while end < count - start, matching.oldHandle(new[new.count - 1 - end]) == old[old.count - 1 - end] {
            end += 1
        }
        commonCount += UInt32(start)
        if start > 0 { lastCommon = new[start - 1] }
        let oldElements = old[start..<old.count - end].map { Element(number: $0) }
        let newElements = new[start..<new.count - end].map { Element(number: $0) }
        oldElements.withUnsafeBufferPointer { old in
            newElements.withUnsafeBufferPointer { new in align(old, new, matching) }
        }
    }

    private mutating func align(
        _ oldPieces: [PageReference], _ oldHeight: Int, _ newPieces: [PageReference], _ newHeight: Int,
        _ matching: SnapshotMatching
    ) {
        var old = oldPieces
        var new = newPieces
        for height in stride(from: max(oldHeight, newHeight), through: 0, by: -1) {
            // Only pages of the same height can be identical.
            if height <= min(oldHeight, newHeight) { markShared(&old, &new) }
            if height == 0 { break }
            if height <= oldHeight { old = expandedOneLevel(old) }
            if height <= newHeight { new = expandedOneLevel(new) }
        }
        let oldElements = elements(of: old)
        let newElements = elements(of: new)
        oldElements.withUnsafeBufferPointer { old in
            newElements.withUnsafeBufferPointer { new in align(trimming: old, new, matching) }
        }
    }

    private func expandedOneLevel(_ pieces: [PageReference]) -> [PageReference] {
        var opened: [PageReference] = []
        opened.reserveCapacity(pieces.count + 2 * SiblingTree.branchCountMax)
        for piece in pieces {
            if piece.sharedPage == nil, !piece.page.pointee.isLeaf {
                piece.page.pointee.withPages { pages in
                    guard let first = pages.baseAddress else { return }
                    for position in pages.indices { opened.append(PageReference(page: first + position)) }
                }
            } else {
                opened.append(piece)
            }
        }
        return opened
    }

    private mutating func markShared(_ old: inout [PageReference], _ new: inout [PageReference]) {
        var positions = HandleMap(count: old.count, bound: .max)
        for position in old.indices where old[position].sharedPage == nil {
            positions[old[position].page.pointee.number] = UInt32(position)
        }
        for position in new.indices where new[position].sharedPage == nil {
            guard let oldPosition = positions[new[position].page.pointee.number],
                old[Int(oldPosition)].page.pointee.isShared(with: new[position].page.pointee)
            else { continue }
            new[position].sharedPage = UInt32(sharedPages.count)
            old[Int(oldPosition)].sharedPage = UInt32(sharedPages.count)
            sharedPages.append(new[position].page)
        }
    }

    private func elements(of pieces: [PageReference]) -> [Element] {
        let count = pieces.reduce(0) { $0 + ($1.sharedPage == nil ? Int($1.page.pointee.count) : 1) }
        return [Element](unsafeUninitializedCapacity: count) { elements, written in
            for piece in pieces {
                if let sharedPage = piece.sharedPage {
                    elements.initializeElement(
                        at: written, to: Element(number: sharedPage, pageCount: piece.page.pointee.count))
                    written += 1
                } else {
                    piece.page.pointee.withHandles { handles in
                        for handle in handles {
                            elements.initializeElement(at: written, to: Element(number: handle))
                            written += 1
                        }
                    }
                }
            }
        }
    }

    // MARK: Aligning

    private mutating func align(trimming old: Elements, _ new: Elements, _ matching: SnapshotMatching) {
        let count = min(old.count, new.count)
        var start = 0
        while start < count, isSame(old[start], new[start], matching) {
            commonCount += new[start].weight
            start += 1
        }
        if start > 0 { lastCommon = last(of: new[start - 1]) }
        var end = 0
        while end < count - start, isSame(old[old.count - 1 - end], new[new.count - 1 - end], matching) { end += 1 }
        align(
            Elements(rebasing: old[start..<old.count - end]), Elements(rebasing: new[start..<new.count - end]), matching
        )
    }

    private func isSame(_ old: Element, _ new: Element, _ matching: SnapshotMatching) -> Bool {
        guard old.pageCount == new.pageCount else { return false }
        return new.pageCount > 0 ? old.number == new.number : matching.oldHandle(new.number) == old.number
    }

    /// Negative ordinals: the element is new to the list, or it arrived from another owner.
    private static let inserted: Int32 = -1
    private static let arrived: Int32 = -2

    private mutating func align(_ old: Elements, _ new: Elements, _ matching: SnapshotMatching) {
        let ordinals = ordinals(of: new, in: old, matching)
        if !new.isEmpty {
            let stays =
                sharedPages.isEmpty
                ? longestIncreasingSubsequence(ordinals: ordinals)
                : heaviestIncreasingSubsequence(ordinals: ordinals, weights: new.map(\.weight))
            placements.reserveCapacity(stays.count { !$0 })
            var index = commonCount
            stays.withUnsafeBufferPointer { stays in
                for position in new.indices {
                    if !stays[position] {
                        let previous = position == 0 ? lastCommon : last(of: new[position - 1])
                        place(new[position], index, previous, isInserted: ordinals[position] == Self.inserted)
                    }
                    index += new[position].weight
                }
            }
        }
        guard !old.isEmpty else { return }
        withUnsafeTemporaryAllocation(of: Bool.self, capacity: old.count) { isMatched in
            isMatched.initialize(repeating: false)
            for ordinal in ordinals where ordinal >= 0 { isMatched[Int(ordinal)] = true }
            for position in old.indices where !isMatched[position] { departures.append(old[position].number) }
        }
    }

    /// The ordinal of each new element among the old ones, or one of the values above.
    private func ordinals(of new: Elements, in old: Elements, _ matching: SnapshotMatching) -> [Int32] {
        var handles = HandleMap(count: new.isEmpty ? 0 : old.count, bound: matching.old.forest.handleBound)
        var pages = [Int32](repeating: Self.arrived, count: sharedPages.count)
        if !new.isEmpty {
            handles.number(old.lazy.map { $0.pageCount > 0 ? nil : $0.number })
            if !sharedPages.isEmpty {
                for position in old.indices where old[position].pageCount > 0 {
                    pages[Int(old[position].number)] = Int32(position)
                }
            }
        }
        return [Int32](unsafeUninitializedCapacity: new.count) { ordinals, count in
            for position in new.indices {
                let ordinal: Int32
                if new[position].pageCount > 0 {
                    ordinal = pages[Int(new[position].number)]
                } else if let oldHandle = matching.oldHandle(new[position].number) {
                    ordinal = handles[oldHandle].map { Int32(truncatingIfNeeded: $0) } ?? Self.arrived
                } else {
                    ordinal = Self.inserted
                }
                ordinals.initializeElement(at: position, to: ordinal)
            }
            count = new.count
        }
    }

    private func last(of element: Element) -> Handle {
        element.pageCount > 0 ? sharedPages[Int(element.number)].pointee.last : element.number
    }

    private mutating func place(_ element: Element, _ index: UInt32, _ previous: Handle?, isInserted: Bool) {
        guard element.pageCount > 0 else {
            placements.append(
                Placement(handle: element.number, index: index, previous: previous, isInserted: isInserted))
            return
        }
        // A shared page was in this tree before.
        var index = index
        var previous = previous
        sharedPages[Int(element.number)].pointee.forEach { handle in
            placements.append(Placement(handle: handle, index: index, previous: previous, isInserted: false))
            index += 1
            previous = handle
        }
    }
}
