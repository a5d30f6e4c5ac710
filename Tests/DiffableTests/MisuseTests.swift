import Testing

@testable import Diffable

@Suite struct `What is refused` {
    // MARK: Sections

    @Test func `a section that is known, or that stands twice in what is brought`() {
        expect(.appendSections([Section(id: "s")]), isRefused: .duplicateSection("s"))
        expect(.appendSections([Section(id: "x"), Section(id: "x")]), isRefused: .duplicateSection("x"))
        expect(.insertSections([Section(id: "t")], at: .front), isRefused: .duplicateSection("t"))
        expect(
            .insertSections([Section(id: "x"), Section(id: "x")], at: .after("s")), isRefused: .duplicateSection("x"))
    }

    @Test func `sections next to one that is unknown, or that is among them`() {
        for position in [SectionPosition.before("y"), .after("y")] {
            expect(.insertSections([Section(id: "x")], at: position), isRefused: .noSuchSection("y"))
            expect(
                .insertSections([Section(id: "y")], at: position), isRefused: .invalidSectionAnchor("y", .isInserted))
        }
        expect(.insertSections([Section(id: "s")], at: .after("s")), isRefused: .invalidSectionAnchor("s", .isInserted))
    }

    @Test func `deleting an unknown section`() {
        expect(.deleteSections(["s", "x"]), isRefused: .noSuchSection("x"))
    }

    @Test func `moving an unknown section, next to an unknown one, or next to itself`() {
        expect(.moveSection("x", to: .front), isRefused: .noSuchSection("x"))
        for position in [SectionPosition.before("y"), .after("y")] {
            expect(.moveSection("s", to: position), isRefused: .noSuchSection("y"))
        }
        for position in [SectionPosition.before("s"), .after("s")] {
            expect(.moveSection("s", to: position), isRefused: .invalidSectionAnchor("s", .isMoved))
        }
    }

    @Test func `reloading an unknown section`() {
        expect(
            .reloadSections([SectionReload(id: "s", content: "1"), SectionReload(id: "x")]),
            isRefused: .noSuchSection("x"))
    }

    // MARK: Coming items

    @Test func `items for a section or a parent that is unknown`() {
        expect(.appendItems(outlined("x"), to: .section("y")), isRefused: .noSuchSection("y"))
        expect(.appendItems(outlined("x"), to: .parent("y")), isRefused: .noSuchItem("y"))
        expect(.insertItems(outlined("x"), at: .front(of: .section("y"))), isRefused: .noSuchSection("y"))
        expect(.insertItems(outlined("x"), at: .front(of: .parent("y"))), isRefused: .noSuchItem("y"))
        // A parent among the inserted items is refused too.
        expect(.appendItems(outlined("x(y)"), to: .parent("y")), isRefused: .noSuchItem("y"))
    }

    @Test(arguments: ["a", "b", "x x", "x(x)", "x(y) y", "x(y) z(y)", "x(a)", "x(y(c))"])
    func `items that are known, or that stand twice in what is brought`(brought: String) throws {
        let id = ItemID(stringLiteral: String(brought.filter { $0.isLetter }.last!))
        let items = outlined(brought)
        let repeated = brought == "x x" || brought == "x(x)" ? ItemID("x") : id
        expect(.appendItems(items, to: .section("t")), isRefused: .duplicateItem(repeated))
        expect(.appendItems(items, to: .parent("d")), isRefused: .duplicateItem(repeated))
        expect(.insertItems(items, at: .after("d")), isRefused: .duplicateItem(repeated))
        expect(.appendSections([Section(id: "u", items: items)]), isRefused: .duplicateItem(repeated))
        expect(.insertSections([Section(id: "u", items: items)], at: .front), isRefused: .duplicateItem(repeated))
    }

    @Test func `an item in two sections that come together`() {
        let sections = [Section(id: "u", items: outlined("x")), Section(id: "v", items: outlined("y(x)"))]
        expect(.appendSections(sections), isRefused: .duplicateItem("x"))
    }

    @Test func `items next to one that is unknown, deleted, or among them`() {
        for position in [ItemPosition.before("y"), .after("y")] {
            expect(.insertItems(outlined("x"), at: position), isRefused: .noSuchItem("y"))
            expect(.insertItems(outlined("x y"), at: position), isRefused: .invalidItemAnchor("y", .isInserted))
        }
        expect(.insertItems(outlined("a"), at: .after("a")), isRefused: .invalidItemAnchor("a", .isInserted))
        for position in [ItemPosition.before("b"), .after("b")] {
            expect([.deleteItems(["a"])], .insertItems(outlined("x"), at: position), isRefused: .noSuchItem("b"))
        }
    }

    // MARK: Going and moving items

    @Test func `deleting an unknown item, or one that has gone with its parent or its section`() {
        expect(.deleteItems(["a", "x"]), isRefused: .noSuchItem("x"))
        expect([.deleteItems(["a"])], .deleteItems(["c"]), isRefused: .noSuchItem("c"))
        expect([.deleteSections(["s"])], .deleteItems(["c"]), isRefused: .noSuchItem("c"))
        expect([.deleteAllItems], .deleteItems(["e"]), isRefused: .noSuchItem("e"))
    }

    @Test func `moving an unknown item, or one next to an unknown one, or into an unknown container`() {
        expect(.moveItem("x", to: .after("a")), isRefused: .noSuchItem("x"))
        for position in [ItemPosition.before("y"), .after("y"), .front(of: .parent("y")), .end(of: .parent("y"))] {
            expect(.moveItem("a", to: position), isRefused: .noSuchItem("y"))
        }
        for position in [ItemPosition.front(of: .section("y")), .end(of: .section("y"))] {
            expect(.moveItem("a", to: position), isRefused: .noSuchSection("y"))
        }
    }

    @Test func `moving an item next to itself`() {
        for position in [ItemPosition.before("a"), .after("a")] {
            expect(.moveItem("a", to: position), isRefused: .invalidItemAnchor("a", .isMoved))
        }
    }

    @Test func `moving an item under itself or its own descendant`() {
        let positions: [ItemPosition] = [
            .front(of: .parent("a")), .end(of: .parent("a")), .end(of: .parent("b")), .end(of: .parent("c")),
            .before("b"), .after("b"), .before("c"), .after("c"),
        ]
        for position in positions { expect(.moveItem("a", to: position), isRefused: .ownDescendant("a")) }
    }

    @Test(arguments: [
        Container(section: "t", parent: nil), Container(section: "s", parent: nil),
        Container(section: "s", parent: "d"), Container(section: nil, parent: "d"),
    ])
    func `an anchor that is not in the container that is named beside it`(container: Container) {
        expect(.moveItem("e", to: .after("b", in: container)), isRefused: .invalidItemAnchor("b", .isElsewhere))
        expect(.moveItem("e", to: .before("b", in: container)), isRefused: .invalidItemAnchor("b", .isElsewhere))
        expect(
            .insertItems(outlined("x"), at: .after("b", in: container)),
            isRefused: .invalidItemAnchor("b", .isElsewhere))
    }

    @Test func `a parent that is not in the section that is named beside it`() {
        let container = Container(section: "t", parent: "a")
        expect(.appendItems(outlined("x"), to: container), isRefused: .invalidItemAnchor("a", .isParentElsewhere))
        expect(.moveItem("e", to: .end(of: container)), isRefused: .invalidItemAnchor("a", .isParentElsewhere))
    }

    // MARK: Contents and expansion

    @Test func `reconfiguring, patching, reloading, expanding or collapsing an unknown item`() {
        expect(
            .reconfigureItems([ItemReconfiguration(id: "a", content: "1"), ItemReconfiguration(id: "x")]),
            isRefused: .noSuchItem("x"))
        expect(
            .patchItems([ItemPatch(id: "a") { _ in "1" }, ItemPatch(id: "x") { _ in "1" }]),
            isRefused: .noSuchItem("x"))
        expect(.reloadItems([ItemReload(id: "a", kind: "k"), ItemReload(id: "x")]), isRefused: .noSuchItem("x"))
        expect(.expandItems(["a", "x"]), isRefused: .noSuchItem("x"))
        expect(.collapseItems(["a", "x"]), isRefused: .noSuchItem("x"))
    }

    @Test func `what a patch refuses`() {
        let reason = OperationError.contentTooLong("a", length: 9, max: 8)
        let patch: ItemPatch.Patch = { _ throws(OperationError) in throw reason }
        expect(.patchItems([ItemPatch(id: "a", patch: patch)]), isRefused: reason)
    }

    // MARK: Replacing

    @Test func `replacing the children of an unknown item`() {
        expect(.replaceChildren(of: "x", with: []), isRefused: .noSuchItem("x"))
    }

    @Test func `children that stand twice`() {
        expect(.replaceChildren(of: "a", with: outlined("x x")), isRefused: .duplicateItem("x"))
        expect(.replaceChildren(of: "a", with: outlined("b c(b)")), isRefused: .duplicateItem("b"))
    }

    @Test func `children that are the parent itself or an ancestor of it`() {
        expect(.replaceChildren(of: "b", with: outlined("b")), isRefused: .ownDescendant("b"))
        expect(.replaceChildren(of: "b", with: outlined("x(a)")), isRefused: .ownDescendant("a"))
        expect(.replaceChildren(of: "c", with: outlined("a")), isRefused: .ownDescendant("a"))
    }

    @Test func `a section's items that stand twice`() throws {
        let old = try Snapshot(outline: "s: a")
        #expect(throws: OperationError.duplicateItem("b")) {
            try old.replacingItems(inSection: "s", with: outlined("a(b) b"))
        }
        #expect(old.outline == "s: a")
    }

    @Test func `a whole list in which an id stands twice`() {
        #expect(throws: OperationError.duplicateSection("s")) { try Snapshot([Section(id: "s"), Section(id: "s")]) }
        #expect(throws: OperationError.duplicateItem("a")) { try Snapshot(outline: "s: a; t: b(a)") }
    }

    @Test func `one id may name a section and an item`() throws {
        #expect(try Snapshot(outline: "a: a(s); s: b").outline == "a: a(s); s: b")
    }

    // MARK: All or nothing

    @Test func `the error names the operation's index, and nothing of the transaction remains`() throws {
        let old = try Snapshot(outline: list)
        for index in [0, 1, 7] {
            var operations = (0..<index).map { ListOperation.appendItems(outlined("n\($0)"), to: .section("s")) }
            operations.append(.deleteItems(["x"]))
            operations.append(.deleteItems(["y"]))
            #expect(throws: TransactionError(index: index, reason: .noSuchItem("x"))) { try old.applying(operations) }
            #expect(old.outline == list)
        }
    }

    /// A list on which every error can occur.
    private let list = "s: a+(b(c)) d; t: e"

    private func expect(
        _ operation: ListOperation, isRefused reason: OperationError, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(
            [.reconfigureItems([ItemReconfiguration(id: "d", content: "1")])], operation, isRefused: reason,
            sourceLocation: sourceLocation)
    }

    /// The operation also fails after valid ones.
    private func expect(
        _ first: [ListOperation], _ operation: ListOperation, isRefused reason: OperationError,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do {
            let old = try Snapshot(outline: list)
            #expect(throws: TransactionError(index: first.count, reason: reason), sourceLocation: sourceLocation) {
                try old.applying(first + [operation])
            }
            #expect(old.outline == list && old.item("d")?.content == nil, sourceLocation: sourceLocation)
            old.checkInvariants(sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }
}
