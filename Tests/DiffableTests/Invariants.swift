import Testing

@testable import Diffable

extension Snapshot {
    /// Everything that must stay true between the trees, the slots, the page numbers and the indexes.
    func checkInvariants(sourceLocation: SourceLocation = #_sourceLocation) {
        var items = 0
        var sections = 0
        var pages: Set<PageNumber> = []

        func check(_ owner: Handle) -> Int {
            guard let tree = forest.children(owner) else { return 0 }
            #expect(forest.pageParents[Int(tree.number)] == noPage, sourceLocation: sourceLocation)
            let (_, total) = checkPage(tree, owner)
            return total
        }

        func checkPage(_ page: SiblingTree, _ owner: Handle) -> (count: Int, total: Int) {
            #expect(pages.insert(page.number).inserted, "a page number stands once", sourceLocation: sourceLocation)
            var count = 0
            var total = 0
            switch page.contents {
            case .leaf(let handles):
                #expect(!handles.isEmpty && handles.count <= SiblingTree.leafCountMax, sourceLocation: sourceLocation)
                for handle in handles {
                    let slot = forest.slots[Int(handle)]
                    #expect(slot.leaf == page.number && slot.parent == owner, sourceLocation: sourceLocation)
                    let record = forest.record(handle)
                    if owner == Forest.list {
                        sections += 1
                        #expect(sectionHandle(record) == handle, sourceLocation: sourceLocation)
                    } else {
                        items += 1
                        #expect(itemHandle(record) == handle, sourceLocation: sourceLocation)
                    }
                    count += 1
                    total += 1 + check(handle)
                }
            case .branch(let children):
                #expect(
                    !children.isEmpty && children.count <= SiblingTree.branchCountMax, sourceLocation: sourceLocation)
                for child in children {
                    #expect(forest.pageParents[Int(child.number)] == page.number, sourceLocation: sourceLocation)
                    let (childCount, childTotal) = checkPage(child, owner)
                    count += childCount
                    total += childTotal
                }
            }
            #expect(page.count == count && page.total == total, sourceLocation: sourceLocation)
            return (count, total)
        }

        _ = check(Forest.list)
        #expect(items == numberOfItems && sections == numberOfSections, sourceLocation: sourceLocation)
    }
}
