/// Builds the tree of one owner's children in order. A page is filled before the next one begins.
///
/// The number of a child's leaf is known when the child is added, so its slot is written once.
struct SiblingTreeBuilder {
    let owner: Handle
    /// The leaf that is being filled, its number, and the number of its handles with all their descendants.
    private var handles: [Handle] = []
    private var number: PageNumber = noPage
    private var total = 0
    private var leaves: [SiblingTree] = []

    init(of owner: Handle) {
        self.owner = owner
        handles.reserveCapacity(SiblingTree.leafCountAppended)
    }

    mutating func nextLeaf(in forest: inout Forest) -> PageNumber {
        if handles.count == SiblingTree.leafCountAppended { endLeaf() }
        if handles.isEmpty { number = forest.allocatePage(under: noPage) }
        return number
    }

    mutating func append(_ handle: Handle) {
        handles.append(handle)
        total += 1
    }

    mutating func addDescendants(_ count: Int) { total += count }

    private mutating func endLeaf() {
        let page = handles.withUnsafeBufferPointer { HandlePage.make($0) }
        leaves.append(SiblingTree(leaf: page, number: number, total: total))
        handles.removeAll(keepingCapacity: true)
        total = 0
    }

    /// Sets the children of the owner, and returns their number with all descendants.
    mutating func end(in forest: inout Forest) -> Int {
        endLeaf()
        var pages = leaves
        var height: UInt8 = 0
        while pages.count > 1 {
            height += 1
            pages = stride(from: 0, to: pages.count, by: SiblingTree.branchCountMax).map { start in
                let branch = SiblingTree.Branch.makeEmpty()
                for page in pages[start..<min(start + SiblingTree.branchCountMax, pages.count)] { branch.append(page) }
                return forest.branch(of: branch, height: height)
            }
        }
        forest.setChildren(pages[0], of: owner)
        return Int(pages[0].total)
    }
}
