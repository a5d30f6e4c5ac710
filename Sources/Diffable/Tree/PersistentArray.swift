/// An array of any size that shares what it has in common with its copies: a radix trie of pages.
///
/// Reading and writing an element cost O(log n) with a base of 32; a write copies the pages on its path only where
/// another copy shares them. Elements that were never written are the filler and take no memory by the page.
/// Two copies tell where they differ in time that grows with the differences alone.
struct PersistentArray<Element: Sendable>: Sendable {
    private static var pageBits: Int { 5 }
    private static var pageSize: Int { 1 << pageBits }

    private enum Page {
        case absent
        case leaf(ContiguousArray<Element>)
        case branch(ContiguousArray<Page>)
    }

    private var root = Page.absent
    /// How many levels of branches stand above the leaves.
    private var height = 0
    private let filler: Element

    init(filler: Element) { self.filler = filler }

    subscript(index: Int) -> Element {
        get {
            guard index < capacity else { return filler }
            return element(at: index, in: root, height: height)
        }
        set {
            while index >= capacity { grow() }
            update(&root, at: index, height: height) { $0 = newValue }
        }
    }

    /// Changes an element in place.
    mutating func update(at index: Int, _ body: (inout Element) -> Void) {
        while index >= capacity { grow() }
        update(&root, at: index, height: height, body)
    }

    private var capacity: Int { 1 << (Self.pageBits * (height + 1)) }

    private mutating func grow() {
        if case .absent = root {
        } else {
            var pages = ContiguousArray(repeating: Page.absent, count: Self.pageSize)
            pages[0] = root
            root = .branch(pages)
        }
        height += 1
    }

    private func element(at index: Int, in page: borrowing Page, height: Int) -> Element {
        switch page {
        case .absent: filler
        case .leaf(let elements): elements[index & (Self.pageSize - 1)]
        case .branch(let pages):
            element(at: index, in: pages[Self.position(index, height)], height: height - 1)
        }
    }

    private static func position(_ index: Int, _ height: Int) -> Int {
        index >> (pageBits * height) & (pageSize - 1)
    }

    private func update(_ page: inout Page, at index: Int, height: Int, _ body: (inout Element) -> Void) {
        // The elements are taken out while they change, so that a page that nobody shares changes in place.
        switch (consume page, height) {
        case (.leaf(var elements), _):
            page = .absent
            body(&elements[index & (Self.pageSize - 1)])
            page = .leaf(elements)
        case (.branch(var pages), _):
            page = .absent
            update(&pages[Self.position(index, height)], at: index, height: height - 1, body)
            page = .branch(pages)
        case (.absent, 0):
            var elements = ContiguousArray(repeating: filler, count: Self.pageSize)
            body(&elements[index & (Self.pageSize - 1)])
            page = .leaf(elements)
        case (.absent, _):
            var pages = ContiguousArray(repeating: Page.absent, count: Self.pageSize)
            update(&pages[Self.position(index, height)], at: index, height: height - 1, body)
            page = .branch(pages)
        }
    }
}

// MARK: - Differences

extension PersistentArray {
    /// Calls the body for each index on a page that the two do not share, in ascending order, with the old element
    /// and this one. O(d · log n) for d such pages.
    func forEachDifference(from old: PersistentArray, _ body: (Int, Element, Element) -> Void) {
        visit(old.root, old.height, root, height, from: 0, body)
    }

    private func visit(
        _ old: Page, _ oldHeight: Int, _ new: Page, _ newHeight: Int, from start: Int,
        _ body: (Int, Element, Element) -> Void
    ) {
        let height = max(oldHeight, newHeight)
        switch (old, new) {
        case (.absent, .absent): return
        case (.leaf(let a), .leaf(let b)) where oldHeight == newHeight && a.isShared(with: b): return
        case (.branch(let a), .branch(let b)) where oldHeight == newHeight && a.isShared(with: b): return
        default: break
        }
        if height == 0 {
            for position in 0..<Self.pageSize {
                body(start + position, leafElement(old, position), leafElement(new, position))
            }
            return
        }
        for position in 0..<Self.pageSize {
            let (oldChild, oldChildHeight) = child(of: old, oldHeight, at: position, height)
            let (newChild, newChildHeight) = child(of: new, newHeight, at: position, height)
            visit(
                oldChild, oldChildHeight, newChild, newChildHeight, from: start + position << (Self.pageBits * height),
                body)
        }
    }

    /// The page at a position of a branch of `height`; a lower page counts as that branch's first child.
    private func child(of page: Page, _ pageHeight: Int, at position: Int, _ height: Int) -> (Page, Int) {
        if pageHeight < height { return position == 0 ? (page, pageHeight) : (.absent, height - 1) }
        if case .branch(let pages) = page { return (pages[position], height - 1) }
        return (.absent, height - 1)
    }

    private func leafElement(_ page: Page, _ position: Int) -> Element {
        if case .leaf(let elements) = page { return elements[position] }
        return filler
    }
}

extension ContiguousArray {
    /// Whether both are one buffer, and so the same elements. Costs nothing; false does not mean that they differ.
    func isShared(with other: ContiguousArray) -> Bool { identity == other.identity }

    var identity: UnsafeRawPointer? {
        withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
}
