import Diffable
import DiffableJSON

/// A list with every feature, for operations and views.
enum Sample {
    static let list: Snapshot = {
        let json = """
            {"content":{"title":"Tasks","a":{"b":1}},"sections":[{"id":"s","content":{"title":"Today"},"items":[
            {"id":"0","content":{"title":"Buy milk","due":"2027-01-02","priority":2,"tags":["home","shop"]},
             "expanded":true,"children":[{"id":"1","content":"Crème brûlée"},{"id":"2","kind":"k","content":[1,2.5,-3e2]}]},
            {"id":"3","content":{"done":true,"a":{"b":{"c":null}}}},{"id":"4","content":7},{"id":"5"}]},
            {"id":"t","items":[{"id":"6","kind":"header","content":{"é":"x","a/b":1,"m~n":2}},
            {"id":"7","children":[{"id":"8","children":[{"id":"9","content":{"title":"ΑΒΓ ÅNGSTRÖM"}}]}]}]},{"id":"u"}]}
            """
        do {
            return try Array(json.utf8).withUnsafeBytes { bytes in
                try Snapshot(WholeList(json: bytes, limits: .server))
            }
        } catch {
            preconditionFailure("the sample is a list, but: \(error)")
        }
    }()
}

/// The complete visible state of a list.
struct SnapshotText: Equatable {
    let json: [UInt8]

    init(_ list: Snapshot) {
        var writer = ByteWriter()
        writer.appendSnapshot(
            WholeList(content: list.content.map(Optional.some), sections: list.sections), expansion: .canonical)
        json = writer.bytes
    }
}

/// Checks invariants of every list by its public reads: its JSON is complete, and reads by id agree with the order.
/// (Tests/DiffableTests checks its pages.)
func checkInvariants(_ list: Snapshot) throws {
    try SnapshotText(list).json.withUnsafeBytes { json in
        let whole = try succeed("a list's JSON can be read: \(text(json))") { () throws(DecodingError) in
            try WholeList(json: json, limits: .journal)
        }
        let again = try succeed("a list's JSON is a list") { () throws(OperationError) in
            try Snapshot(whole, limits: .none)
        }
        try hold(again == list, "a list's JSON is another list: \(text(json))")
    }
    var count = 0
    for (index, section) in list.sectionIdentifiers.enumerated() {
        try hold(list.index(ofSection: section) == index, "a section stands elsewhere than it says")
        guard let items = list.itemIdentifiers(inSection: section) else { throw Broken("a section is not found") }
        try hold(list.numberOfItems(inSection: section) == items.count, "a section counts its items wrongly")
        for (index, item) in items.enumerated() {
            try hold(
                list.indexInSection(ofItem: item) == index && list.itemIdentifier(at: index, inSection: section) == item
                    && list.index(ofItem: item) == count && list.sectionIdentifier(containingItem: item) == section,
                "an item stands elsewhere than it says: \(item)")
            count += 1
        }
    }
    try hold(count == list.numberOfItems, "a list counts its items wrongly")
}
