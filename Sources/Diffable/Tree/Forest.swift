// The order and hierarchy of a list, as one persistent value.
//
// Everything with a position has a handle: the list itself (`Forest.list`), its sections, their items, and children at
// any depth. Each element with children owns a `SiblingTree`, a counted B+tree of their handles. A section is to the
// list what an item is to its section, so an outline is not a special case.
//
// A tree has no pointers to parents, because versions that share a page may have different pages above it. Instead each tree page
// has a number: a handle's slot stores the number of its leaf, and `pageParents` the number of each page's parent. Numbers change
// only when pages are split or merged. So finding a handle's index takes O(log n), and an ordinary insertion copies one path.
//
// Freed handles and page numbers are reused, last freed first.

/// Identifies a section, an item, or the list itself.
typealias Handle = UInt32

enum HandlePosition {
    case front
    case end
    case before(Handle)
    case after(Handle)
}

struct Forest: Sendable {
    /// The handle of the list itself, whose children are the sections.
    static let list: Handle = 0

    var slots = SlotArray()
    /// The children of each handle that has any.
    private(set) var trees = PersistentArray<SiblingTree?>()
    /// The parent of each page, and `noPage` for a root. A free number has the next free one here.
    var pageParents = PersistentArray<PageNumber>()

    /// The sum over all records in the forest, in bytes (`Record.lengthCounted`).
    private(set) var lengthCounted = 0

    /// An upper bound; all handles are smaller.
    var handleBound: Int { Int(slotCount) }

    private var slotCount: Handle = 1
    private var freeSlot: Handle = 0
    private var pageCount: PageNumber = 0
    private var freePage: PageNumber = noPage
}

// MARK: - Reading

extension Forest {
    func record(_ handle: Handle) -> Record {
        guard let record = slots.record(handle) else { preconditionFailure("no record under handle \(handle)") }
        return record
    }

    func parent(_ handle: Handle) -> Handle { slots.place(handle).parent }
    func isExpanded(_ handle: Handle) -> Bool { slots.place(handle).isExpanded }
    func isFolded(_ handle: Handle) -> Bool { slots.place(handle).isFolded }
    func children(_ handle: Handle) -> SiblingTree? { trees[Int(handle)] }

    func section(_ handle: Handle) -> Handle {
        var handle = handle
        while true {
            let parent = parent(handle)
            if parent == Forest.list { return handle }
            handle = parent
        }
    }

    /// The number of ancestors that are items: 0 for an item directly in a section.
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

    /// Whether a subtree has more than `levels` levels, including its root. Skips pages of siblings without children.
    func isDeeper(_ handle: Handle, than levels: Int) -> Bool {
        guard let tree = children(handle) else { return levels < 1 }
        return levels <= 1 || tree.containsParent { isDeeper($0, than: levels - 1) }
    }
}

// MARK: - Changing

extension Forest {
    /// Allocates a handle for something that has no place yet.
    mutating func allocate(_ record: Record, isExpanded: Bool, isFolded: Bool = false) -> Handle {
        let handle: Handle
        if freeSlot != 0 {
            handle = freeSlot
            freeSlot = slots.place(handle).parent
        } else {
            handle = slotCount
            slotCount += 1
        }
        slots.set(record, SlotPosition(isExpanded: isExpanded, isFolded: isFolded), of: handle)
        lengthCounted += record.lengthCounted
        return handle
    }

    /// Allocates a handle with a known position. Nothing may have been freed in this forest.
    mutating func allocate(_ record: Record, at place: SlotPosition) -> Handle {
        let handle = slotCount
        slotCount += 1
        slots.set(record, place, of: handle)
        lengthCounted += record.lengthCounted
        return handle
    }

    /// The handle that will be allocated after `others` more. Nothing may have been freed in this forest.
    func handle(after others: Int) -> Handle { slotCount + Handle(others) }

    /// Allocates the next handles for records with known positions. Nothing may have been freed in this forest, and the
    /// handles have to be on one page of slots.
    mutating func allocate(_ slots: [(record: Record, place: SlotPosition)]) {
        self.slots.set(slots, from: slotCount)
        slotCount += Handle(slots.count)
        for slot in slots { lengthCounted += slot.record.lengthCounted }
    }

    /// Sets the children of an owner without children. The children's slots already have their positions.
    mutating func setChildren(_ tree: SiblingTree, of owner: Handle) {
        trees[Int(owner)] = tree
    }

    mutating func setRecord(_ record: Record, of handle: Handle) {
        lengthCounted += record.lengthCounted
        lengthCounted -= slots.setRecord(record, of: handle)
    }

    mutating func setListRecord(_ record: Record?) {
        lengthCounted += record?.lengthCounted ?? 0
        lengthCounted -= slots.setRecord(record, of: Forest.list)
    }

    mutating func setExpanded(_ isExpanded: Bool, of handle: Handle) {
        slots.updatePlace(handle) { $0.isExpanded = isExpanded }
    }

    mutating func setFolded(_ isFolded: Bool, of handle: Handle) {
        if slots.place(handle).isFolded != isFolded { slots.updatePlace(handle) { $0.isFolded = isFolded } }
    }

    /// Inserts handles without a place as neighbours, in the given order, together with their subtrees.
    ///
    /// The counts of the ancestors are updated once, after the last handle. If the owner has no position yet, they are
    /// updated when it gets one.
    mutating func place(_ handles: some Collection<Handle>, under owner: Handle, at spot: HandlePosition) {
        // Without handles, a write would only allocate a page.
        if handles.isEmpty { return }
        let tree = trees.writable(at: Int(owner))
        var spot = spot
        var weight = 0
        for handle in handles {
            let itsWeight = self.weight(handle)
            weight += itsWeight
            insert(handle, weight: itsWeight, into: &tree.pointee, of: owner, at: spot)
            if case .end = spot { continue }
            spot = .after(handle)
        }
        changeWeight(ofAncestorsFrom: owner, by: weight)
    }

    /// Removes a handle from its position. Its subtree stays attached.
    mutating func detach(_ handle: Handle) {
        let owner = parent(handle)
        let weight = weight(handle)
        remove(handle, weight: weight, from: &trees.writable(at: Int(owner)).pointee)
        slots.updatePlace(handle) { $0.clearLeaf() }
        changeWeight(ofAncestorsFrom: owner, by: -weight)
    }

    mutating func move(_ handle: Handle, under owner: Handle, at spot: HandlePosition) {
        let oldOwner = parent(handle)
        let weight = weight(handle)
        remove(handle, weight: weight, from: &trees.writable(at: Int(oldOwner)).pointee)
        // This precedes the insertion: splitting a page counts the subtrees of its handles, and the old owner may be one of them.
        if oldOwner != owner { changeWeight(ofAncestorsFrom: oldOwner, by: -weight) }
        insert(handle, weight: weight, into: &trees.writable(at: Int(owner)).pointee, of: owner, at: spot)
        if oldOwner != owner { changeWeight(ofAncestorsFrom: owner, by: weight) }
    }

    /// Frees a handle without a position, and its descendants. Calls the body for each.
    mutating func free(_ handle: Handle, _ willFree: (Handle, Record) -> Void) {
        willFree(handle, record(handle))
        freeChildren(of: handle, willFree)
        lengthCounted -= slots.set(nil, SlotPosition(nextFree: freeSlot), of: handle)
        freeSlot = handle
    }

    mutating func removeChildren(of owner: Handle, _ willFree: (Handle, Record) -> Void) {
        let weight = weight(owner) - 1
        freeChildren(of: owner, willFree)
        changeWeight(ofAncestorsFrom: owner, by: -weight)
    }

    private mutating func freeChildren(of owner: Handle, _ willFree: (Handle, Record) -> Void) {
        guard let tree = trees[Int(owner)] else { return }
        trees[Int(owner)] = nil
        tree.forEach { free($0, willFree) }
        tree.forEachPage { freePage($0) }
    }

    private mutating func changeWeight(ofAncestorsFrom handle: Handle, by difference: Int) {
        var handle = handle
        while handle != Forest.list, slots.place(handle).isSomewhere {
            let owner = parent(handle)
            changeWeight(of: handle, by: difference, in: &trees.writable(at: Int(owner)).pointee)
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
