import Testing

@testable import Diffable

extension Snapshot {
    /// Checks the invariants of the trees, slots, page numbers and indexes.
    func checkInvariants(sourceLocation: SourceLocation = #_sourceLocation) {
        var inspection = Inspection(snapshot: self)
        inspection.inspect(Forest.list)
        inspection.hold(
            inspection.items == numberOfItems && inspection.sections == numberOfSections,
            "the indexes hold what the trees hold")
        var length = listRecord?.lengthCounted ?? 0
        for section in sections { length += section.record.lengthCounted + section.items.lengthCounted }
        inspection.hold(length == lengthCounted, "what is counted is what there is")
        #expect(inspection.broken.isEmpty, sourceLocation: sourceLocation)
    }
}

extension [Item] {
    fileprivate var lengthCounted: Int { reduce(0) { $0 + $1.record.lengthCounted + $1.children.lengthCounted } }
}

/// Traverses all trees of a snapshot. Errors are collected, because an expectation for every handle would take longer than all
/// the rest.
private struct Inspection {
    let snapshot: Snapshot
    var items = 0
    var sections = 0
    var broken: Set<String> = []
    private var pages: Set<PageNumber> = []

    init(snapshot: Snapshot) { self.snapshot = snapshot }

    private var forest: Forest { snapshot.forest }

    mutating func hold(_ condition: Bool, _ sentence: String) {
        if !condition { broken.insert(sentence) }
    }

    /// Returns the number of an owner's descendants.
    @discardableResult mutating func inspect(_ owner: Handle) -> Int {
        guard let tree = forest.children(owner) else { return 0 }
        hold(forest.pageParents[Int(tree.number)] == noPage, "a root has no page above it")
        return inspect(tree, of: owner).total
    }

    private mutating func inspect(_ page: SiblingTree, of owner: Handle) -> (count: Int, total: Int) {
        hold(pages.insert(page.number).inserted, "a page number stands once")
        var count = 0
        var total = 0
        if page.isLeaf {
            page.withHandles { handles in
                hold(
                    !handles.isEmpty && handles.count <= SiblingTree.leafCountMax,
                    "a leaf is not empty, and not too full")
                for handle in handles {
                    inspectSlot(handle, in: page, of: owner)
                    count += 1
                    total += 1 + inspect(handle)
                }
            }
        } else {
            page.withPages { children in
                hold(
                    !children.isEmpty && children.count <= SiblingTree.branchCountMax,
                    "a branch is not empty, and not too full")
                for child in children {
                    hold(child.height == page.height - 1, "what stands under a page is one level lower")
                    hold(forest.pageParents[Int(child.number)] == page.number, "a page knows the page above it")
                    let below = inspect(child, of: owner)
                    count += below.count
                    total += below.total
                }
            }
        }
        hold(page.count == count && page.total == total, "a page knows how much stands in it")
        return (count, total)
    }

    private mutating func inspectSlot(_ handle: Handle, in page: SiblingTree, of owner: Handle) {
        let slot = forest.slots[handle]
        hold(slot.leaf == page.number && slot.parent == owner, "a slot knows its leaf and its owner")
        guard let record = slot.record else { return hold(false, "what stands in a tree has a record") }
        if owner == Forest.list {
            sections += 1
            hold(snapshot.sectionHandle(record) == handle, "a section is found by its id")
        } else {
            items += 1
            hold(snapshot.itemHandle(record) == handle, "an item is found by its id")
        }
    }
}
