import Diffable

/// One kind of operation, many times. Each makes a new snapshot while the previous one is still held, as in the daemon.
struct ListWorkload: Sendable {
    let name: String
    let repetitions: Int
    /// Prepares without being measured, and returns the measured part with all repetitions.
    let prepare: @Sendable (ListUnderTest) throws -> () throws -> Void

    /// - Parameter run: gets the number of each repetition and returns the next snapshot.
    private init(_ name: String, _ run: @escaping @Sendable (ListUnderTest, Int, Snapshot) throws -> Snapshot) {
        let repetitions = 2_000
        self.name = name
        self.repetitions = repetitions
        prepare = { list in
            {
                var snapshot = list.snapshot
                for number in 0..<repetitions { snapshot = try run(list, number, snapshot) }
            }
        }
    }

    private init(
        _ name: String, repetitions: Int,
        _ prepare: @escaping @Sendable (ListUnderTest) throws -> () throws -> Void
    ) {
        (self.name, self.repetitions, self.prepare) = (name, repetitions, prepare)
    }

    static let all = [insert, delete, move, reconfigure, indexOfID, idAtIndex, oneChangeApart]

    static let insert = ListWorkload("insert") { list, number, snapshot in try list.inserting(number, into: snapshot) }

    static let delete = ListWorkload("delete") { list, number, snapshot in
        // At most half of the list, so that the smallest stays a list; then from the beginning again.
        let number = number % (list.size / 2)
        return try (number == 0 ? list.snapshot : snapshot).applying([.deleteItems([list.id(number)])])
    }

    static let move = ListWorkload("move") { list, number, snapshot in
        try snapshot.applying([.moveItem(list.id(number), to: .after(list.id(number + 1)))])
    }

    static let reconfigure = ListWorkload("reconfigure") { list, number, snapshot in
        let item = ItemReconfiguration(id: list.id(number), content: Content(Array("true".utf8)))
        return try snapshot.applying([.reconfigureItems([item])])
    }

    static let indexOfID = ListWorkload("index of id") { list, number, snapshot in
        precondition(snapshot.index(ofItem: list.id(number)) != nil)
        return snapshot
    }

    static let idAtIndex = ListWorkload("id at index") { list, number, snapshot in
        precondition(snapshot.itemIdentifier(at: number * 7_919 % list.size, inSection: list.section) != nil)
        return snapshot
    }

    /// Only the diff; the change was made before.
    static let oneChangeApart = ListWorkload("difference, one change apart", repetitions: 1_000) { list in
        let changed = try (0..<1_000).map { try list.inserting($0, into: list.snapshot) }
        return { for snapshot in changed { precondition(snapshot.difference(from: list.snapshot).count == 1) } }
    }
}
