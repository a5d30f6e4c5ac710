import Diffable
import DiffableJSON
import DiffableView
import Foundation
import TestSupport
import Testing

@Suite struct HostileContentTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let effort = environment["DIFFABLED_SOAK"] == nil ? 1 : 200
    private static var seed: SplitMix64 {
        environment["DIFFABLED_SEED"].flatMap(UInt64.init).map { SplitMix64(seed: $0) } ?? SplitMix64()
    }

    @Test func `whatever a list holds, what is drawn is harmless and fits the screen`() throws {
        let seed = Self.seed
        var list = RandomList(seed)
        for _ in 0..<100 * Self.effort {
            let document = try list.document()
            for _ in 0..<4 {
                let viewport = list.viewport(of: document)
                let scene = Layout.scene(of: document, in: viewport)
                var grid = Grid(columns: viewport.columns, rows: viewport.rows)
                scene.draw(into: &grid, decoration: list.decoration(of: document))
                expectHarmless(grid, "seed \(seed.seed)")
                if viewport.symbols.isASCII {
                    #expect(grid.text.utf8.allSatisfy { $0 < 0x7F }, "seed \(seed.seed)")
                }
                for direction in Scene.Direction.allCases {
                    _ = scene.neighbour(of: list.id(of: document), towards: direction)
                }
                for row in -1...viewport.rows where list.chance(4) {
                    let position = Grid.Position(
                        column: Int.random(in: 0..<viewport.columns, using: &list.random), row: row)
                    _ = scene.hit(at: position)
                }
            }
        }
    }

    /// The whole viewer: keys, the mouse, replies and other users' texts in any order, over a sequence of hostile states.
    @Test func `whatever a viewer is shown and told, what it draws is harmless`() throws {
        let seed = Self.seed
        var list = RandomList(seed)
        let keys: [Key] =
            "jklhgG v.p:<>adyuensmw/?qxXd1[]\u{202E}\u{301}".unicodeScalars.map { .character($0) }
            + [.enter, .enter, .escape, .escape, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .tab]
            + [.backspace, .delete]
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &list.random) }
        for _ in 0..<25 * Self.effort {
            var screen = ViewerScreen(
                columns: number(1..<100), rows: number(1..<30), lists: ["one", "two"]
            ) { options in
                options.symbols = number(0..<3) == 0 ? .ascii : .unicode
                options.picking = [.none, .none, .single, .multiple][number(0..<4)]
            }
            var request = 0
            for _ in 0..<60 {
                switch number(0..<12) {
                case 0...2: screen.showJustNow(try list.document().snapshot, list: number(0..<2))
                case 3: screen.wait(.milliseconds(number(0..<2_000)))
                case 4: screen.handle(.paste(list.text()))
                case 5:
                    let action: [MouseEvent.Action] = [
                        .press(.left), .press(.right), .release(nil), .drag(.left), .wheel(.down), .wheel(.up),
                        .wheel(.right),
                        .wheel(.left),
                    ]
                    screen.handle(
                        .mouse(
                            MouseEvent(action[number(0..<action.count)], column: number(0..<100), row: number(0..<30))))
                case 6:
                    switch number(0..<4) {
                    case 0: screen.handle(.absent(.deleted, list: number(0..<2)))
                    case 1: screen.handle(.connection(isUp: number(0..<2) == 0))
                    default: screen.handle(.resized(columns: number(1..<100), rows: number(1..<30)))
                    }
                default:
                    let modifiers: [KeyModifiers] = [[], [], [], [], .alt, .shift, .control]
                    screen.press(keys[number(0..<keys.count)], modifiers[number(0..<modifiers.count)])
                }
                for _ in screen.requests {
                    request += 1
                    let result: ViewerReply.Result =
                        number(0..<2) == 0 ? .done(revision: nil, answer: list.text()) : .refused(list.text())
                    screen.handle(.reply(ViewerReply(request: request, result)))
                }
                expectHarmless(screen.grid, "seed \(seed.seed)")
            }
        }
    }

    private func expectHarmless(_ grid: Grid, _ comment: Comment) {
        #expect(grid.cells.count == grid.columns * grid.rows, comment)
        #expect((0..<grid.rows).allSatisfy { isHarmless($0, of: grid) }, comment)
        if let cursor = grid.cursor {
            #expect((0..<grid.columns).contains(cursor.column) && (0..<grid.rows).contains(cursor.row), comment)
        }
    }

    private func isHarmless(_ row: Int, of grid: Grid) -> Bool {
        var column = 0
        while column < grid.columns {
            let cell = grid[row, column]
            switch cell.width {
            case 1: break
            case 2: guard column + 1 < grid.columns, grid[row, column + 1].isContinuation else { return false }
            default: return false
            }
            column += cell.width
            if cell.isBlank { continue }
            let text = grid.text(of: cell)
            guard !text.isEmpty, text.utf8.count <= 256 else { return false }
            for scalar in text.unicodeScalars where !scalar.isASCII || scalar.value < 0x20 || scalar.value == 0x7F {
                let properties = scalar.properties
                if properties.generalCategory == .control || properties.isBidiControl { return false }
            }
        }
        return true
    }

    @Test func `a megabyte without a space is one row`() throws {
        let word = String(repeating: "x", count: 1 << 20)
        let sections = SectionLayout.Kind.allCases.map { layout in
            """
            {"id": "\(layout)", "content": {"header": "x", "layout": "\(layout)"}, "items": [
             {"id": "\(layout)", "content": {"text": "\(word)", "lines": \(layout == .grid ? 0 : 1)}}]}
            """
        }
        let document = Document(try Snapshot(fixture: #"{"sections": [\#(sections.joined(separator: ","))]}"#))
        let grid = drawn(document, Viewport(columns: 80, rows: 60))
        expectHarmless(grid, "")
        #expect(grid.text.contains("xxx…"))
    }

    /// One long word, character, or series of direction marks: keys continue as with any row.
    @Test(arguments: ["x", "\u{301}", "\u{202E}", "👩‍🚀\u{200D}", "\u{1B}[31m"])
    func `a viewer of endless words answers keys`(part: String) throws {
        // The longest drawn text, or a megabyte in the soak.
        let text = String(repeating: part, count: (Self.effort == 1 ? 1 << 17 : 1 << 20) / part.utf8.count)
        let members: [ContentValue.Member] = [.init("text", .text(text)), .init("badge", .text(text))]
        let content = ContentValue.object(members).content
        let tall = ContentValue.object(members + [.init("lines", .number("0"))]).content
        var items = try (0..<30).map { Item(id: try ItemID("\($0)")) }
        items[3] = Item(id: "3", content: content)
        items[4] = Item(id: "4", content: tall)
        var screen = ViewerScreen(columns: 60)
        let time = try processorTime {
            screen.show(try Snapshot([Section(id: "s", content: content, items: items)]))
            for key: Key in [.down, .down, .down, .end, .home, .enter, .escape] {
                screen.press(key)
                expectHarmless(screen.grid, "\(part.debugDescription), \(key)")
            }
        }
        #expect(time < .seconds(30))
    }

    @Test func `ten thousand sections and twenty-four levels are walked through`() throws {
        var sections = (0..<10_000).map {
            Section(id: try! SectionID("\($0)"), content: try? Content(json: #"{"header":"x"}"#))
        }
        var item = Item(id: "leaf")
        for level in 0..<23 { item = Item(id: try ItemID("level \(level)"), isExpanded: true, children: [item]) }
        sections.append(Section(id: "deep", items: [item]))
        let document = Document(try Snapshot(sections))
        var viewport = Viewport(columns: 60, rows: 30)
        viewport.revealed = .item("leaf")
        let scene = Layout.scene(of: document, in: viewport)
        #expect(scene.frame(of: .item("leaf"))?.rectangle.row == 29)
        #expect(scene.neighbour(of: .item("leaf"), towards: .down) == nil)
        #expect(scene.neighbour(of: .item("leaf"), towards: .first) == .item("level 22"))
    }
}
