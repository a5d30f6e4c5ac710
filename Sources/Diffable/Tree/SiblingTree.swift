/// The number of a page, unique among all sibling trees of a list.
typealias PageNumber = UInt32

let noPage = PageNumber.max

extension PageNumber: PageElement {
    typealias Page = PageNumberPage
    static var filler: PageNumber { noPage }
    static var pageBits: Int { 5 }
    static var beginsWithReference: Bool { false }
}

final class PageNumberPage: ManagedBuffer<Void, PageNumber>, ElementPage {
    typealias Element = PageNumber

    static func makeEmpty() -> PageNumberPage {
        unsafeDowncast(create(minimumCapacity: PageNumber.pageCount) { _ in () }, to: PageNumberPage.self)
    }

    var elements: UnsafeMutablePointer<PageNumber> { withUnsafeMutablePointerToElements { $0 } }
}

extension SiblingTree?: PageElement {
    typealias Page = SiblingTreePage
    static var filler: SiblingTree? { nil }
    static var pageBits: Int { 3 }
    static var beginsWithReference: Bool { true }
}

final class SiblingTreePage: ManagedBuffer<Void, SiblingTree?>, ElementPage {
    typealias Element = SiblingTree?

    static func makeEmpty() -> SiblingTreePage {
        unsafeDowncast(create(minimumCapacity: SiblingTree?.pageCount) { _ in () }, to: SiblingTreePage.self)
    }

    var elements: UnsafeMutablePointer<SiblingTree?> { withUnsafeMutablePointerToElements { $0 } }

    deinit { releaseReferences(elements, count: SiblingTree?.pageCount) }
}

/// The children of one owner, in order: a page of a counted B+tree, with everything below it.
///
/// Leaves have up to 64 handles, branches up to 32 pages. Counts are stored in the branch above a page, so changing
/// only a count copies no leaf. A copy shares its pages with the original until one of the two changes.
struct SiblingTree: @unchecked Sendable {
    // Unchecked, because pages are written to; but never a page that another tree retains.

    static let leafCountMax = 64
    static let branchCountMax = pageSize
    /// A leaf that is appended to stops growing here, which leaves room for later insertions.
    static let leafCountAppended = 56

    typealias Branch = SiblingBranch

    /// A `Branch`, or a `HandlePage` if the height is zero. The first member and the only reference, as `LendingPage` requires.
    var page: AnyObject
    let number: PageNumber
    /// The number of siblings in it.
    var count: UInt32
    /// The number of siblings in it with all their descendants.
    var total: UInt32
    /// The number of levels of branches above the leaves.
    let height: UInt8

    init(leaf: HandlePage, number: PageNumber, total: Int) {
        self.init(page: leaf, number: number, count: UInt32(leaf.handles.count), total: UInt32(total), height: 0)
    }

    init(page: AnyObject, number: PageNumber, count: UInt32, total: UInt32, height: UInt8) {
        self.page = page
        self.number = number
        self.count = count
        self.total = total
        self.height = height
    }

    /// Whether both are the same pages with the same handles.
    @inline(__always)
    func isShared(with other: borrowing SiblingTree) -> Bool {
        number == other.number
            && Unmanaged.passUnretained(page).toOpaque() == Unmanaged.passUnretained(other.page).toOpaque()
    }
}

final class SiblingBranch: ManagedBuffer<LendingPageHeader, SiblingTree>, LendingPage {
    typealias Element = SiblingTree

    static func makeEmpty() -> SiblingBranch {
        unsafeDowncast(create(minimumCapacity: pageSize) { _ in LendingPageHeader() }, to: SiblingBranch.self)
    }

    var parts: (header: UnsafeMutablePointer<LendingPageHeader>, elements: UnsafeMutablePointer<SiblingTree>) {
        withUnsafeMutablePointers { ($0, $1) }
    }

    deinit { releaseElements() }
}

// MARK: - Reading

extension SiblingTree {
    var isLeaf: Bool { height == 0 }

    /// The page without a reference count. Valid while this tree is retained.
    func unmanagedPage<Page: AnyObject>(as type: Page.Type) -> Unmanaged<Page> {
        Unmanaged.passUnretained(unsafeDowncast(page, to: type))
    }

    func withHandles<R>(_ body: (UnsafeBufferPointer<Handle>) -> R) -> R {
        unmanagedPage(as: HandlePage.self)._withUnsafeGuaranteedRef { body($0.handles) }
    }

    func withPages<R>(_ body: (UnsafeBufferPointer<SiblingTree>) -> R) -> R {
        unmanagedPage(as: Branch.self)._withUnsafeGuaranteedRef {
            body(UnsafeBufferPointer(start: $0.elements, count: $0.count))
        }
    }

    func forEach(_ body: (Handle) -> Void) {
        if isLeaf {
            withHandles { handles in for handle in handles { body(handle) } }
        } else {
            withPages { pages in for position in pages.indices { pages[position].forEach(body) } }
        }
    }

    func forEachLeaf(_ body: (SiblingTree) -> Void) {
        if isLeaf { return body(self) }
        withPages { pages in for page in pages { page.forEachLeaf(body) } }
    }

    /// Whether the condition holds for any sibling with children. Siblings without children are not tested reliably, so
    /// the condition has to be false for them.
    func containsParent(where condition: (Handle) -> Bool) -> Bool {
        if total == count { return false }
        if isLeaf { return withHandles { $0.contains(where: condition) } }
        return withPages { $0.contains { $0.containsParent(where: condition) } }
    }

    func forEachPage(_ body: (PageNumber) -> Void) {
        body(number)
        if isLeaf { return }
        withPages { pages in for page in pages { page.forEachPage(body) } }
    }

    var last: Handle {
        if isLeaf { return withHandles { $0[$0.count - 1] } }
        return withPages { $0[$0.count - 1].last }
    }

    /// The handle at an index among the siblings. O(log n).
    subscript(index: Int) -> Handle {
        if isLeaf { return withHandles { $0[index] } }
        return withPages { pages in
            var rest = index
            for position in pages.indices {
                let count = Int(pages[position].count)
                if rest < count { return pages[position][rest] }
                rest -= count
            }
            preconditionFailure("index \(index) is beyond the siblings")
        }
    }
}

/// The address of a page of a sibling tree, for traversal: nothing is copied or retained, and the CPU need not wait for
/// one page before it fetches the next. Valid while the tree is retained.
struct SiblingPage {
    private let page: UnsafeMutablePointer<SiblingTree>

    fileprivate init(_ page: UnsafeMutablePointer<SiblingTree>) { self.page = page }

    var isLeaf: Bool { page.pointee.height == 0 }
    var number: PageNumber { page.pointee.number }
    var count: Int { Int(page.pointee.count) }
    var total: Int { Int(page.pointee.total) }

    /// Only for a leaf.
    var handles: UnsafeBufferPointer<Handle> {
        object(as: HandlePage.self)._withUnsafeGuaranteedRef { $0.handles }
    }

    /// Only for a branch.
    var pages: (first: SiblingPage, count: Int) {
        object(as: SiblingTree.Branch.self)._withUnsafeGuaranteedRef { (SiblingPage($0.elements), $0.count) }
    }

    subscript(position: Int) -> SiblingPage { SiblingPage(page + position) }

    private func object<Page: AnyObject>(as type: Page.Type) -> Unmanaged<Page> {
        UnsafeRawPointer(page).load(as: Unmanaged<Page>.self)
    }
}

extension Forest {
    /// The root of the children of a handle that has any. Valid while this forest is retained.
    private func root(_ owner: Handle) -> SiblingPage? {
        guard let root = trees.readable(at: Int(owner)), reference(root) != nil else { return nil }
        // An optional tree has the layout of a tree: its reference is nil for none.
        return SiblingPage(UnsafeMutableRawPointer(root).assumingMemoryBound(to: SiblingTree.self))
    }

    /// The number of descendants plus one.
    func weight(_ handle: Handle) -> Int {
        defer { withExtendedLifetime(self) {} }
        return 1 + (root(handle)?.total ?? 0)
    }

    /// The position of a handle under its owner, and the counts before it.
    private struct PrecedingCounts {
        /// The number of siblings in the pages before its leaf, and their number with all descendants.
        var siblings = 0
        var all = 0
        var leaf: SiblingPage
        /// The index in the leaf.
        var position = 0
    }

    /// Valid while this forest is retained. O(log n).
    private func precedingCounts(of handle: Handle) -> PrecedingCounts {
        let place = slots.place(handle)
        let route = route(from: place.leaf)
        guard let root = root(place.parent) else { preconditionFailure("an owner of children has a tree") }
        var preceding = PrecedingCounts(leaf: root)
        var height = route.count - 1
        while !preceding.leaf.isLeaf {
            height -= 1
            let (first, count) = preceding.leaf.pages
            var position = 0
            while first[position].number != route[height] {
                preceding.siblings += first[position].count
                preceding.all += first[position].total
                position += 1
                precondition(position < count, "a page is where its number says")
            }
            preceding.leaf = first[position]
        }
        preceding.position = preceding.leaf.handles.position(of: handle)
        return preceding
    }

    /// The index of a handle among its siblings. O(log n).
    func siblingIndex(_ handle: Handle) -> Int {
        defer { withExtendedLifetime(self) {} }
        let preceding = precedingCounts(of: handle)
        return preceding.siblings + preceding.position
    }

    /// The number of preceding siblings with all their descendants. O(log n).
    func siblingOffset(_ handle: Handle) -> Int {
        defer { withExtendedLifetime(self) {} }
        let preceding = precedingCounts(of: handle)
        guard preceding.leaf.total > preceding.leaf.count else { return preceding.all + preceding.position }
        return preceding.all + weights(of: preceding.leaf.handles[..<preceding.position])
    }

    /// The handle at a depth-first offset under an owner, and the rest of the offset within its subtree: 0 is the
    /// handle itself. O(log n).
    func child(atOffset offset: Int, under owner: Handle) -> (Handle, rest: Int) {
        defer { withExtendedLifetime(self) {} }
        guard let root = root(owner) else { preconditionFailure("offset \(offset) is beyond the children") }
        var (leaf, rest) = leaf(below: root, at: offset) { $0.total }
        if leaf.total == leaf.count { return (leaf.handles[rest], 0) }
        for handle in leaf.handles {
            let weight = weight(handle)
            if rest < weight { return (handle, rest) }
            rest -= weight
        }
        preconditionFailure("offset \(offset) is beyond the children")
    }

    /// Calls the body with each section that has items at or after a depth-first offset among all items, and with the
    /// number of the section's items before that offset, until the body returns false. Skips sections without items.
    /// O(1) for a section that follows on the same page, O(log n) for any other.
    func forEachSection(fromItem offset: Int, _ body: (Handle, _ rest: Int) -> Bool) {
        defer { withExtendedLifetime(self) {} }
        guard let root = root(Forest.list), offset >= 0 else { return }
        let numberOfItems = Int(root.total - root.count)
        var offset = offset
        while offset < numberOfItems {
            var (leaf, rest) = leaf(below: root, at: offset) { $0.total - $0.count }
            for section in leaf.handles {
                let items = weight(section) - 1
                if rest >= items {
                    rest -= items
                    continue
                }
                guard body(section, rest) else { return }
                offset += items - rest
                rest = 0
            }
        }
    }

    /// The handle at an index among the children of an owner. Nil if out of range. O(log n).
    func child(atIndex index: Int, under owner: Handle) -> Handle? {
        defer { withExtendedLifetime(self) {} }
        guard let root = root(owner), index >= 0, index < root.count else { return nil }
        let (leaf, rest) = leaf(below: root, at: index) { $0.count }
        return leaf.handles[rest]
    }

    /// The leaf that contains an offset according to `count`, and the rest of the offset within it.
    @inline(__always)
    private func leaf(below root: SiblingPage, at offset: Int, counting count: (SiblingPage) -> Int) -> (
        SiblingPage, rest: Int
    ) {
        var (page, rest) = (root, offset)
        while !page.isLeaf {
            let (first, numberOfPages) = page.pages
            var position = 0
            while rest >= count(first[position]) {
                rest -= count(first[position])
                position += 1
                precondition(position < numberOfPages, "an offset is not beyond the children")
            }
            page = first[position]
        }
        return (page, rest)
    }
}

extension Forest {
    /// The numbers of the pages from a handle's leaf to the root of its tree.
    func route(of handle: Handle) -> PagePath { route(from: slots.place(handle).leaf) }

    private func route(from leaf: PageNumber) -> PagePath {
        var route = PagePath()
        var number = leaf
        while number != noPage {
            route.append(number)
            number = pageParents[Int(number)]
        }
        return route
    }

    func weights(of handles: some Sequence<Handle>) -> Int {
        handles.reduce(0) { $0 + weight($1) }
    }

    /// The sibling before a handle, if any. O(log n).
    func previousSibling(_ handle: Handle) -> Handle? {
        defer { withExtendedLifetime(self) {} }
        // A handle that was just appended is the last, which needs no counting on the way.
        if var page = root(parent(handle)) {
            while !page.isLeaf { page = page.pages.first[page.pages.count - 1] }
            let handles = page.handles
            if handles.count > 1, handles[handles.count - 1] == handle { return handles[handles.count - 2] }
        }
        let preceding = precedingCounts(of: handle)
        if preceding.position > 0 { return preceding.leaf.handles[preceding.position - 1] }
        return preceding.siblings == 0 ? nil : children(parent(handle))?[preceding.siblings - 1]
    }
}

/// The path from a leaf up to the root. 16 levels are more than a B+tree of 2³² handles has.
struct PagePath {
    private var numbers = InlineArray<16, PageNumber>(repeating: noPage)
    private(set) var count = 0

    mutating func append(_ number: PageNumber) {
        numbers[count] = number
        count += 1
    }

    subscript(height: Int) -> PageNumber { numbers[height] }
}

extension UnsafeBufferPointer<SiblingTree> {
    func position(of number: PageNumber) -> Int {
        for position in indices where self[position].number == number { return position }
        preconditionFailure("page \(number) is not where its number says")
    }
}

extension UnsafeBufferPointer<Handle> {
    func position(of handle: Handle) -> Int {
        for position in indices where self[position] == handle { return position }
        preconditionFailure("handle \(handle) is not where its slot says")
    }
}
