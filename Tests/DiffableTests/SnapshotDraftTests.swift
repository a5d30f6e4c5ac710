import Diffable
import Testing

struct SnapshotDraftTests {
    private let start: Snapshot

    init() throws {
        start = try Snapshot().applying([
            .appendSections([
                Section(id: "s", items: [Item(id: "a", children: [Item(id: "a1")]), Item(id: "b")]), Section(id: "t"),
            ])
        ])
    }

    private typealias Verb = @Sendable (inout SnapshotDraft) throws -> Void

    /// Each method, and its result on `s: a(a1) b
    /// t:`.
    private static let verbs: [(String, Verb)] = [
        ("s: a(a1) b | t: | u:", { try $0.appendSections([Section(id: "u")]) }),
        ("u: | s: a(a1) b | t:", { try $0.insertSections([Section(id: "u")], beforeSection: "s") }),
        ("s: a(a1) b | u: | t:", { try $0.insertSections([Section(id: "u")], afterSection: "s") }),
        ("t:", { try $0.deleteSections(["s"]) }),
        ("t: | s: a(a1) b", { try $0.moveSection("t", beforeSection: "s") }),
        ("t: | s: a(a1) b", { try $0.moveSection("s", afterSection: "t") }),
        ("s: a(a1) b | t:", { try $0.reloadSections(["s"]) }),
        ("s: a(a1) b | t: c", { try $0.appendItems([Item(id: "c")]) }),
        ("s: a(a1) b c | t:", { try $0.appendItems([Item(id: "c")], toSection: "s") }),
        ("s: c a(a1) b | t:", { try $0.insertItems([Item(id: "c")], beforeItem: "a") }),
        ("s: a(a1) c b | t:", { try $0.insertItems([Item(id: "c")], afterItem: "a") }),
        ("s: b | t:", { try $0.deleteItems(["a"]) }),
        ("", { try $0.deleteAllItems() }),
        ("s: b a(a1) | t:", { try $0.moveItem("b", beforeItem: "a") }),
        ("s: b a(a1) | t:", { try $0.moveItem("a", afterItem: "b") }),
        ("s: a(a1) b | t:", { try $0.reloadItems(["a"]) }),
        ("s: a(a1) b | t:", { try $0.reconfigureItems(["a"]) }),
        ("s: a(a1 c) b | t:", { try $0.append([Item(id: "c")], to: "a") }),
        ("s: a(c) b | t:", { try $0.replace(childrenOf: "a", using: [Item(id: "c")]) }),
        ("s: a(a1) b=1 | t:", { try $0.setContent(Content([0x31]), ofItem: "b") }),
        ("s: a(a1)+ b | t:", { try $0.expand(["a"]) }),
        (
            "s: a(a1) b | t:",
            {
                try $0.expand(["a"])
                try $0.collapse(["a"])
            }
        ),
    ]

    @Test(arguments: verbs.indices)
    func `a verb does what it does in UIKit, and its operations do it again`(_ index: Int) throws {
        let (expected, verb) = Self.verbs[index]
        var draft = SnapshotDraft(start)
        try verb(&draft)
        #expect(Self.text(draft.snapshot) == expected)
        #expect(try start.applying(draft.operations) == draft.snapshot)
    }

    @Test func `a verb that throws changes nothing`() throws {
        var draft = SnapshotDraft(start)
        #expect(throws: OperationError.noSuchItem("x")) { try draft.deleteItems(["a", "x"]) }
        #expect(throws: OperationError.duplicateItem("a1")) { try draft.appendItems([Item(id: "a1")]) }
        #expect(draft.operations.isEmpty && draft.snapshot == start)
    }

    private static func text(_ snapshot: Snapshot) -> String {
        snapshot.sections.map { "\($0.id):\($0.items.map { " \(text($0))" }.joined())" }.joined(separator: " | ")
    }

    private static func text(_ item: Item) -> String {
        let children = item.children.isEmpty ? "" : "(\(item.children.map(text).joined(separator: " ")))"
        return "\(item.id)\(children)\(item.isExpanded == true ? "+" : "")\(item.content.map { "=\($0)" } ?? "")"
    }
}
