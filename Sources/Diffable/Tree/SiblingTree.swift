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

    /// Whether the condition holds for any sibling, of which those without children are known not to meet it.
    func containsParent(where condition: (Handle) -> Bool) -> Bool {
        if total == count { return false }
        switch contents {
        case .leaf(let handles): return handles.contains(where: condition)
        case .branch(let pages): return pages.contains { $0.containsParent(where: condition) }
        }
    }

    func forEachPage(_ body: (PageNumber) -> Void) {
        body(number)
        if case .branch(let pages) = contents {
            for page in pages { page.forEachPage(body) }
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
    func route(of handle: Handle) -> Route {
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

    func weights(of handles: some Sequence<Handle>) -> Int {
        handles.reduce(0) { $0 + weight($1) }
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
struct Route {
    private var numbers = InlineArray<16, PageNumber>(repeating: noPage)
    private(set) var count = 0

    mutating func append(_ number: PageNumber) {
        numbers[count] = number
        count += 1
    }

    subscript(height: Int) -> PageNumber { numbers[height] }
}

extension ContiguousArray<SiblingTree> {
    func position(of number: PageNumber) -> Int {
        withUnsafeBufferPointer { pages in
            for position in pages.indices where pages[position].number == number { return position }
            preconditionFailure("page \(number) is not where its number says")
        }
    }
}

extension ContiguousArray<Handle> {
    func position(of handle: Handle) -> Int {
        withUnsafeBufferPointer { handles in
            for position in handles.indices where handles[position] == handle { return position }
            preconditionFailure("handle \(handle) is not where its slot says")
        }
    }
}
