/// Objects without an order, each of which knows its index. Adding and removing one are O(1).
struct UnorderedBag<Member: AnyObject> {
    private var members: [Member] = []
    /// The property that holds a member's index; nil there when it is not in this group.
    private let place: ReferenceWritableKeyPath<Member, Int?>

    init(_ place: ReferenceWritableKeyPath<Member, Int?>) { self.place = place }

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }

    subscript(position: Int) -> Member { members[position] }

    /// Adds a member, unless it is in a group already.
    mutating func add(_ member: Member) {
        if member[keyPath: place] != nil { return }
        member[keyPath: place] = members.count
        members.append(member)
    }

    /// Removes a member, if it is in the group.
    mutating func remove(_ member: Member) {
        guard let position = member[keyPath: place] else { return }
        member[keyPath: place] = nil
        let last = members.removeLast()
        if last !== member {
            members[position] = last
            last[keyPath: place] = position
        }
    }

    mutating func removeAll() {
        for member in members { member[keyPath: place] = nil }
        members.removeAll(keepingCapacity: true)
    }

    func forEach(_ body: (Member) -> Void) {
        for member in members { body(member) }
    }
}
