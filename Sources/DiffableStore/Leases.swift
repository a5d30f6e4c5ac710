import Diffable

/// A lease: what somebody put into lists is removed when the lease ends.
package struct Lease: Sendable, Hashable {
    /// Never used twice in one life of the daemon. 0 is for what the last daemon left.
    let number: Int
    /// Of a lease in a list that hosts share, whose number is in the holder's own life.
    let holder: SharedHolder?

    init(number: Int) { (self.number, holder) = (number, nil) }

    private init(holder: SharedHolder) { (number, self.holder) = (0, holder) }

    static let leftBehind = Lease(number: 0)

    static func shared(_ holder: SharedHolder) -> Lease { Lease(holder: holder) }
}

/// The leases of one list. What is not leased is not in it.
struct Leases: Sendable {
    var name: ListName
    /// Of the list itself.
    var list: Lease?
    private(set) var sections: [SectionID: Lease] = [:]
    private(set) var items: [ItemID: Lease] = [:]

    init(of name: ListName) { self.name = name }

    var isEmpty: Bool { list == nil && sections.isEmpty && items.isEmpty }

    func sections(of lease: Lease) -> [SectionID] { sections.keys.filter { sections[$0] == lease }.sorted() }
    func items(of lease: Lease) -> [ItemID] { items.keys.filter { items[$0] == lease }.sorted() }

    /// Of a list that hosts share: each of them once.
    var holders: [SharedHolder] {
        var leases = Set(sections.values).union(items.values)
        if let list { leases.insert(list) }
        return leases.compactMap(\.holder).sorted()
    }

    func hasSome(of lease: Lease) -> Bool {
        list == lease || sections.values.contains(lease) || items.values.contains(lease)
    }

    mutating func make(_ change: LeaseChange) {
        for id in change.endedItems.keys { items[id] = nil }
        for id in change.endedSections.keys { sections[id] = nil }
        guard let lease = change.lease else { return }
        if change.isOfList { list = lease }
        for id in change.items { items[id] = lease }
        for id in change.sections { sections[id] = lease }
    }

    /// Reverts a change that did not come to the disk; the newest one first.
    mutating func takeBack(_ change: LeaseChange) {
        for id in change.items { items[id] = nil }
        for id in change.sections { sections[id] = nil }
        if change.isOfList { list = nil }
        items.merge(change.endedItems) { $1 }
        sections.merge(change.endedSections) { $1 }
    }
}

/// The effect of a transaction on the leases of its list.
struct LeaseChange: Sendable {
    /// The lease that begins.
    var lease: Lease?
    /// Whether the list itself is leased.
    var isOfList = false
    var sections: [SectionID] = []
    var items: [ItemID] = []
    /// The leases that end, with their holders.
    var endedSections: [SectionID: Lease] = [:]
    var endedItems: [ItemID: Lease] = [:]
    /// The list is deleted, with all its leases.
    var endsAll = false

    var isEmpty: Bool {
        !isOfList && !endsAll && sections.isEmpty && items.isEmpty && endedSections.isEmpty && endedItems.isEmpty
    }
}

extension LeaseChange {
    /// What a canonical difference inserts is leased, if there is a lease; what it deletes is no longer leased. An item
    /// that is there before and after is the same item.
    ///
    /// O(what was inserted and deleted), and nothing for a list without leases.
    init?(_ operations: [ListOperation], from old: Snapshot, to new: Snapshot, lease: Lease?, leases: Leases?) {
        self.init(lease: lease)
        for operation in operations {
            switch operation {
            case .insertSections(let inserted, _) where lease != nil:
                sections += inserted.map(\.id)
                for section in inserted { takeAll(section.items) }
            case .insertItems(let inserted, _) where lease != nil: takeAll(inserted)
            case .deleteItems(let ids, _):
                guard let leases else { continue }
                for id in ids { end(id, in: old, unless: new, leases) }
            case .deleteSections(let ids, _):
                guard let leases else { continue }
                for id in ids {
                    if let lease = leases.sections[id] { endedSections[id] = lease }
                    for item in old.rootItems(inSection: id) ?? [] { end(item, in: old, unless: new, leases) }
                }
            default: break
            }
        }
        if isEmpty { return nil }
    }

    private mutating func takeAll(_ inserted: [Item]) {
        for item in inserted {
            items.append(item.id)
            takeAll(item.children)
        }
    }

    /// An item is deleted, and with it those of its descendants that were not moved away before.
    private mutating func end(_ id: ItemID, in old: Snapshot, unless new: Snapshot, _ leases: Leases) {
        if let lease = leases.items[id], !new.contains(id) { endedItems[id] = lease }
        for child in old.children(of: id) ?? [] { end(child, in: old, unless: new, leases) }
    }
}
