// The order and the hierarchy of a list, as one persistent value.
//
// Everything that has a place has a handle: the list itself (`Forest.list`), its sections, their items, and children at
// any depth. Whoever has children owns a `SiblingTree`: a counted B+tree of their handles, in order. So a section is to
// the list what an item is to its section, and an outline is not a special case.
//
// A tree has no pointers upwards, for those cannot be shared between versions. Instead every tree page has a number;
// a handle's slot knows the number of its leaf, and `pageParents` the number of the page above each page. Numbers change
// only when pages are split or merged, so the way from a handle to its index is found in O(log n), and an ordinary
// insertion copies one path.
//
// Handles and page numbers that become free are used again, last freed first.

/// Stands for a section, an item, or the list itself.
typealias Handle = UInt32

/// What is known of a handle.
struct Slot: PageElement {
    /// `nil`: the slot is free, or the list's own.
    var record: Record?
    /// Whose child it is; in a free slot, the next free one.
    var parent: Handle
    /// The page number of the leaf it stands in, doubled, and whether it is expanded.
    private var place: UInt32

    static var filler: Slot { Slot(record: nil, parent: 0, place: 0) }

    /// The leaf of what has no place.
    private static let nowhere: PageNumber = noPage >> 1

    init(record: Record, isExpanded: Bool) {
        self.init(record: record, parent: 0, place: Slot.nowhere << 1 | (isExpanded ? 1 : 0))
    }

    init(nextFree: Handle) {
        self.init(record: nil, parent: nextFree, place: Slot.nowhere << 1)
    }

    private init(record: Record?, parent: Handle, place: UInt32) {
        self.record = record
        self.parent = parent
        self.place = place
    }

    var hasPlace: Bool { leaf != Slot.nowhere }

    mutating func losePlace() { leaf = Slot.nowhere }

    var leaf: PageNumber {
        get { place >> 1 }
        set { place = newValue << 1 | place & 1 }
    }

    var isExpanded: Bool {
        get { place & 1 == 1 }
        set { place = place & ~1 | (newValue ? 1 : 0) }
    }
}

/// Among its siblings.
enum Spot {
    case front
    case end
    case before(Handle)
    case after(Handle)
}

struct Forest: Sendable {
    /// The handle of the list itself, whose children are the sections.
    static let list: Handle = 0

    private(set) var slots = PersistentArray<Slot>()
    /// The children of each handle that has any.
    private(set) var trees = PersistentArray<SiblingTree?>()
    /// The page above each page; `noPage` above a root; in a free number, the next free one.
    var pageParents = PersistentArray<PageNumber>()

    /// All handles are below it.
    var handleBound: Int { Int(slotCount) }

    private var slotCount: Handle = 1
    private var freeSlot: Handle = 0
    private var pageCount: PageNumber = 0
    private var freePage: PageNumber = noPage
}

// MARK: - Reading

extension Forest {
    /// The stored form of a section or an item that is in the list.
    func record(_ handle: Handle) -> Record {
        guard let record = slots[Int(handle)].record else { preconditionFailure("no record under handle \(handle)") }
        return record
    }

    func parent(_ handle: Handle) -> Handle { slots[Int(handle)].parent }
    func isExpanded(_ handle: Handle) -> Bool { slots[Int(handle)].isExpanded }
    func children(_ handle: Handle) -> SiblingTree? { trees[Int(handle)] }

    /// One more than the number of its descendants.
    func weight(_ handle: Handle) -> Int { 1 + Int(trees[Int(handle)]?.total ?? 0) }

    /// The section that an item is in, or a section itself.
    func section(_ handle: Handle) -> Handle {
        var handle = handle
        while true {
            let parent = parent(handle)
            if parent == Forest.list { return handle }
            handle = parent
        }
    }

    /// How many ancestors it has that are items: 0 directly in a section.
    func level(_ item: Handle) -> Int {
        var level = -2
        var handle = item
        while handle != Forest.list {
            handle = parent(handle)
            level += 1
        }
        return level
    }

    func isAncestor(_ ancestor: Handle, of handle: Handle) -> Bool {
        var handle = handle
        while handle != Forest.list {
            handle = parent(handle)
            if handle == ancestor { return true }
        }
        return false
    }

    /// Whether a subtree has more levels than that, its own included. Pages of siblings without children are passed
    /// over.
    func isDeeper(_ handle: Handle, than levels: Int) -> Bool {
        guard let tree = children(handle) else { return levels < 1 }
        return levels <= 1 || tree.containsParent { isDeeper($0, than: levels - 1) }
    }
}

// MARK: - Changing

extension Forest {
    /// A handle for something that has no place yet.
    mutating func allocate(_ record: Record, isExpanded: Bool) -> Handle {
        let handle: Handle
        if freeSlot != 0 {
            handle = freeSlot
            freeSlot = slots[Int(handle)].parent
        } else {
            handle = slotCount
            slotCount += 1
        }
        slots[Int(handle)] = Slot(record: record, isExpanded: isExpanded)
        return handle
    }

    mutating func setRecord(_ record: Record, of handle: Handle) {
        slots.update(at: Int(handle)) { $0.record = record }
    }

    mutating func setExpanded(_ isExpanded: Bool, of handle: Handle) {
        slots.update(at: Int(handle)) { $0.isExpanded = isExpanded }
    }

    mutating func setLeaf(_ number: PageNumber, of handle: Handle) {
        slots.update(at: Int(handle)) { $0.leaf = number }
    }

    /// Gives handles that have no place one, as neighbours in the order given; their subtrees come along.
    ///
    /// The counts of the ancestors are brought up to date once, after the last of them. Where the owner has no place
    /// itself yet, that is for later.
    mutating func place(_ handles: [Handle], under owner: Handle, at spot: Spot) {
        var tree = take(treeOf: owner)
        var spot = spot
        var weight = 0
        for handle in handles {
            slots.update(at: Int(handle)) { $0.parent = owner }
            let itsWeight = self.weight(handle)
            weight += itsWeight
            insert(handle, weight: itsWeight, into: &tree, at: spot)
            spot = .after(handle)
        }
        put(tree, under: owner)
        changeWeight(ofAncestorsFrom: owner, by: weight)
    }

    /// Takes a handle out of its place; its subtree stays with it.
    mutating func displace(_ handle: Handle) {
        let owner = parent(handle)
        let weight = weight(handle)
        var tree = take(treeOf: owner)
        remove(handle, weight: weight, from: &tree)
        put(tree, under: owner)
        slots.update(at: Int(handle)) { $0.losePlace() }
        changeWeight(ofAncestorsFrom: owner, by: -weight)
    }

    /// Frees a handle that has no place any more, and its descendants, telling of each.
    mutating func free(_ handle: Handle, _ willFree: (Handle, Record) -> Void) {
        willFree(handle, record(handle))
        freeChildren(of: handle, willFree)
        slots[Int(handle)] = Slot(nextFree: freeSlot)
        freeSlot = handle
    }

    /// Frees all descendants of a handle, telling of each.
    mutating func removeChildren(of owner: Handle, _ willFree: (Handle, Record) -> Void) {
        let weight = weight(owner) - 1
        freeChildren(of: owner, willFree)
        changeWeight(ofAncestorsFrom: owner, by: -weight)
    }

    private mutating func freeChildren(of owner: Handle, _ willFree: (Handle, Record) -> Void) {
        guard let tree = take(treeOf: owner) else { return }
        tree.forEach { free($0, willFree) }
        tree.forEachPage { freePage($0) }
    }

    /// The tree is taken out while it changes, so that what nobody shares changes in place.
    private mutating func take(treeOf owner: Handle) -> SiblingTree? {
        guard let tree = trees[Int(owner)] else { return nil }
        trees[Int(owner)] = nil
        return tree
    }

    private mutating func put(_ tree: SiblingTree?, under owner: Handle) {
        // Writing nil where nothing is would only make a page.
        if tree == nil && trees[Int(owner)] == nil { return }
        trees[Int(owner)] = tree
    }

    private mutating func changeWeight(ofAncestorsFrom handle: Handle, by difference: Int) {
        var handle = handle
        while handle != Forest.list, slots[Int(handle)].hasPlace {
            let owner = parent(handle)
            var tree = take(treeOf: owner)
            changeWeight(of: handle, by: difference, in: &tree)
            put(tree, under: owner)
            handle = owner
        }
    }
}

// MARK: - Page numbers

extension Forest {
    mutating func allocatePage(under parent: PageNumber) -> PageNumber {
        let number: PageNumber
        if freePage != noPage {
            number = freePage
            freePage = pageParents[Int(number)]
        } else {
            number = pageCount
            pageCount += 1
        }
        pageParents[Int(number)] = parent
        return number
    }

    mutating func freePage(_ number: PageNumber) {
        pageParents[Int(number)] = freePage
        freePage = number
    }
}
