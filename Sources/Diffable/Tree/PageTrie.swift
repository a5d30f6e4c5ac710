protocol TriePage: AnyObject {
    static func make() -> Self
    /// A copy with a sole reference.
    func copy() -> Self
}

/// A branch with references to branches, or to pages at the lowest level. It ends after the last child.
final class TrieBranch: ManagedBuffer<LendingPageHeader, AnyObject?>, LendingPage {
    typealias Element = AnyObject?

    static func makeEmpty() -> TrieBranch {
        unsafeDowncast(create(minimumCapacity: pageSize) { _ in LendingPageHeader() }, to: TrieBranch.self)
    }

    var parts: (header: UnsafeMutablePointer<LendingPageHeader>, elements: UnsafeMutablePointer<AnyObject?>) {
        withUnsafeMutablePointers { ($0, $1) }
    }

    deinit { releaseElements() }
}

/// Pages by number, shared with copies of the trie while they are equal: a radix trie with a base of 32.
///
/// Reading costs O(log n). Writing copies the pages on the path, but only if a copy of the trie shares them. The cost
/// of finding the differences of two copies depends only on their number.
struct PageTrie<Page: TriePage>: @unchecked Sendable {
    // Unchecked, because pages are written to; but never a page that another trie retains.

    private typealias Branch = TrieBranch

    /// A branch, or a page if the height is zero.
    private var root: AnyObject?
    /// The number of levels of branches above the pages.
    private var height = 0

    /// Valid while this trie is retained. Nil for a page that was never written.
    func page(at index: Int) -> Unmanaged<Page>? {
        guard let root, isInside(index) else { return nil }
        // References are read as plain words, because retaining them would cost more than everything else.
        var page = Unmanaged.passUnretained(root)
        var shift = pageBits * height
        while shift > 0 {
            shift -= pageBits
            guard let child = Self.child(page, at: index >> shift & (pageSize - 1)) else { return nil }
            page = child
        }
        return Unmanaged<Page>.fromOpaque(page.toOpaque())
    }

    private static func child(_ branch: Unmanaged<AnyObject>, at position: Int) -> Unmanaged<AnyObject>? {
        branch._withUnsafeGuaranteedRef {
            let branch = unsafeDowncast($0, to: Branch.self)
            guard position < branch.count else { return nil }
            return UnsafeRawPointer(branch.elements + position).load(as: Unmanaged<AnyObject>?.self)
        }
    }

    /// The address of the reference to a page for writing or replacing. Valid until the next call, while the trie is not copied.
    mutating func writableReference(at index: Int) -> UnsafeMutablePointer<AnyObject?> {
        while !isInside(index) { grow() }
        var reference = withUnsafeMutablePointer(to: &root) { $0 }
        var shift = pageBits * height
        while shift > 0 {
            shift -= pageBits
            reference = Branch.writable(reference)._withUnsafeGuaranteedRef { branch in
                let position = index >> shift & (pageSize - 1)
                while branch.count <= position { branch.append(nil) }
                return branch.writable(at: position) { borrowed in
                    borrowed._withUnsafeGuaranteedRef { borrowed -> AnyObject in
                        if shift > 0 { return unsafeDowncast(borrowed, to: Branch.self).copy() }
                        return unsafeDowncast(borrowed, to: Page.self).copy()
                    }
                }
            }
        }
        return reference
    }

    /// A page for writing, created or copied if necessary. Valid while the trie is not copied.
    mutating func writablePage(at index: Int) -> Unmanaged<Page> {
        let reference = writableReference(at: index)
        if !isKnownUniquelyReferenced(&reference.pointee) {
            reference.pointee = reference.pointee.map { unsafeDowncast($0, to: Page.self).copy() } ?? Page.make()
        }
        return unmanaged(reference)
    }

    private func isInside(_ index: Int) -> Bool { index >> (pageBits * height) == 0 }

    private mutating func grow() {
        if let root {
            let branch = Branch.makeEmpty()
            branch.append(root)
            self.root = branch
        }
        height += 1
    }
}

// MARK: - Differences

extension PageTrie {
    /// Calls the body for each page that the two do not share, in ascending order, with the old one and this one. O(d · log
    /// n) for d such pages. References are not retained on the way, which would dominate the cost of a small difference.
    func forEachDifference(from old: PageTrie, _ body: (Int, Unmanaged<Page>?, Unmanaged<Page>?) -> Void) {
        withExtendedLifetime((old.root, root)) {
            Self.forEachDifferingPage(
                old.root.map(Unmanaged.passUnretained), old.height, root.map(Unmanaged.passUnretained), height,
                from: 0, body)
        }
    }

    private static func forEachDifferingPage(
        _ old: Unmanaged<AnyObject>?, _ oldHeight: Int, _ new: Unmanaged<AnyObject>?, _ newHeight: Int,
        from start: Int, _ body: (Int, Unmanaged<Page>?, Unmanaged<Page>?) -> Void
    ) {
        if old?.toOpaque() == new?.toOpaque() { return }
        let height = max(oldHeight, newHeight)
        if height == 0 {
            return body(
                start, old.map { .fromOpaque($0.toOpaque()) }, new.map { .fromOpaque($0.toOpaque()) })
        }
        for position in 0..<max(childCount(old, oldHeight, height), childCount(new, newHeight, height)) {
            let oldChild = child(of: old, oldHeight, at: position, height)
            let newChild = child(of: new, newHeight, at: position, height)
            if oldChild?.toOpaque() == newChild?.toOpaque() { continue }
            forEachDifferingPage(
                oldChild, min(oldHeight, height - 1), newChild, min(newHeight, height - 1),
                from: start + position << (pageBits * (height - 1)), body)
        }
    }

    /// Whether the two share all but at most `pagesMax` pages. O(pagesMax · log n) in any case.
    func sharesMostPages(with old: PageTrie, pagesMax: Int) -> Bool {
        withExtendedLifetime((old.root, root)) {
            var pagesLeft = pagesMax
            Self.count(
                old.root.map(Unmanaged.passUnretained), old.height, root.map(Unmanaged.passUnretained), height,
                downFrom: &pagesLeft)
            return pagesLeft >= 0
        }
    }

    /// Subtracts one for each page that the two do not share, and stops below zero.
    private static func count(
        _ old: Unmanaged<AnyObject>?, _ oldHeight: Int, _ new: Unmanaged<AnyObject>?, _ newHeight: Int,
        downFrom pagesLeft: inout Int
    ) {
        if pagesLeft < 0 || old?.toOpaque() == new?.toOpaque() { return }
        let height = max(oldHeight, newHeight)
        if height == 0 {
            pagesLeft -= 1
            return
        }
        for position in 0..<max(childCount(old, oldHeight, height), childCount(new, newHeight, height)) {
            count(
                child(of: old, oldHeight, at: position, height), min(oldHeight, height - 1),
                child(of: new, newHeight, at: position, height), min(newHeight, height - 1), downFrom: &pagesLeft)
        }
    }

    // A lower page counts as the first child of a branch of `height`.

    private static func childCount(_ page: Unmanaged<AnyObject>?, _ pageHeight: Int, _ height: Int) -> Int {
        guard let page else { return 0 }
        return pageHeight < height ? 1 : page._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Branch.self).count }
    }

    private static func child(
        of page: Unmanaged<AnyObject>?, _ pageHeight: Int, at position: Int, _ height: Int
    ) -> Unmanaged<AnyObject>? {
        guard let page else { return nil }
        if pageHeight < height { return position == 0 ? page : nil }
        return child(page, at: position)
    }
}
