import Diffable
import HashTreeCollections

/// The owner of items, sections and lists that are removed when the lease ends.
package struct Lease: Sendable, Hashable {
    private enum Kind: Hashable {
        case connection(Int)
        // Indirect, because few leases are shared and every leased item stores a copy of its lease.
        indirect case shared(SharedHolder)
    }

    private let kind: Kind

    init(number: Int) { kind = .connection(number) }

    private init(holder: SharedHolder) { kind = .shared(holder) }

    /// Unique while the daemon runs. 0 means all leases that the previous daemon left.
    var number: Int { if case .connection(let number) = kind { number } else { 0 } }

    /// The holder of a lease in a shared list. Nil for a list that is not shared.
    var holder: SharedHolder? { if case .shared(let holder) = kind { holder } else { nil } }

    static let leftBehind = Lease(number: 0)

    static func shared(_ holder: SharedHolder) -> Lease { Lease(holder: holder) }
}

/// The leases of one list, and the items and sections that they own. A copy is O(1).
struct Leases: Sendable {
    var name: ListName { didSet { version = Version() } }
    private(set) var list: Lease?
    private var sections: TreeDictionary<SectionID, Lease> = [:]
    private var items: TreeDictionary<ItemID, Lease> = [:]
    private var holdings: TreeDictionary<Lease, Holding> = [:]
    /// Replaced by each change, so that identity shows whether anything changed.
    private var version = Version()

    private struct Holding {
        var sections: TreeSet<SectionID> = []
        var items: TreeSet<ItemID> = []

        var count: Int { sections.count + items.count }
    }

    private final class Version: Sendable {}

    init(of name: ListName) { self.name = name }

    var isEmpty: Bool { list == nil && holdings.isEmpty }

    func isSame(as other: Leases) -> Bool { version === other.version }

    /// The leases that own items or sections, in no order.
    var leases: some Collection<Lease> { holdings.keys }

    func sections(of lease: Lease) -> [SectionID] { holdings[lease]?.sections.sorted() ?? [] }
    func items(of lease: Lease) -> [ItemID] { holdings[lease]?.items.sorted() ?? [] }

    /// At most `max` items of a lease, in no order.
    func items(of lease: Lease, max: Int, where isWanted: (ItemID) -> Bool = { _ in true }) -> [ItemID] {
        holdings[lease].map { Array($0.items.lazy.filter(isWanted).prefix(max)) } ?? []
    }

    var count: Int { sections.count + items.count }

    func count(of leases: [Lease]) -> Int { leases.reduce(0) { $0 + (holdings[$1]?.count ?? 0) } }

    func lease(of section: SectionID) -> Lease? { sections[section] }
    func lease(of item: ItemID) -> Lease? { items[item] }

    /// The holders of leases of a shared list, without duplicates, sorted.
    var holders: [SharedHolder] {
        var leases = Set(holdings.keys)
        if let list { leases.insert(list) }
        return leases.compactMap(\.holder).sorted()
    }

    func hasSome(of lease: Lease) -> Bool { list == lease || holdings[lease] != nil }

    /// Applies the effect of a change of the list. O(length of the change).
    mutating func apply(_ change: LeaseChange) {
        version = Version()
        var ended: [Lease: Holding] = [:]
        for id in change.endedItems {
            if let lease = items.removeValue(forKey: id) { ended[lease, default: Holding()].items.insert(id) }
        }
        for id in change.endedSections {
            if let lease = sections.removeValue(forKey: id) { ended[lease, default: Holding()].sections.insert(id) }
        }
        for (lease, ended) in ended {
            var holding = removeHolding(of: lease)
            holding.items.subtract(ended.items)
            holding.sections.subtract(ended.sections)
            insertHolding(holding, of: lease)
        }
        guard let lease = change.lease else { return }
        if change.isOfList { list = lease }
        var holding = removeHolding(of: lease)
        for id in change.items where items[id] == nil {
            items[id] = lease
            holding.items.insert(id)
        }
        for id in change.sections where sections[id] == nil {
            sections[id] = lease
            holding.sections.insert(id)
        }
        insertHolding(holding, of: lease)
    }

    /// Removes a holding from the dictionary, so that it is mutated in place and not copied.
    private mutating func removeHolding(of lease: Lease) -> Holding { holdings.removeValue(forKey: lease) ?? Holding() }

    private mutating func insertHolding(_ holding: Holding, of lease: Lease) {
        if holding.count > 0 { holdings[lease] = holding }
    }
}

/// The effect of a transaction on the leases of its list.
struct LeaseChange: Sendable {
    /// The new owner of `sections` and `items`. Nil for none.
    var lease: Lease?
    /// Whether `lease` also owns the list itself.
    var isOfList = false
    var sections: [SectionID] = []
    var items: [ItemID] = []
    var endedSections: [SectionID] = []
    var endedItems: [ItemID] = []
    /// Whether the list is deleted together with all its leases.
    var endsAll = false
    /// The list's leases after the change. Nil if not computed yet.
    var after: Leases?

    var isEmpty: Bool {
        !isOfList && !endsAll && sections.isEmpty && items.isEmpty && endedSections.isEmpty && endedItems.isEmpty
    }
}

extension LeaseChange {
    /// Derives the effect on leases from a canonical diff: inserted items and sections are leased if there is a lease, and
    /// deleted ones lose theirs. An item that exists before and after is the same item and keeps its lease. Nil for no effect.
    ///
    /// O(inserted and deleted items). Free of cost for a list without leases.
    init?(_ operations: [ListOperation], from old: Snapshot, to new: Snapshot, lease: Lease?, leases: Leases?) {
        self.init(lease: lease)
        for operation in operations {
            switch operation {
            case .insertSections(let inserted, _) where lease != nil:
                sections += inserted.map(\.id)
                for section in inserted { appendAll(section.items) }
            case .insertItems(let inserted, _) where lease != nil: appendAll(inserted)
            case .deleteItems(let ids, _):
                guard let leases else { continue }
                for id in ids { end(id, in: old, unless: new, leases) }
            case .deleteSections(let ids, _):
                guard let leases else { continue }
                for id in ids {
                    if leases.lease(of: id) != nil { endedSections.append(id) }
                    for item in old.rootItems(inSection: id) ?? [] { end(item, in: old, unless: new, leases) }
                }
            default: break
            }
        }
        if isEmpty { return nil }
    }

    func applied(to leases: Leases) -> LeaseChange {
        var (change, after) = (self, leases)
        after.apply(self)
        change.after = after
        return change
    }

    private mutating func appendAll(_ inserted: [Item]) {
        for item in inserted {
            items.append(item.id)
            appendAll(item.children)
        }
    }

    /// Ends the leases of a deleted item and of its descendants that were not moved away before.
    private mutating func end(_ id: ItemID, in old: Snapshot, unless new: Snapshot, _ leases: Leases) {
        if leases.lease(of: id) != nil, !new.contains(id) { endedItems.append(id) }
        for child in old.children(of: id) ?? [] { end(child, in: old, unless: new, leases) }
    }
}

/// The effect of a change on the leases of its list, computed in the background.
struct ComputedLeases: Sendable {
    private let lease: Lease?
    private let before: Leases?
    /// Nil if the change has no effect on leases.
    let change: LeaseChange?

    /// Nil if neither the change nor the list has a lease.
    init?(_ operations: [ListOperation], from old: ListState, to new: Snapshot, _ lease: Lease?, _ leases: Leases?) {
        guard lease != nil || leases != nil else { return nil }
        (self.lease, before) = (lease, leases)
        change = LeaseChange(operations, from: old.snapshot, to: new, lease: lease, leases: leases)?
            .applied(to: leases ?? Leases(of: old.name))
    }

    /// Whether the effect was computed for this lease and these leases of the list.
    func isComputed(for lease: Lease?, _ leases: Leases?) -> Bool {
        guard lease == self.lease else { return false }
        guard let leases, let before else { return leases == nil && before == nil }
        return leases.isSame(as: before)
    }
}

/// The change of a list that removes the items and sections of ended leases.
struct LeaseEnd: Sendable {
    let ended: [Lease]
    let made: ComputedChange
    let change: LeaseChange
    private let before: Leases

    init(of ended: [Lease], _ list: Snapshot, _ leases: Leases) {
        let sections = ended.flatMap(leases.sections(of:))
        let (new, operations) = list.removing(ended.flatMap(leases.items(of:)), sections)
        made = ComputedChange(new: new, operations: operations).withConsequences(from: list)
        var change = LeaseChange(operations, from: list, to: new, lease: nil, leases: leases) ?? LeaseChange()
        // Sections that other clients use stay in the list, but are no longer leased.
        change.endedSections += sections
        (self.ended, self.change, before) = (ended, change.applied(to: leases), leases)
    }

    /// Whether the change was computed for these ended leases and these leases of the list.
    func isComputed(for ended: [Lease], of leases: Leases) -> Bool { ended == self.ended && leases.isSame(as: before) }
}
