/// Numbers the pages of all sibling trees of a list.
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

/// The children of one owner, in order: a page of a counted B+tree, with what stands under it.
///
/// Leaves hold up to 64 handles, branches up to 32 pages. Counts stand beside the pages in the branch above them, so a
/// change of a count alone copies no leaf. A copy shares its pages with the original until one of the two changes.
struct SiblingTree: @unchecked Sendable {
    // Unchecked, because pages are written to: never one that a second tree can see.

    static let leafCountMax = 64
    static let branchCountMax = pageSize
    /// Where a leaf that is appended to is left with room for later insertions.
    static let leafCountAppended = 56

    typealias Branch = SiblingBranch

    /// A `Branch`, or a `HandlePage` when the height is zero. First, and the only reference, for `LendingPage`.
    var page: AnyObject
    let number: PageNumber
    /// How many siblings stand in it.
    var count: UInt32
    /// How many they are with all their descendants.
    var total: UInt32
    /// How many levels of branches stand above the leaves.
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

/// The pages under a branch of a sibling tree.
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

    /// The page without counting a reference. Valid as long as somebody holds this tree.
    func unmanagedPage<Page: AnyObject>(as type: Page.Type) -> Unmanaged<Page> {
        Unmanaged.passUnretained(unsafeDowncast(page, to: type))
    }

    /// The handles of a leaf.
    func withHandles<R>(_ body: (UnsafeBufferPointer<Handle>) -> R) -> R {
        unmanagedPage(as: HandlePage.self)._withUnsafeGuaranteedRef { body($0.handles) }
    }

    /// The pages under a branch.
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

    /// Calls the body for each page of handles, in order.
    func forEachLeaf(_ body: (SiblingTree) -> Void) {
        if isLeaf { return body(self) }
        withPages { pages in for page in pages { page.forEachLeaf(body) } }
    }

    /// Whether the condition holds for any sibling, of which those without children are known not to meet it.
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

/// Where a page of a sibling tree stands, for reading on the way down: nothing is copied, so no reference is counted,
/// and the processor need not wait for one page before it fetches the next. Valid as long as somebody holds the tree.
struct SiblingPage {
    private let page: UnsafeMutablePointer<SiblingTree>

    fileprivate init(_ page: UnsafeMutablePointer<SiblingTree>) { self.page = page }

    var isLeaf: Bool { page.pointee.height == 0 }
    var number: PageNumber { page.pointee.number }
    var count: Int { Int(page.pointee.count) }
    var total: Int { Int(page.pointee.total) }

    /// Of a leaf.
    var handles: UnsafeBufferPointer<Handle> {
        object(as: HandlePage.self)._withUnsafeGuaranteedRef { $0.handles }
    }

    /// Of a branch.
    var pages: (first: SiblingPage, count: Int) {
        object(as: SiblingTree.Branch.self)._withUnsafeGuaranteedRef { (SiblingPage($0.elements), $0.count) }
    }

    subscript(position: Int) -> SiblingPage { SiblingPage(page + position) }

    private func object<Page: AnyObject>(as type: Page.Type) -> Unmanaged<Page> {
        UnsafeRawPointer(page).load(as: Unmanaged<Page>.self)
    }
}

extension Forest {
    /// The root of the children of a handle that has any. Valid as long as somebody holds this forest.
    private func root(_ owner: Handle) -> SiblingPage? {
        guard let root = trees.readable(at: Int(owner)), reference(root) != nil else { return nil }
        // An optional tree is laid out as a tree: its reference tells whether there is one.
        return SiblingPage(UnsafeMutableRawPointer(root).assumingMemoryBound(to: SiblingTree.self))
    }

    /// One more than the number of its descendants.
    func weight(_ handle: Handle) -> Int {
        defer { withExtendedLifetime(self) {} }
        return 1 + (root(handle)?.total ?? 0)
    }

    /// What stands before a handle under its owner.
    private struct Preceding {
        /// How many siblings stand in the pages before its leaf, and how many they are with all their descendants.
        var siblings = 0
        var all = 0
        var leaf: SiblingPage
        /// In the leaf.
        var position = 0
    }

    /// Valid as long as somebody holds this forest. O(log n).
    private func preceding(_ handle: Handle) -> Preceding {
        let place = slots.place(handle)
        let route = route(from: place.leaf)
        guard let root = root(place.parent) else { preconditionFailure("an owner of children has a tree") }
        var preceding = Preceding(leaf: root)
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
        let preceding = preceding(handle)
        return preceding.siblings + preceding.position
    }

    /// How many there are before a handle under its owner: siblings and all their descendants. O(log n).
    func siblingOffset(_ handle: Handle) -> Int {
        defer { withExtendedLifetime(self) {} }
        let preceding = preceding(handle)
        guard preceding.leaf.total > preceding.leaf.count else { return preceding.all + preceding.position }
        return preceding.all + weights(of: preceding.leaf.handles[..<preceding.position])
    }

    /// The handle at a depth-first offset under an owner, and what is left of the offset within its subtree:
    /// 0 is the handle itself. O(log n).
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

    /// Calls with the sections that have items from a depth-first offset among all items on, and with how many items of the
    /// section come before it, as long as the body wants more. Sections without items are not met. O(1) for a section that
    /// follows on the same page, O(log n) for any other.
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

    /// The handle at an index among the children of an owner; nil beyond them. O(log n).
    func child(atIndex index: Int, under owner: Handle) -> Handle? {
        defer { withExtendedLifetime(self) {} }
        guard let root = root(owner), index >= 0, index < root.count else { return nil }
        let (leaf, rest) = leaf(below: root, at: index) { $0.count }
        return leaf.handles[rest]
    }

    /// The leaf that holds an offset among what is counted, and what is left of the offset within it.
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
    func route(of handle: Handle) -> Route { route(from: slots.place(handle).leaf) }

    private func route(from leaf: PageNumber) -> Route {
        var route = Route()
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

    /// The sibling before a handle, if there is one. O(log n).
    func previousSibling(_ handle: Handle) -> Handle? {
        defer { withExtendedLifetime(self) {} }
        // What was appended is the last: nothing need be counted on the way to it.
        if var page = root(parent(handle)) {
            while !page.isLeaf { page = page.pages.first[page.pages.count - 1] }
            let handles = page.handles
            if handles.count > 1, handles[handles.count - 1] == handle { return handles[handles.count - 2] }
        }
        let preceding = preceding(handle)
        if preceding.position > 0 { return preceding.leaf.handles[preceding.position - 1] }
        return preceding.siblings == 0 ? nil : children(parent(handle))?[preceding.siblings - 1]
    }
}

/// The way from a leaf up to the root. 16 levels are more than a B+tree of 2³² handles has.
struct Route {
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
