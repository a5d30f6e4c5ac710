/// Numbers the pages of all sibling trees of a list.
typealias PageNumber = UInt32

let noPage = PageNumber.max

extension PageNumber: PageElement {
    static var filler: PageNumber { noPage }
}

extension SiblingTree?: PageElement {
    static var filler: SiblingTree? { nil }
}

/// The children of one owner, in order: a page of a counted B+tree, with what stands under it.
///
/// Leaves hold up to 64 handles, branches up to 32 pages. Counts stand beside the pages in the branch above them, so a
/// change of a count alone copies no leaf. A copy shares its pages with the original until one of the two changes.
struct SiblingTree: Sendable {
    enum Contents: Sendable {
        case leaf(ContiguousArray<Handle>)
        case branch(ContiguousArray<SiblingTree>)
    }

    static let leafCountMax = 64
    static let branchCountMax = 32
    /// Where a leaf that is appended to is left with room for later insertions.
    static let leafCountAppended = 56

    let number: PageNumber
    /// How many siblings stand in it.
    var count: UInt32
    /// How many they are with all their descendants.
    var total: UInt32
    var contents: Contents

    /// Takes the contents out while they change, so that an array that nobody shares changes in place.
    mutating func takeContents() -> Contents {
        let taken = contents
        contents = .leaf([])
        return taken
    }

    /// Whether both are the same pages with the same handles.
    func isShared(with other: SiblingTree) -> Bool {
        guard number == other.number else { return false }
        switch (contents, other.contents) {
        case (.leaf(let a), .leaf(let b)): return a.isShared(with: b)
        case (.branch(let a), .branch(let b)): return a.isShared(with: b)
        default: return false
        }
    }

    /// How many levels of branches stand above the leaves.
    var height: Int {
        if case .branch(let pages) = contents { return 1 + pages[0].height }
        return 0
    }
}

// MARK: - Reading

extension SiblingTree {
    func forEach(_ body: (Handle) -> Void) {
        switch contents {
        case .leaf(let handles): handles.forEach(body)
        case .branch(let pages): for page in pages { page.forEach(body) }
        }
    }

    func forEachPage(_ body: (PageNumber) -> Void) {
        body(number)
        if case .branch(let pages) = contents {
            for page in pages { page.forEachPage(body) }
        }
    }

    var first: Handle {
        switch contents {
        case .leaf(let handles): handles[0]
        case .branch(let pages): pages[0].first
        }
    }

    var last: Handle {
        switch contents {
        case .leaf(let handles): handles[handles.count - 1]
        case .branch(let pages): pages[pages.count - 1].last
        }
    }

    /// The handle at an index among the siblings. O(log n).
    subscript(index: Int) -> Handle {
        switch contents {
        case .leaf(let handles): return handles[index]
        case .branch(let pages):
            return pages.withUnsafeBufferPointer { pages in
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
}

extension Forest {
    /// The numbers of the pages from a handle's leaf to the root of its tree.
    private func route(of handle: Handle) -> Route {
        var route = Route()
        var number = slots[Int(handle)].leaf
        while number != noPage {
            route.append(number)
            number = pageParents[Int(number)]
        }
        return route
    }

    /// The index of a handle among its siblings. O(log n).
    func siblingIndex(_ handle: Handle) -> Int {
        preceding(handle, counting: \.count) { _, position in position }
    }

    /// How many there are before a handle under its owner: siblings and all their descendants. O(log n).
    func siblingOffset(_ handle: Handle) -> Int {
        preceding(handle, counting: \.total) { leaf, position in
            guard leaf.total > leaf.count, case .leaf(let handles) = leaf.contents else { return position }
            return weights(of: handles[..<position])
        }
    }

    private func preceding(
        _ handle: Handle, counting count: (borrowing SiblingTree) -> UInt32, in leaf: (SiblingTree, Int) -> Int
    ) -> Int {
        guard var tree = children(parent(handle)) else { preconditionFailure("an owner of children has a tree") }
        let route = route(of: handle)
        var sum = 0
        var height = route.count - 1
        while case .branch(let pages) = tree.contents {
            height -= 1
            let position = pages.position(of: route[height])
            pages.withUnsafeBufferPointer { pages in
                for other in 0..<position { sum += Int(count(pages[other])) }
            }
            tree = pages[position]
        }
        guard case .leaf(let handles) = tree.contents else { return sum }
        return sum + leaf(tree, handles.position(of: handle))
    }

    /// The handle at a depth-first offset under an owner, and what is left of the offset within its subtree:
    /// 0 is the handle itself. O(log n).
    func child(atOffset offset: Int, under owner: Handle) -> (Handle, rest: Int) {
        guard var tree = children(owner) else { preconditionFailure("offset \(offset) is beyond the children") }
        var rest = offset
        while case .branch(let pages) = tree.contents {
            guard
                let page = pages.first(where: { page in
                    if rest < page.total { return true }
                    rest -= Int(page.total)
                    return false
                })
            else { preconditionFailure("offset \(offset) is beyond the children") }
            tree = page
        }
        guard case .leaf(let handles) = tree.contents else { return (0, 0) }
        if tree.total == tree.count { return (handles[rest], 0) }
        for handle in handles {
            let weight = weight(handle)
            if rest < weight { return (handle, rest) }
            rest -= weight
        }
        preconditionFailure("offset \(offset) is beyond the children")
    }

    /// The sibling before a handle, if there is one. O(log n).
    func previousSibling(_ handle: Handle) -> Handle? {
        let index = siblingIndex(handle)
        return index == 0 ? nil : children(parent(handle))?[index - 1]
    }
}

/// The way from a leaf up to the root. 16 levels are more than a B+tree of 2³² handles has.
private struct Route {
    private var numbers = InlineArray<16, PageNumber>(repeating: noPage)
    private(set) var count = 0

    mutating func append(_ number: PageNumber) {
        numbers[count] = number
        count += 1
    }

    subscript(height: Int) -> PageNumber { numbers[height] }
}

extension ContiguousArray<SiblingTree> {
    fileprivate func position(of number: PageNumber) -> Int {
        withUnsafeBufferPointer { pages in
            for position in pages.indices where pages[position].number == number { return position }
            preconditionFailure("page \(number) is not where its number says")
        }
    }
}

extension ContiguousArray<Handle> {
    fileprivate func position(of handle: Handle) -> Int {
        withUnsafeBufferPointer { handles in
            for position in handles.indices where handles[position] == handle { return position }
            preconditionFailure("handle \(handle) is not where its slot says")
        }
    }
}

// MARK: - Changing

extension Forest {
    mutating func insert(_ handle: Handle, weight: Int, into root: inout SiblingTree?, at spot: Spot) {
        guard var tree = root.take() else {
            let number = allocatePage(under: noPage)
            setLeaf(number, of: handle)
            root = SiblingTree(number: number, count: 1, total: UInt32(weight), contents: .leaf([handle]))
            return
        }
        let route: Route
        switch spot {
        case .front, .end: route = Route()
        case .before(let sibling), .after(let sibling): route = self.route(of: sibling)
        }
        if let right = insert(handle, weight: weight, into: &tree, at: spot, route, height: route.count - 1) {
            let number = allocatePage(under: noPage)
            pageParents[Int(tree.number)] = number
            pageParents[Int(right.number)] = number
            root = SiblingTree(
                number: number, count: tree.count + right.count, total: tree.total + right.total,
                contents: .branch([tree, right]))
        } else {
            root = tree
        }
    }

    /// Returns the page's new right neighbour when the page had to be split.
    private mutating func insert(
        _ handle: Handle, weight: Int, into page: inout SiblingTree, at spot: Spot, _ route: Route, height: Int
    ) -> SiblingTree? {
        page.count += 1
        page.total += UInt32(weight)
        switch page.takeContents() {
        case .leaf(var handles):
            let position =
                switch spot {
                case .front: 0
                case .end: handles.count
                case .before(let sibling): handles.position(of: sibling)
                case .after(let sibling): handles.position(of: sibling) + 1
                }
            let isAppended = position == handles.count
            handles.insert(handle, at: position)
            setLeaf(page.number, of: handle)
            let countMax = isAppended ? SiblingTree.leafCountAppended : SiblingTree.leafCountMax
            guard handles.count > countMax else {
                page.contents = .leaf(handles)
                return nil
            }
            // Appending begins a new page and moves nothing; anything else leaves halves.
            let cut = isAppended ? position : handles.count / 2
            let right = ContiguousArray(handles[cut...])
            page.contents = .leaf(ContiguousArray(handles[..<cut]))
            return split(page: &page, right: .leaf(right), count: right.count, total: weights(of: right))

        case .branch(var pages):
            let position =
                switch spot {
                case .front: 0
                case .end: pages.count - 1
                case .before, .after: pages.position(of: route[height - 1])
                }
            if let right = insert(
                handle, weight: weight, into: &pages[position], at: spot, route, height: height - 1)
            {
                pageParents[Int(right.number)] = page.number
                pages.insert(right, at: position + 1)
            }
            guard pages.count > SiblingTree.branchCountMax else {
                page.contents = .branch(pages)
                return nil
            }
            let cut = position + 1 == pages.count - 1 ? pages.count - 1 : pages.count / 2
            let right = ContiguousArray(pages[cut...])
            page.contents = .branch(ContiguousArray(pages[..<cut]))
            return split(
                page: &page, right: .branch(right), count: right.reduce(0) { $0 + Int($1.count) },
                total: right.reduce(0) { $0 + Int($1.total) })
        }
    }

    private func weights(of handles: some Sequence<Handle>) -> Int {
        handles.reduce(0) { $0 + weight($1) }
    }

    private mutating func split(
        page: inout SiblingTree, right contents: SiblingTree.Contents, count: Int, total: Int
    ) -> SiblingTree {
        page.count -= UInt32(count)
        page.total -= UInt32(total)
        let right = SiblingTree(
            number: allocatePage(under: noPage), count: UInt32(count), total: UInt32(total), contents: contents)
        claim(contents, by: right.number)
        return right
    }

    /// Tells what stands in a page which page that is.
    private mutating func claim(_ contents: SiblingTree.Contents, by number: PageNumber) {
        switch contents {
        case .leaf(let handles): for handle in handles { setLeaf(number, of: handle) }
        case .branch(let pages): for page in pages { pageParents[Int(page.number)] = number }
        }
    }

    mutating func remove(_ handle: Handle, weight: Int, from root: inout SiblingTree?) {
        guard var tree = root.take() else { preconditionFailure("what is removed has siblings or is alone") }
        let route = route(of: handle)
        remove(handle, weight: weight, from: &tree, route, height: route.count - 1)
        guard tree.count > 0 else {
            freePage(tree.number)
            return
        }
        while case .branch(let pages) = tree.contents, pages.count == 1 {
            freePage(tree.number)
            tree = pages[0]
            pageParents[Int(tree.number)] = noPage
        }
        root = tree
    }

    private mutating func remove(
        _ handle: Handle, weight: Int, from page: inout SiblingTree, _ route: Route, height: Int
    ) {
        page.count -= 1
        page.total -= UInt32(weight)
        switch page.takeContents() {
        case .leaf(var handles):
            handles.remove(at: handles.position(of: handle))
            page.contents = .leaf(handles)
        case .branch(var pages):
            let position = pages.position(of: route[height - 1])
            remove(handle, weight: weight, from: &pages[position], route, height: height - 1)
            if pages[position].count == 0 {
                freePage(pages[position].number)
                pages.remove(at: position)
            } else {
                mergeIfSparse(&pages, at: position)
            }
            page.contents = .branch(pages)
        }
    }

    mutating func changeWeight(of handle: Handle, by difference: Int, in tree: inout SiblingTree?) {
        guard var root = tree.take() else { return }
        let route = route(of: handle)
        changeWeight(by: difference, in: &root, route, height: route.count - 1)
        tree = root
    }

    private func changeWeight(by difference: Int, in page: inout SiblingTree, _ route: Route, height: Int) {
        page.total = UInt32(Int(page.total) + difference)
        guard height > 0, case .branch(var pages) = page.takeContents() else {
            return
        }
        changeWeight(by: difference, in: &pages[pages.position(of: route[height - 1])], route, height: height - 1)
        page.contents = .branch(pages)
    }
}

// MARK: - Merging

extension SiblingTree {
    /// How many handles or pages stand directly in it.
    fileprivate var width: Int {
        switch contents {
        case .leaf(let handles): handles.count
        case .branch(let pages): pages.count
        }
    }

    fileprivate var widthMax: Int {
        switch contents {
        case .leaf: Self.leafCountMax
        case .branch: Self.branchCountMax
        }
    }
}

extension Forest {
    /// Joins a page that is less than a quarter full with a neighbour, where the two leave a quarter free.
    private mutating func mergeIfSparse(_ pages: inout ContiguousArray<SiblingTree>, at position: Int) {
        let widthMax = pages[position].widthMax
        guard pages[position].width < widthMax / 4 else { return }
        for left in [position - 1, position] where left >= 0 && left + 1 < pages.count {
            guard pages[left].width + pages[left + 1].width <= widthMax * 3 / 4 else { continue }
            let right = pages.remove(at: left + 1)
            pages[left].count += right.count
            pages[left].total += right.total
            claim(right.contents, by: pages[left].number)
            freePage(right.number)
            switch (pages[left].takeContents(), right.contents) {
            case (.leaf(var handles), .leaf(let more)):
                handles.append(contentsOf: more)
                pages[left].contents = .leaf(handles)
            case (.branch(var children), .branch(let more)):
                children.append(contentsOf: more)
                pages[left].contents = .branch(children)
            default: preconditionFailure("neighbours stand at one height")
            }
            return
        }
    }
}
