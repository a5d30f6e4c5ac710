import Diffable

/// What somebody put into lists for as long as they are there: it goes when the lease ends.
package struct Lease: Sendable, Hashable {
    /// Never used twice in one life of the daemon. Zero is what a life before left behind.
    let number: Int

    static let leftBehind = Lease(number: 0)
}

/// Who leases what of one list. What nobody leases is not in it.
struct Leases: Sendable {
    let name: ListName
    /// Of the list itself.
    var list: Lease?
    private(set) var sections: [SectionID: Lease] = [:]
    private(set) var items: [ItemID: Lease] = [:]

    init(of name: ListName) { self.name = name }

    var isEmpty: Bool { list == nil && sections.isEmpty && items.isEmpty }

    func sections(of lease: Lease) -> [SectionID] { sections.keys.filter { sections[$0] == lease }.sorted() }
    func items(of lease: Lease) -> [ItemID] { items.keys.filter { items[$0] == lease }.sorted() }

    mutating func make(_ change: LeaseChange) {
        for id in change.endedItems.keys { items[id] = nil }
        for id in change.endedSections.keys { sections[id] = nil }
        guard let lease = change.lease else { return }
        if change.isOfList { list = lease }
        for id in change.items { items[id] = lease }
        for id in change.sections { sections[id] = lease }
    }

    /// Takes back a change that has not come to the disk; the newest first.
    mutating func takeBack(_ change: LeaseChange) {
        for id in change.items { items[id] = nil }
        for id in change.sections { sections[id] = nil }
        if change.isOfList { list = nil }
        items.merge(change.endedItems) { $1 }
        sections.merge(change.endedSections) { $1 }
    }
}

/// What a transaction means to the leases of its list.
struct LeaseChange: Sendable {
    /// Whose lease begins.
    var lease: Lease?
    /// Whether it is one of the list itself.
    var isOfList = false
    var sections: [SectionID] = []
    var items: [ItemID] = []
    /// The leases that end, with whose they were.
    var endedSections: [SectionID: Lease] = [:]
    var endedItems: [ItemID: Lease] = [:]
    /// The list is gone, with all leases of it.
    var endsAll = false

    var isEmpty: Bool {
        !isOfList && !endsAll && sections.isEmpty && items.isEmpty && endedSections.isEmpty && endedItems.isEmpty
    }
}

extension LeaseChange {
    /// What a canonical difference brings is leased, if there is a lease; what it takes away is not leased any more. An
    /// item that is there before and after is the same item, whatever was done to it.
    ///
    /// O(what was inserted and deleted), and nothing for a list without leases.
    init?(_ operations: [Operation], from old: Snapshot, to new: Snapshot, lease: Lease?, leases: Leases?) {
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

    /// An item has gone, and of its descendants those that were not moved away before.
    private mutating func end(_ id: ItemID, in old: Snapshot, unless new: Snapshot, _ leases: Leases) {
        if let lease = leases.items[id], !new.contains(id) { endedItems[id] = lease }
        for child in old.children(of: id) ?? [] { end(child, in: old, unless: new, leases) }
    }
}
