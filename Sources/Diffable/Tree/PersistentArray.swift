/// What pages can be made of.
protocol PageElement: Sendable {
    /// Stands wherever nothing was written.
    static var filler: Self { get }
}

/// An array of any size that shares what it has in common with its copies: a radix trie of pages.
///
/// Reading and writing an element cost O(log n) with a base of 16; a write copies the pages on its path only where
/// another copy shares them. Elements that were never written are the filler and take no memory by the page.
/// Two copies tell where they differ in time that grows with the differences alone.
struct PersistentArray<Element: PageElement>: @unchecked Sendable {
    // Unchecked, because pages are written to: never one that a second array can see.

    private typealias Leaf = LeafPage<Element>

    /// A branch, or a leaf when the height is zero.
    private var root: AnyObject?
    /// How many levels of branches stand above the leaves.
    private var height = 0

    subscript(index: Int) -> Element {
        get {
            guard let root, index < capacity else { return .filler }
            defer { withExtendedLifetime(root) {} }
            var page = Unmanaged.passUnretained(root)
            for height in stride(from: height, to: 0, by: -1) {
                let position = Self.position(index, height)
                let child = page._withUnsafeGuaranteedRef {
                    unsafeDowncast($0, to: BranchPage.self)[position]
                }
                guard let child else { return .filler }
                page = child
            }
            return page._withUnsafeGuaranteedRef {
                unsafeDowncast($0, to: Leaf.self).withUnsafeMutablePointerToElements { $0[Self.position(index, 0)] }
            }
        }
        set { update(at: index) { $0 = newValue } }
    }

    /// Changes an element in place.
    mutating func update(at index: Int, _ body: (inout Element) -> Void) {
        while index >= capacity { grow() }
        Self.update(&root, at: index, height: height, body)
    }

    private var capacity: Int { 1 << (pageBits * (height + 1)) }

    private mutating func grow() {
        if let root {
            let branch = BranchPage.make()
            branch.update(at: 0) { $0 = root }
            self.root = branch
        }
        height += 1
    }

    private static func position(_ index: Int, _ height: Int) -> Int {
        index >> (pageBits * height) & (pageSize - 1)
    }

    // These are static: a method of the array would hold the array, and so keep every page from being its only holder's.

    private static func update(
        _ page: inout AnyObject?, at index: Int, height: Int, _ body: (inout Element) -> Void
    ) {
        let position = position(index, height)
        if height == 0 {
            leaf(&page).withUnsafeMutablePointerToElements { body(&$0[position]) }
        } else {
            branch(&page).update(at: position) { update(&$0, at: index, height: height - 1, body) }
        }
    }

    /// The page, made or copied where that is needed to write to it.
    private static func leaf(_ page: inout AnyObject?) -> Leaf {
        if isKnownUniquelyReferenced(&page), let page { return unsafeDowncast(page, to: Leaf.self) }
        let leaf = page.map { unsafeDowncast($0, to: Leaf.self).copy() } ?? Leaf.make(repeating: .filler)
        page = leaf
        return leaf
    }

    private static func branch(_ page: inout AnyObject?) -> BranchPage {
        if isKnownUniquelyReferenced(&page), let page { return unsafeDowncast(page, to: BranchPage.self) }
        let branch = page.map { unsafeDowncast($0, to: BranchPage.self).copy() } ?? BranchPage.make()
        page = branch
        return branch
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
        _ old: AnyObject?, _ oldHeight: Int, _ new: AnyObject?, _ newHeight: Int, from start: Int,
        _ body: (Int, Element, Element) -> Void
    ) {
        if old === new { return }
        let height = max(oldHeight, newHeight)
        if height == 0 {
            for position in 0..<pageSize {
                body(start + position, element(of: old, at: position), element(of: new, at: position))
            }
            return
        }
        for position in 0..<pageSize {
            let (oldChild, oldChildHeight) = child(of: old, oldHeight, at: position, height)
            let (newChild, newChildHeight) = child(of: new, newHeight, at: position, height)
            let start = start + position << (pageBits * height)
            visit(oldChild, oldChildHeight, newChild, newChildHeight, from: start, body)
        }
    }

    /// The page at a position of a branch of `height`; a lower page counts as that branch's first child.
    private func child(of page: AnyObject?, _ pageHeight: Int, at position: Int, _ height: Int) -> (AnyObject?, Int) {
        if pageHeight < height { return position == 0 ? (page, pageHeight) : (nil, height - 1) }
        guard let page else { return (nil, height - 1) }
        return (unsafeDowncast(page, to: BranchPage.self)[position]?.takeUnretainedValue(), height - 1)
    }

    private func element(of page: AnyObject?, at position: Int) -> Element {
        guard let page else { return .filler }
        return unsafeDowncast(page, to: Leaf.self).withUnsafeMutablePointerToElements { $0[position] }
    }
}

extension ContiguousArray {
    /// Whether both are one buffer, and so the same elements. Costs nothing; false does not mean that they differ.
    func isShared(with other: ContiguousArray) -> Bool { identity == other.identity }

    private var identity: UnsafeRawPointer? {
        withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
}
