import Synchronization
import TestSupport
import Testing

@testable import Diffable

@Suite struct `A selection` {
    private static let one: @Sendable (Item) -> Bool = { $0.content == "1" }
    private static let content: Selection.KeyWriter = { item, key in
        guard let content = item.content else { return key.appendAbsence() }
        content.bytes.withUnsafeBytes { key.append($0) }
    }

    @Test func `shows what matches where it belongs`() throws {
        let list = try Snapshot(outline: "s: a(b c(d)) e f(g); t: h")
        let selection = Selection(isMatch: { ["d", "f", "h"].contains($0.id.description) })
        #expect(selection.evaluate(list).outline == "s: a(c(d)) f; t: h")
        let section = Selection(sections: ["t", "absent"])
        #expect(section.evaluate(list).outline == "t: h")
    }

    @Test func `sorts siblings and leaves equal ones in order`() throws {
        let list = try Snapshot([
            Section(
                id: "s",
                items: [
                    Item(id: "a", content: "2"), Item(id: "b", content: "1"), Item(id: "c", content: "2"),
                    Item(id: "d"), Item(id: "e", content: "1"),
                ])
        ])
        #expect(Selection(appendKey: Self.content).evaluate(list).outline == "s: d b e a c")
    }

    @Test func `puts what comes among equal ones where the list has it`() throws {
        let list = try Snapshot([
            Section(id: "s", items: ["a", "b", "c", "d"].map { Item(id: $0, content: $0 == "d" ? "0" : "1") })
        ])
        let selection = Selection(appendKey: Self.content)
        let shown = selection.evaluate(list)
        #expect(shown.outline == "s: d a b c")
        for (operation, outline) in [
            (ListOperation.insertItems([Item(id: "n", content: "1")], at: .after("a")), "s: d a n b c"),
            (.insertItems([Item(id: "n", content: "1")], at: .front(of: .section("s"))), "s: d n a b c"),
            (.moveItem("a", to: .after("b")), "s: d b a c"),
            (.reconfigureItems([ItemReconfiguration(id: "d", content: .some("1"))]), "s: a b c d"),
        ] {
            let next = try list.applying([operation])
            #expect(selection.advance(shown, from: list, to: next, by: next.difference(from: list)).outline == outline)
        }
    }

    /// The last match under an item is deleted while its parent moves.
    @Test func `leaves nothing that was shown for what does not match any more`() throws {
        let items = [
            Item(id: "a", children: [Item(id: "b", children: [Item(id: "c", content: "1")])]),
            Item(id: "d", content: "1"),
        ]
        let list = try Snapshot([Section(id: "s", items: items)])
        let selection = Selection(isMatch: Self.one, appendKey: Self.content)
        let shown = selection.evaluate(list)
        #expect(shown.outline == "s: a(b(c)) d")
        let next = try list.applying([
            .reconfigureItems([
                ItemReconfiguration(id: "c", content: .some(nil)), ItemReconfiguration(id: "b", content: "2"),
            ])
        ])
        let advanced = selection.advance(shown, from: list, to: next, by: next.difference(from: list))
        #expect(advanced.outline == "s: d")
        #expect(advanced.difference(from: shown).lines == ["deleteItems a"])
    }

    @Test func `folds by the list, or by its own ids`() throws {
        let list = try Snapshot(outline: "s: a+(b(c) d) e(f)")
        #expect(Selection(.shared).evaluate(list).outline == "s: a+(b d) e")
        #expect(Selection(.own(["e"])).evaluate(list).outline == "s: a e+(f)")
        #expect(Selection(.toggled(["a", "e"])).evaluate(list).outline == "s: a e+(f)")
        #expect(Selection(.toggled(["b"])).evaluate(list).outline == "s: a+(b+(c) d) e")
        let expansions: [Selection.Expansion] = [
            .own(["e"]), .own(["a", "b"]), .shared, .toggled(["a"]), .toggled(["b", "e", "x"]), .all,
        ]
        for from in expansions {
            for to in expansions where to != .all {
                let other = Selection(to)
                let shown = other.advance(Selection(from).evaluate(list), of: list, from: from)
                #expect(shown == other.evaluate(list), "\(from) to \(to)")
            }
        }
    }

    /// Collapsing one item of a long list costs only its descendants.
    @Test func `costs what is toggled when it differs in nothing else`() throws {
        let items = (0..<1_000).map { number in
            Item(
                id: ItemID(stringLiteral: "\(number)"), isExpanded: true,
                children: [Item(id: ItemID(stringLiteral: "child \(number)"))])
        }
        let list = try Snapshot([Section(id: "s", items: items)])
        #expect(Selection(.toggled(["7"])).estimatedWork(of: list, from: .shared, max: 10) == 2)
        #expect(Selection(.shared).estimatedWork(of: list, from: .toggled(["7"]), max: 10) == 2)
        #expect(Selection(.toggled(["8"])).estimatedWork(of: list, from: .toggled(["7"]), max: 10) == 4)
        #expect(Selection(.toggled(["8"])).estimatedWork(of: list, from: .own(["7"]), max: 10) == nil)
    }

    @Test func `looks at what changed and at nothing else`() throws {
        let looks = Mutex(0)
        let selection = Selection(isMatch: { item in
            looks.withLock { $0 += 1 }
            return item.content == "1"
        })
        var list = try Snapshot([
            Section(
                id: "s",
                items: try (0..<5_000).map { Item(id: try ItemID("\($0)"), content: $0 % 3 == 0 ? "1" : "2") })
        ])
        var shown = selection.evaluate(list)
        #expect(looks.withLock { $0 } == 5_000)
        for operation: ListOperation in [
            .reconfigureItems([ItemReconfiguration(id: "7", content: .some("1"))]),
            .reconfigureItems([ItemReconfiguration(id: "8", content: .some("3"))]),
            .insertItems([Item(id: "new", content: "1")], at: .after("4000")), .deleteItems(["3"]),
            .moveItem("6", to: .after("4999")), .expandItems(["9"]),
        ] {
            looks.withLock { $0 = 0 }
            let next = try list.applying([operation])
            shown = selection.advance(shown, from: list, to: next, by: next.difference(from: list))
            #expect(looks.withLock { $0 } <= 2, "\(operation)")
            list = next
        }
        #expect(shown == selection.evaluate(list))
    }

    private static let selections: [String: Selection] = [
        "sections": Selection(sections: ["first", "1", "2", "3", "inserted"]),
        "matches": Selection(isMatch: one),
        "sorted": Selection(appendKey: content),
        "everything": Selection(sections: ["s", "t", "first", "4"], isMatch: one, appendKey: content),
        "shared": Selection(.shared),
        "toggled": Selection(.toggled(Set((0..<1_000).map { ItemID(stringLiteral: "\($0 * 2)") }))),
        "own": Selection(.own(Set((0..<1_000).map { ItemID(stringLiteral: "\($0)") }))),
    ]

    @Test(arguments: selections.keys.sorted()) func `advances to what it evaluates to`(name: String) throws {
        let selection = try #require(Self.selections[name])
        var (lists, changes) = (0, 0)
        // A short selection rarely changes.
        while lists < 12 || changes <= 40 && lists < 100 {
            lists += 1
            var random = SplitMix64()
            var list = try Model.random(40, of: 50, &random).snapshot
            var shown = selection.evaluate(list)
            for step in 0..<60 {
                let operations = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    ListOperation.random(for: list, &random)
                }
                guard let next = try? list.applying(operations) else { continue }
                let difference = next.difference(from: list)
                let advanced = selection.advance(shown, from: list, to: next, by: difference)
                guard advanced == selection.evaluate(next) else {
                    Issue.record(
                        """
                        seed \(random.seed), step \(step): \(list.outline) by \(difference.lines)
                        gave \(advanced.outline) and not \(selection.evaluate(next).outline)
                        """)
                    return
                }
                if advanced != shown { changes += 1 }
                list = next
                shown = advanced
            }
        }
        #expect(changes > 40)
    }
}

@Suite struct `An order of items` {
    @Sendable private static func content(of item: Item, to key: inout SortKey) {
        item.content?.bytes.withUnsafeBytes { key.append($0) }
    }

    @Sendable private static func id(of item: Item, to key: inout SortKey) {
        item.record.withID { key.append($0) }
    }

    /// Keys are content: items with certain keys are found, and everything else is as without an order.
    @Test func `finds what looking at all items finds`() throws {
        var random = SplitMix64()
        var found = 0
        for _ in 0..<60 {
            let list = try Model.random(40, of: 50, &random).snapshot
            let order = ValueIndex(list, by: Self.content)
            let contents = Set(list.itemIdentifiers.compactMap { list.item($0)?.content })
            let wanted = contents.filter { _ in Bool.random(using: &random) }
            let spans = wanted.map { content in
                var key = SortKey()
                content.bytes.withUnsafeBytes { key.append($0) }
                return KeySpan(first: key.bytes, last: key.bytes)
            }
            let sections = Bool.random(using: &random) ? nil : Set(list.sectionIdentifiers.prefix(2))
            for isSorted in [false, true] {
                let selection = Selection(
                    sections: sections, isMatch: { $0.content.map(wanted.contains) ?? false },
                    appendKey: isSorted ? Self.id : nil)
                let shown = selection.evaluate(order, in: spans)
                #expect(shown == selection.evaluate(list), "seed \(random.seed)")
                found += shown.numberOfItems
            }
        }
        #expect(found > 100)
    }

    @Test func `finds values that begin alike for longer than it keeps`() throws {
        let start = String(repeating: "long ", count: 20)
        let list = try Snapshot([
            Section(
                id: "s",
                items: try (0..<200).map { number in
                    Item(
                        id: try ItemID("\(number)"),
                        content: Content(Array("\(number % 2 == 0 ? start : "")\(number)".utf8)))
                })
        ])
        let order = ValueIndex(list, by: Self.content)
        for number in 0..<200 {
            let wanted = Item(id: "wanted", content: list.item(try ItemID("\(number)"))?.content)
            var key = SortKey()
            Self.content(of: wanted, to: &key)
            let selection = Selection(isMatch: { $0.content == wanted.content })
            let shown = selection.evaluate(order, in: [KeySpan(first: key.bytes, last: key.bytes)])
            #expect(shown.itemIdentifiers.map(\.description) == ["\(number)"])
        }
    }

    @Test func `finds all from one key to another, both included`() throws {
        let list = try Snapshot([
            Section(
                id: "s",
                items: try (0..<100).map { number in
                    let content =
                        number % 10 == 9 || number == 0
                        ? nil : Content(Array(String(repeating: "a", count: number).utf8))
                    return Item(id: try ItemID("\(number)"), content: content)
                })
        ])
        let order = ValueIndex(list, by: Self.content)
        func key(_ number: Int) -> [UInt8] {
            var key = SortKey()
            Array(String(repeating: "a", count: number).utf8).withUnsafeBytes { key.append($0) }
            return key.bytes
        }
        #expect(order.count(in: [KeySpan(first: key(20), last: key(28))]) == 9)
        #expect(order.count(in: [KeySpan(first: key(29), last: key(29))]) == 0)
        #expect(order.count(in: [KeySpan(first: key(30), last: key(20))]) == 0)
        #expect(order.count(in: [KeySpan(first: [], last: [0xFF]), KeySpan(first: key(1), last: key(1))]) == 90)
    }
}

@Suite struct `A window` {
    @Test func `shows rows in their sections and under their parents`() throws {
        let list = try Snapshot(outline: "s: a(b c(d e)) f; t:; u: g h")
        func outline(_ offset: Int, _ limit: Int) -> String {
            Window(start: .offset(offset), limit: limit).extract(from: list).snapshot.outline
        }
        #expect(outline(0, 2) == "s: a(b)")
        #expect(outline(3, 2) == "s: a(c(d e))")
        #expect(outline(5, 2) == "s: f; u: g")
        #expect(outline(7, 50) == "u: h")
        #expect(outline(8, 50) == "s: a(b c(d e)) f; u: g h")
        #expect(outline(8, 2) == "u: g h", "an offset past the end is that of the last full window")
        #expect(outline(0, 0) == "")
    }

    @Test func `begins at its anchor, and then at the item that takes its place`() throws {
        let list = try Snapshot(outline: "s: a b c d e")
        let window = Window(start: .anchor("c"), limit: 2)
        let extract = window.extract(from: list)
        #expect(extract.snapshot.outline == "s: c d")
        #expect(extract.extent == Window.Extent(offset: 2, total: 5))
        let without = try list.applying([.deleteItems(["c"])])
        #expect(window.extract(from: without, after: extract.sent).snapshot.outline == "s: d e")
        func anchor(_ operations: [ListOperation]) throws -> ItemID? {
            window.extract(from: try list.applying(operations), after: extract.sent).anchor
        }
        #expect(try anchor([.deleteItems(["c"])]) == "d")
        #expect(try anchor([.deleteItems(["c"]), .moveItem("d", to: .front(of: .section("s")))]) == "e")
        #expect(try anchor([.deleteItems(["c", "d", "e"])]) == "b")
        let insertion = ListOperation.insertItems([Item(id: "n")], at: .after("b"))
        #expect(try anchor([.deleteItems(["c", "d"]), insertion]) == "e", "a new row is not the next one")
        #expect(try anchor([.deleteItems(["c", "d", "e"]), insertion]) == "n", "the row after the previous one")
        #expect(try anchor([.deleteSections(["s"])]) == nil)
        // It begins at the front for a new follower, and a replaced anchor stays when the old item is inserted again.
        #expect(window.extract(from: without).anchor == "a")
        let replaced = window.extract(from: without, after: extract.sent)
        #expect(replaced.extent.anchor == "d" && window.extract(from: list, after: replaced.sent).anchor == "d")
    }

    @Test func `shows rows before its anchor`() throws {
        let list = try Snapshot(outline: "s: a b c d e")
        func outline(_ anchor: ItemID, _ before: Int) -> String {
            var window = Window(start: .anchor(anchor), limit: 3)
            window.before = before
            return window.extract(from: list).snapshot.outline
        }
        #expect(outline("d", 1) == "s: c d e" && outline("b", 2) == "s: a b c" && outline("e", 1) == "s: d e")
    }

    @Test func `keeps the row of the first item that did not move`() throws {
        let list = try Snapshot(outline: "s: a b c d e f g h")
        var window = Window(start: .offset(2), limit: 4)
        window.keep = ["x", "e", "d"]
        let sent = window.extract(from: list).sent
        func offset(_ operations: [ListOperation], _ change: (inout Window) -> Void = { _ in }) throws -> Int {
            var other = window
            change(&other)
            let after = try list.applying(operations)
            return other.extract(from: after, after: sent, isSameView: other == window).extent.offset
        }
        let new = (0..<5_000).map { Item(id: ItemID(stringLiteral: "n\($0)")) }
        #expect(try offset([.insertItems(new, at: .front(of: .section("s")))]) == 5_002)
        #expect(try offset([.deleteItems(["a", "b"])]) == 0)
        #expect(try offset([.deleteItems(["a", "b", "c"])]) == 0, "there are no rows before it")
        #expect(try offset([.moveItem("e", to: .front(of: .section("s")))]) == 3, "d did not move")
        #expect(try offset([.moveItem("e", to: .end(of: .section("s")))]) == 2)
        #expect(try offset([.deleteItems(["e", "d", "a"])]) == 2, "the offset holds")
        #expect(try offset([.deleteItems(["a"])]) { $0.start = .offset(3) } == 2)
        #expect(try offset([.deleteItems(["a"])]) { $0.keep = [] } == 2)
        // The rows that come down least stay, of two that change places.
        #expect(try offset([.moveItem("e", to: .after("d")), .moveItem("h", to: .before("g"))]) == 2)
        #expect(try offset([.moveItem("e", to: .before("d"))]) { $0.keep = ["d"] } == 3)
        // An item outside of the window counts too.
        #expect(try offset([.deleteItems(["a"]), .moveItem("e", to: .before("d"))]) { $0.keep = ["h", "d"] } == 1)
    }

    @Test func `tells the rows of pins and sections`() throws {
        let list = try Snapshot(outline: "s: a(b c) d; t:; u: e f")
        var window = Window(start: .offset(4), limit: 1)
        window.pins = ["f", "x", "c"]
        window.hasAllSections = true
        let extract = window.extract(from: list)
        #expect(extract.snapshot.outline == "s:; t:; u: e")
        #expect(extract.extent.pins.map(\.row) == [5, nil, 2] && extract.extent.rows.map(\.count) == [4, 0, 2])
        let next = window.extract(from: try list.applying([.deleteItems(["b"])])).extent.members(
            unknownTo: extract.extent)
        #expect(next.pins == [.init(item: "f", row: 4), .init(item: "c", row: 1)])
        #expect(next.rows == [.init(section: "s", count: 3)])
    }

    @Test(arguments: [false, true])
    func `costs its rows, however long the list is`(haveOwnSections: Bool) throws {
        func time(_ rows: Int) throws -> Duration {
            let items = try (0..<rows).map { Item(id: try ItemID("\($0)")) }
            // Each row in a section of its own, next to one without rows.
            let sections =
                try haveOwnSections
                ? items.flatMap { item in
                    [
                        Section(id: try SectionID("of \(item.id)"), items: [item]),
                        Section(id: try SectionID("after \(item.id)")),
                    ]
                } : [Section(id: "s", items: items)]
            let list = try Snapshot(sections)
            var best = Duration.seconds(60)
            for round in 0..<20 {
                best = min(
                    best,
                    processorTime {
                        for step in 0..<10 {
                            let start = (round * 10 + step) * rows / 220
                            #expect(
                                Window(start: .offset(start), limit: 5).extract(from: list).snapshot.numberOfItems == 5)
                        }
                    })
            }
            return best
        }
        // A hundred times as many rows; the logarithm is less than three times as large.
        let (short, long) = (try time(300), try time(30_000))
        #expect(long < short * 12, "\(short) for 300 rows, \(long) for 30,000")
    }

    @Test func `shows at every offset what the list has there`() throws {
        var random = SplitMix64()
        for _ in 0..<40 {
            let list = try Model.random(40, of: 50, &random).snapshot
            let rows = list.itemIdentifiers
            for offset in 0...rows.count {
                let limit = Int.random(in: 1...10, using: &random)
                let shown = Window(start: .offset(offset), limit: limit).extract(from: list).snapshot
                let wanted = offset < rows.count ? rows[offset...].prefix(limit) : rows.suffix(limit)
                // Their parents are before them, and do not count as rows of the window.
                #expect(Array(shown.itemIdentifiers.filter(wanted.contains)) == Array(wanted), "seed \(random.seed)")
                for id in shown.itemIdentifiers where !wanted.contains(id) {
                    #expect(shown.children(of: id)?.isEmpty == false, "seed \(random.seed)")
                }
            }
        }
    }
}

@Suite struct `Items whose children are left out` {
    @Test func `are marked, and changes say when that changes`() throws {
        let selection = Selection(.shared, marksFolded: true)
        func marked(_ list: Snapshot) -> [ItemID] { list.itemIdentifiers.filter { list.isFolded($0) == true } }
        let list = try Snapshot(outline: "s: a(b c) d+(e) f")
        let shown = selection.evaluate(list)
        #expect(marked(shown) == ["a"] && marked(Selection(.shared).evaluate(list)).isEmpty)
        func step(_ operations: [ListOperation]) throws -> (Snapshot, [String]) {
            let next = try list.applying(operations)
            let advanced = selection.advance(shown, from: list, to: next, by: next.difference(from: list))
            #expect(advanced == selection.evaluate(next))
            let difference = advanced.difference(from: shown)
            #expect(try shown.applying(difference) == advanced)
            return (advanced, difference.map { String("\($0)".prefix { $0 != "(" }) })
        }
        #expect(try step([.deleteItems(["b"])]).1 == [])
        #expect(try step([.deleteItems(["b", "c"])]).1 == ["unfoldItems"])
        #expect(try step([.insertItems([Item(id: "g")], at: .front(of: .parent("f")))]).1 == ["foldItems"])
        #expect(try marked(step([.moveItem("e", to: .front(of: .parent("f")))]).0) == ["a", "f"])
        #expect(try marked(step([.collapseItems(["d"])]).0) == ["a", "d"])
        #expect(try marked(step([.expandItems(["a"])]).0) == [])
    }
}
