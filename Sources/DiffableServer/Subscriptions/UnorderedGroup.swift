/// Objects in no order, each of which knows its place. One comes and goes at the same cost, however many they are.
struct UnorderedGroup<Member: AnyObject> {
    private var members: [Member] = []
    /// Where a member's place among the others is; nil there when it is not in this group.
    private let place: ReferenceWritableKeyPath<Member, Int?>

    init(_ place: ReferenceWritableKeyPath<Member, Int?>) { self.place = place }

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }

    subscript(position: Int) -> Member { members[position] }

    /// One that is here already stays.
    mutating func add(_ member: Member) {
        if member[keyPath: place] != nil { return }
        member[keyPath: place] = members.count
        members.append(member)
    }

    /// One that is not here stays away.
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
