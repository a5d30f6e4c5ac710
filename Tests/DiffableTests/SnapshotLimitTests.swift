import Diffable
import Testing

@Suite struct `Limits of a snapshot` {
    // MARK: Levels: a chain of three is allowed

    private let levels = SnapshotLimits(levelsMax: 3)

    @Test func `levelsMax levels are allowed, and one more names the item that would be too deep`() throws {
        func chain(_ outline: String) -> [Section] { [Section(id: "u", items: outlined(outline))] }
        try expect(.appendSections(chain("x(y(z))")), but: .appendSections(chain("x(y(z(w)))")), isTooDeepFor: "w")
        try expect(
            .insertSections(chain("x(y(z))"), at: .front), but: .insertSections(chain("x(y(z(w)))"), at: .front),
            isTooDeepFor: "w")
        try expect(.appendItems(outlined("x(y(z))")), but: .appendItems(outlined("x(y(z(w)))")), isTooDeepFor: "w")
        try expect(
            .appendItems(outlined("x"), to: .parent("b")), but: .appendItems(outlined("x(y)"), to: .parent("b")),
            isTooDeepFor: "y")
        try expect(
            .appendItems(outlined("x"), to: .parent("e")), but: .appendItems(outlined("x"), to: .parent("f")),
            isTooDeepFor: "x")
        try expect(
            .insertItems(outlined("x"), at: .after("f")), but: .insertItems(outlined("x(y)"), at: .after("f")),
            isTooDeepFor: "y")
        try expect(
            .moveItem("a", to: .end(of: .parent("g"))), but: .moveItem("a", to: .end(of: .parent("e"))),
            isTooDeepFor: "a")
        try expect(.moveItem("g", to: .after("f")), but: .moveItem("a", to: .after("f")), isTooDeepFor: "a")
        try expect(
            .replaceChildren(of: "a", with: outlined("g(b)")),
            but: .replaceChildren(of: "a", with: outlined("x(g(b))")),
            isTooDeepFor: "b")
    }

    private func expect(
        _ possible: ListOperation, but impossible: ListOperation, isTooDeepFor item: ItemID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let list = "s: a(b) d(e(f)) g"
        let old = try Snapshot(outline: list)
        #expect(throws: Never.self, sourceLocation: sourceLocation) { try old.applying([possible], limits: levels) }
        #expect(
            throws: TransactionError(index: 0, reason: .tooManyLevels(item, max: 3)), sourceLocation: sourceLocation
        ) {
            try old.applying([impossible], limits: levels)
        }
        #expect(old.outline == list, sourceLocation: sourceLocation)
    }

    @Test func `patches read no more content than patchedLengthMax, again and again or of many items`() throws {
        let old = try Snapshot([
            Section(id: "s", items: [Item(id: "a", content: "1234"), Item(id: "b", content: "12")])
        ])
        let limits = SnapshotLimits(patchedLengthMax: 10)
        func patches(_ ids: ItemID...) -> ListOperation {
            .patchItems(ids.map { ItemPatch(id: $0) { $0 } })
        }
        #expect(throws: Never.self) { try old.applying([patches("a", "a"), patches("b")], limits: limits) }
        #expect(throws: TransactionError(index: 1, reason: .tooMuchPatched(max: 10))) {
            try old.applying([patches("a", "a"), patches("b", "b")], limits: limits)
        }
    }

    @Test func `levelsMax holds for a whole list and for a section's items`() throws {
        #expect(throws: Never.self) { try Snapshot([Section(id: "s", items: outlined("a(b(c))"))], limits: levels) }
        #expect(throws: OperationError.tooManyLevels("d", max: 3)) {
            try Snapshot([Section(id: "s", items: outlined("a(b(c(d)))"))], limits: levels)
        }
        #expect(throws: Never.self) {
            try Snapshot().replacingItems(inSection: "s", with: outlined("a(b(c))"), limits: levels)
        }
        #expect(throws: OperationError.tooManyLevels("d", max: 3)) {
            try Snapshot().replacingItems(inSection: "s", with: outlined("a(b(c(d)))"), limits: levels)
        }
    }

    @Test func `what is too deep already may move, but not deeper`() throws {
        let old = try Snapshot(outline: "s: a(b(c(d))) e(f)")
        #expect(
            try old.applying([.moveItem("b", to: .end(of: .parent("e")))], limits: levels).outline
                == "s: a e(f b(c(d)))")
        #expect(throws: TransactionError(index: 0, reason: .tooManyLevels("b", max: 3))) {
            try old.applying([.moveItem("b", to: .end(of: .parent("f")))], limits: levels)
        }
    }

    @Test func `24 levels are allowed unless more is said`() throws {
        func chain(_ levels: Int) -> [Item] {
            (1...levels).reversed().reduce([]) { [Item(id: ItemID(stringLiteral: "\($1)"), children: $0)] }
        }
        #expect(try Snapshot([Section(id: "s", items: chain(24))]).level(of: "24") == 23)
        #expect(throws: OperationError.tooManyLevels("25", max: 24)) {
            try Snapshot([Section(id: "s", items: chain(25))])
        }
    }

    // MARK: Items: five are allowed, and four exist

    private let items = SnapshotLimits(itemsMax: 5)

    @Test func `itemsMax items are allowed, and one more is refused`() throws {
        func sections(_ outline: String) -> [Section] { [Section(id: "u", items: outlined(outline))] }
        try expect(.appendSections(sections("x")), but: .appendSections(sections("x y")))
        try expect(
            .insertSections(sections("x"), at: .front), but: .insertSections(sections("x(y)"), at: .front))
        try expect(.appendItems(outlined("x")), but: .appendItems(outlined("x y")))
        try expect(
            .appendItems(outlined("x"), to: .parent("a")), but: .appendItems(outlined("x(y)"), to: .parent("a")))
        try expect(
            .insertItems(outlined("x"), at: .before("b")), but: .insertItems(outlined("x y"), at: .before("b")))
        try expect(
            .replaceChildren(of: "a", with: outlined("x y")), but: .replaceChildren(of: "a", with: outlined("x y z")))
    }

    private func expect(
        _ possible: ListOperation, but impossible: ListOperation, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let list = "s: a(b) c; t: d"
        let old = try Snapshot(outline: list)
        #expect(try old.applying([possible], limits: items).numberOfItems == 5, sourceLocation: sourceLocation)
        #expect(throws: TransactionError(index: 0, reason: .tooManyItems(max: 5)), sourceLocation: sourceLocation) {
            try old.applying([impossible], limits: items)
        }
        #expect(old.outline == list, sourceLocation: sourceLocation)
    }

    @Test func `itemsMax holds for a whole list and for a section's items`() throws {
        #expect(throws: Never.self) { try Snapshot([Section(id: "s", items: outlined("a b(c) d e"))], limits: items) }
        #expect(throws: OperationError.tooManyItems(max: 5)) {
            try Snapshot([Section(id: "s", items: outlined("a b(c) d e f"))], limits: items)
        }
        let old = try Snapshot(outline: "s: a b; t: c")
        #expect(throws: Never.self) {
            try old.replacingItems(inSection: "s", with: outlined("v w x y"), limits: items)
        }
        #expect(throws: OperationError.tooManyItems(max: 5)) {
            try old.replacingItems(inSection: "s", with: outlined("v w x y z"), limits: items)
        }
    }

    @Test func `room that a deletion makes is there for the next operation`() throws {
        let old = try Snapshot(outline: "s: a(b c d) e")
        #expect(
            try old.applying([.deleteItems(["a"]), .appendItems(outlined("v w x y"))], limits: items).numberOfItems == 5
        )
    }
}
