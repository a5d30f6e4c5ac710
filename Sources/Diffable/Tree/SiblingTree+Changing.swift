// Insertion into the tree of an owner's children, and removal from it. A page that is too full is split, and a page
// that is too empty is merged with a neighbour. The slots of handles that move to another page are updated.

extension SiblingTree {
    /// The handles of a leaf for writing, with room for `added` more. Copied if shared. Valid while the tree is not copied.
    fileprivate mutating func writableHandles(besides added: Int = 0) -> Unmanaged<HandlePage> {
        if !isAlone || !unmanagedPage(as: HandlePage.self)._withUnsafeGuaranteedRef({ $0.hasRoom(for: added) }) {
            page = withHandles { HandlePage.make($0, besides: added) }
        }
        return unmanagedPage(as: HandlePage.self)
    }

    /// The pages under a branch for writing. Copied if they are shared. Valid while the tree is not copied.
    fileprivate mutating func writablePages() -> Unmanaged<Branch> {
        if !isAlone { page = unsafeDowncast(page, to: Branch.self).copy() }
        return unmanagedPage(as: Branch.self)
    }

    /// Whether the reference to the page is unique. The argument is optional, because Swift retains a non-optional
    /// `AnyObject` for the call, and the result would always be false.
    private var isAlone: Bool {
        mutating get {
            withUnsafeMutablePointer(to: &page) { page in
                page.withMemoryRebound(to: AnyObject?.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
            }
        }
    }

    fileprivate mutating func writablePage(at position: Int) -> UnsafeMutablePointer<SiblingTree> {
        let isLeaf = height == 1
        return writablePages()._withUnsafeGuaranteedRef { pages in
            pages.writable(at: position) { borrowed in
                borrowed._withUnsafeGuaranteedRef { borrowed -> AnyObject in
                    if isLeaf { return unsafeDowncast(borrowed, to: HandlePage.self).copy() }
                    return unsafeDowncast(borrowed, to: Branch.self).copy()
                }
            }
        }
    }

    /// The number of handles of a leaf, or of pages directly under a branch.
    private var width: Int { isLeaf ? Int(count) : withPages(\.count) }

    /// Whether the page is less than a quarter full. It is then merged with a neighbour if the result leaves a quarter free.
    fileprivate var isSparse: Bool { width < widthMax / 4 }

    private var widthMax: Int { isLeaf ? Self.leafCountMax : Self.branchCountMax }

    fileprivate func fits(_ neighbour: SiblingTree) -> Bool { width + neighbour.width <= widthMax * 3 / 4 }
}

// MARK: - Inserting

extension Forest {
    mutating func insert(
        _ handle: Handle, weight: Int, into root: inout SiblingTree?, of owner: Handle, at spot: HandlePosition
    ) {
        guard root != nil else {
            slots.updatePlace(handle) { $0.parent = owner }
            root = leaf(of: HandlePage.make(handle), total: weight)
            return
        }
        let route: PagePath
        switch spot {
        case .front, .end: route = PagePath()
        case .before(let sibling), .after(let sibling): route = self.route(of: sibling)
        }
        guard
            let right = insert(
                handle, weight: weight, into: &root!, of: owner, at: spot, route, height: route.count - 1),
            let left = root.take()
        else { return }
        let pages = SiblingTree.Branch.makeEmpty()
        pages.append(left)
        pages.append(right)
        root = branch(of: pages, height: left.height + 1)
    }

    /// Returns the page's new right neighbour if the page had to be split.
    private mutating func insert(
        _ handle: Handle, weight: Int, into page: inout SiblingTree, of owner: Handle, at spot: HandlePosition,
        _ route: PagePath,
        height: Int
    ) -> SiblingTree? {
        page.count += 1
        page.total += UInt32(weight)
        if page.isLeaf { return insert(handle, weight: weight, intoLeaf: &page, of: owner, at: spot) }
        let position =
            switch spot {
            case .front: 0
            case .end: page.withPages(\.count) - 1
            case .before, .after: page.withPages { $0.position(of: route[height - 1]) }
            }
        let below = page.writablePage(at: position)
        let right = insert(
            handle, weight: weight, into: &below.pointee, of: owner, at: spot, route, height: height - 1)
        guard let right else { return nil }
        return insert(right, intoBranch: &page, at: position + 1)
    }

    private mutating func insert(
        _ handle: Handle, weight: Int, intoLeaf page: inout SiblingTree, of owner: Handle, at spot: HandlePosition
    ) -> SiblingTree? {
        let count = Int(page.count) - 1
        let position =
            switch spot {
            case .front: 0
            case .end: count
            case .before(let sibling): page.withHandles { $0.position(of: sibling) }
            case .after(let sibling): page.withHandles { $0.position(of: sibling) } + 1
            }
        let isAppended = position == count
        let countMax = isAppended ? SiblingTree.leafCountAppended : SiblingTree.leafCountMax
        slots.updatePlace(handle) {
            $0.parent = owner
            $0.leaf = page.number
        }
        if count < countMax {
            page.writableHandles(besides: 1)._withUnsafeGuaranteedRef { $0.insert(handle, at: position) }
            return nil
        }
        // Appending starts a new page and moves nothing. Any other insertion splits the page into halves.
        if isAppended {
            page.count -= 1
            page.total -= UInt32(weight)
            return leaf(of: HandlePage.make(handle), total: weight)
        }
        let cut = count / 2
        let (leftHandles, rightHandles) = page.withHandles { handles in
            (
                HandlePage.make(UnsafeBufferPointer(rebasing: handles[..<cut]), besides: position <= cut ? 1 : 0),
                HandlePage.make(UnsafeBufferPointer(rebasing: handles[cut...]), besides: position <= cut ? 0 : 1)
            )
        }
        if position <= cut {
            leftHandles.insert(handle, at: position)
        } else {
            rightHandles.insert(handle, at: position - cut)
        }
        page.page = leftHandles
        let hasParents = page.total > page.count
        let right = leaf(
            of: rightHandles, total: hasParents ? weights(of: rightHandles.handles) : rightHandles.handles.count)
        page.count -= right.count
        page.total -= right.total
        return right
    }

    /// Inserts a page into a branch whose counts include it already.
    private mutating func insert(
        _ added: SiblingTree, intoBranch page: inout SiblingTree, at position: Int
    ) -> SiblingTree? {
        let count = page.withPages(\.count)
        guard count == SiblingTree.branchCountMax else {
            page.writablePages()._withUnsafeGuaranteedRef { $0.insert(added, at: position) }
            pageParents[Int(added.number)] = page.number
            return nil
        }
        let pages = SiblingTree.Branch.makeEmpty()
        let cut = position == count ? count : count / 2
        page.writablePages()._withUnsafeGuaranteedRef { left in
            left.moveElements(from: cut, to: pages)
            if position < cut { left.insert(added, at: position) } else { pages.insert(added, at: position - cut) }
        }
        pageParents[Int(added.number)] = page.number
        let right = branch(of: pages, height: page.height)
        page.count -= right.count
        page.total -= right.total
        return right
    }

    /// A new leaf, with the slots of its handles updated.
    private mutating func leaf(of handles: HandlePage, total: Int) -> SiblingTree {
        let leaf = SiblingTree(leaf: handles, number: allocatePage(under: noPage), total: total)
        claim(leaf, by: leaf.number)
        return leaf
    }

    /// A new branch, with the parents of its pages updated.
    mutating func branch(of pages: SiblingTree.Branch, height: UInt8) -> SiblingTree {
        var branch = SiblingTree(
            page: pages, number: allocatePage(under: noPage), count: 0, total: 0, height: height)
        for position in 0..<pages.count {
            branch.count += pages.elements[position].count
            branch.total += pages.elements[position].total
        }
        claim(branch, by: branch.number)
        return branch
    }

    /// Sets the page number in the slots of a leaf's handles, or the parent of a branch's pages.
    private mutating func claim(_ page: SiblingTree, by number: PageNumber) {
        if page.isLeaf {
            page.withHandles { handles in
                for handle in handles { slots.updatePlace(handle) { $0.leaf = number } }
            }
        } else {
            page.withPages { pages in
                for page in pages { pageParents[Int(page.number)] = number }
            }
        }
    }
}

// MARK: - Removing

extension Forest {
    mutating func remove(_ handle: Handle, weight: Int, from root: inout SiblingTree?) {
        guard root != nil else { preconditionFailure("what is removed has siblings or is alone") }
        let route = route(of: handle)
        remove(handle, weight: weight, from: &root!, route, height: route.count - 1)
        while let tree = root {
            if tree.count == 0 {
                freePage(tree.number)
                root = nil
            } else if !tree.isLeaf, tree.withPages(\.count) == 1 {
                freePage(tree.number)
                let below = tree.withPages { $0[0] }
                pageParents[Int(below.number)] = noPage
                root = below
            } else {
                return
            }
        }
    }

    private mutating func remove(
        _ handle: Handle, weight: Int, from page: inout SiblingTree, _ route: PagePath, height: Int
    ) {
        page.count -= 1
        page.total -= UInt32(weight)
        if page.isLeaf {
            let position = page.withHandles { $0.position(of: handle) }
            page.writableHandles()._withUnsafeGuaranteedRef { $0.remove(at: position) }
            return
        }
        let position = page.withPages { $0.position(of: route[height - 1]) }
        let below = page.writablePage(at: position)
        remove(handle, weight: weight, from: &below.pointee, route, height: height - 1)
        if below.pointee.count == 0 {
            freePage(below.pointee.number)
            _ = page.writablePages()._withUnsafeGuaranteedRef { $0.remove(at: position) }
        } else if below.pointee.isSparse {
            join(under: &page, at: position)
        }
    }

    /// Merges a page with a neighbour if both together are small enough.
    private mutating func join(under page: inout SiblingTree, at position: Int) {
        let count = page.withPages(\.count)
        for left in [position - 1, position] where left >= 0 && left + 1 < count {
            guard page.withPages({ $0[left].fits($0[left + 1]) }) else { continue }
            let right = page.writablePages()._withUnsafeGuaranteedRef { $0.remove(at: left + 1) }
            join(right, to: &page.writablePage(at: left).pointee)
            return
        }
    }

    private mutating func join(_ right: SiblingTree, to page: inout SiblingTree) {
        claim(right, by: page.number)
        freePage(right.number)
        page.count += right.count
        page.total += right.total
        if page.isLeaf {
            right.withHandles { handles in
                page.writableHandles(besides: handles.count)._withUnsafeGuaranteedRef { $0.append(handles) }
            }
        } else {
            var right = right
            page.writablePages()._withUnsafeGuaranteedRef { pages in
                right.writablePages()._withUnsafeGuaranteedRef { $0.moveElements(from: 0, to: pages) }
            }
        }
    }

    mutating func changeWeight(of handle: Handle, by difference: Int, in root: inout SiblingTree?) {
        guard root != nil else { return }
        let route = route(of: handle)
        changeWeight(by: difference, in: &root!, route, height: route.count - 1)
    }

    private func changeWeight(by difference: Int, in page: inout SiblingTree, _ route: PagePath, height: Int) {
        page.total = UInt32(Int(page.total) + difference)
        guard height > 0 else { return }
        let position = page.withPages { $0.position(of: route[height - 1]) }
        changeWeight(by: difference, in: &page.writablePage(at: position).pointee, route, height: height - 1)
    }
}
