/// The pages that a trie leads to.
protocol TriePage: AnyObject {
    /// A page in which nothing was written.
    static func make() -> Self
    /// A page like this one that nobody else holds yet.
    func copy() -> Self
}

/// A branch has references to branches, or to pages at the lowest level. It ends after the last that is there.
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

/// Pages by number, shared with the copies of the trie as long as they are the same: a radix trie with a base of 32.
///
/// Reading costs O(log n). Writing copies the pages on the path, but only where another copy of the trie shares them.
/// Finding the differences of two copies takes time that depends on the number of differences only.
struct PageTrie<Page: TriePage>: @unchecked Sendable {
    // Unchecked, because pages are written to. A page that a second trie holds is never written to.

    private typealias Branch = TrieBranch

    /// A branch, or a page when the height is zero.
    private var root: AnyObject?
    /// How many levels of branches stand above the pages.
    private var height = 0

    /// Valid as long as somebody holds this trie; nil for a page that was never written.
    func page(at index: Int) -> Unmanaged<Page>? {
        guard let root, isInside(index) else { return nil }
        // References are read as plain words, because counting them would cost more than all the rest.
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

    /// The address of the reference to a page that will be written to or replaced. It is valid until the next call, as long as
    /// the trie is not copied.
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

    /// A page to write to. It is made or copied if that is necessary, and valid as long as the trie is not copied.
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
    /// Calls the body for each page that the two do not share, in ascending order, with the old one and this one.
    /// O(d · log n) for d such pages. No references are counted on the way: a small difference would cost little else.
    func forEachDifference(from old: PageTrie, _ body: (Int, Unmanaged<Page>?, Unmanaged<Page>?) -> Void) {
        withExtendedLifetime((old.root, root)) {
            Self.visit(
                old.root.map(Unmanaged.passUnretained), old.height, root.map(Unmanaged.passUnretained), height,
                from: 0, body)
        }
    }

    private static func visit(
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
            visit(
                oldChild, min(oldHeight, height - 1), newChild, min(newHeight, height - 1),
                from: start + position << (pageBits * (height - 1)), body)
        }
    }

    /// Whether the two share all but a few pages. O(pagesMax · log n), however many they do not share.
    func isNear(_ old: PageTrie, pagesMax: Int) -> Bool {
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
