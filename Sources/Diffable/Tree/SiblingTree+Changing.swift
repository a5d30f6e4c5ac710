// Inserting into and removing from the tree of an owner's children: pages are split when they are too full, and joined
// with a neighbour when they are too empty. What moves to another page is told so.

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
