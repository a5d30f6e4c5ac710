import Diffable
import DiffableJSON
import DiffableView
import TestSupport

/// Random lists: any member may be anything, and any text hostile.
struct RandomList {
    var random: SplitMix64

    init(_ random: SplitMix64) { self.random = random }

    static let texts = [
        "", " ", "Milk", "x", "\u{1B}[2J\u{1B}]0;title\u{07}", "\u{202E}txt.exe\u{202C}", "a\nb\tc\r\u{85}\u{2028}",
        "漢字かな交じり文",
        "हिन्दी में एक वाक्य क्षत्रिय", "السلام عليكم", "שלום", "👨‍👩‍👧‍👦👩🏽‍🚀", "🇩🇪🇫🇷🇺", "e\u{301}o\u{308}\u{327}", "\u{301}\u{302}", "Z̴̡̛͇̪͗a̷̧͉̾l̶̫̏g̸̨̈́o̶̱͝",
        "각각 ᄀ\u{1161}\u{11A8}", "ไทยภาษา", "a\u{200D}b\u{FEFF}\u{AD}c", "❤️☎︎1️⃣", "\u{FFFD}\u{E000}\u{10FFFD}", "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
    ]

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    mutating func text() -> String {
        if chance(40) { return String(repeating: Self.texts.randomElement(using: &random)!, count: 300) }
        if chance(4) { return Self.texts.randomElement(using: &random)! + Self.texts.randomElement(using: &random)! }
        return Self.texts.randomElement(using: &random)!
    }

    mutating func value(depth: Int = 0) -> ContentValue {
        switch Int.random(in: 0..<(depth > 2 ? 6 : 8), using: &random) {
        case 0: return .null
        case 1: return .boolean(chance(2))
        case 2:
            return .number(
                ["0", "-1", "0.5", "7", "99999999999999999999", "1e308", "3", "40"].randomElement(using: &random)!)
        case 3, 4, 5: return .text(text())
        case 6: return .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in value(depth: depth + 1) })
        default: return content(depth: depth + 1)
        }
    }

    /// Returns a known member, mostly with a valid value.
    mutating func content(depth: Int = 0) -> ContentValue {
        .object(
            (0..<Int.random(in: 0..<9, using: &random)).map { _ in
                let name = Self.members.keys.sorted().randomElement(using: &random)!
                let known = Self.members[name]!
                if chance(5) || known.isEmpty { return .init(name, value(depth: depth)) }
                return .init(
                    name, (try? Content(json: known.randomElement(using: &random)!)).map { ContentValue($0) } ?? .null)
            })
    }

    private static let action = #"{"id": "x", "title": "Do it now", "style": "destructive", "key": "d", "icon": "✗"}"#

    private static let members: [String: [String]] = [
        "text": [], "title": [], "secondaryText": [], "header": [#""Head""#, #"{"text": "Head", "badge": 3}"#],
        "footer": [#""Foot""#], "subtitle": [], "empty": [], "icon": [#""★""#, #""👨‍👩‍👧""#, #""mail-unread""#],
        "badge": ["3", #"{"text": "new", "tint": "red"}"#], "tint": [#""red""#, "\"#ff0080\""],
        "progress": ["0", "0.3", "1"], "checked": ["true", "false", "null"], "urgent": ["true"], "enabled": ["false"],
        "lines": ["0", "1", "3", "100000000"], "hasChildren": ["true"], "separators": ["true"], "pinHeader": ["false"],
        "more": ["true"], "actions": ["[\(action)]"], "leadingActions": ["[\(action),\(action)]"],
        "trailingActions": ["[\(action)]"],
        "accessories": [
            #"["disclosureIndicator", "checkmark", {"type": "label", "text": "42"}]"#,
            #"["multiselect", "delete", "reorder", "popUpMenu", "detail", "outlineDisclosure", "insert"]"#,
        ],
        "appearance": [#""plain""#, #""grouped""#, #""insetGrouped""#, #""sidebar""#, #""sidebarPlain""#],
        "layout": [
            #""list""#, #""grid""#, #""carousel""#, #""table""#, #"{"type": "grid", "columns": 3, "lines": 2}"#,
            #"{"type": "grid", "columns": 1000000000000, "minWidth": 1}"#, #"{"type": "carousel", "itemWidth": 400}"#,
            #"{"type": "list", "lines": 1000000000}"#,
        ],
        "columns": [#"["id", "/title", {"path": "/x/y", "width": 9000000000, "align": "right"}]"#, "[]"],
    ]

    private var nextID = 0

    mutating func item(level: Int = 0) throws -> Item {
        nextID += 1
        let id = try ItemID("item \(nextID)")
        let count = chance(level == 0 ? 4 : 3) && level < 22 ? Int.random(in: 1..<4, using: &random) : 0
        return Item(
            id: id, content: chance(6) ? nil : content().content, isExpanded: !chance(4),
            children: try (0..<count).map { _ in try item(level: level + 1) })
    }

    /// - Parameter count: most items in a section.
    mutating func snapshot(sections: Int, items count: Int) throws -> Snapshot {
        let sections = try (0..<sections).map { index in
            Section(
                id: try SectionID("section \(index)"), content: chance(4) ? nil : content().content,
                items: try (0..<Int.random(in: 0...count, using: &random)).map { _ in try item() })
        }
        return try Snapshot(sections, content: content().content)
    }

    mutating func document() throws -> Document {
        let snapshot = try snapshot(
            sections: Int.random(in: 0..<5, using: &random), items: chance(3) ? 30 : 6)
        var extent: Window.Extent?
        if chance(3) {
            let offset = chance(2) ? 0 : Int.random(in: 0..<1_000_000, using: &random)
            extent = Window.Extent(
                offset: offset,
                total: offset + snapshot.numberOfItems + (chance(2) ? 0 : Int.random(in: 0..<100_000, using: &random)))
        }
        var document = Document(snapshot, extent: extent)
        document.isEditing = chance(2)
        for id in snapshot.itemIdentifiers where chance(10) { document.expansion[id] = chance(2) }
        return document
    }

    mutating func id(of document: Document) -> RowID {
        let item = document.snapshot.itemIdentifiers.randomElement(using: &random).map { RowID.item($0) }
        let section = document.snapshot.sectionIdentifiers.randomElement(using: &random)
        let ids: [RowID?] = [
            item, item, item, section.map { .header($0) }, section.map { .footer($0) }, section.map { .more($0) },
            .title,
            .empty, .placeholder(Int.random(in: -1...document.rowCount, using: &random)), .item("nobody"),
        ]
        return ids.randomElement(using: &random)! ?? .title
    }

    mutating func viewport(of document: Document) -> Viewport {
        var viewport = Viewport(
            columns: chance(3) ? Int.random(in: 1..<12, using: &random) : Int.random(in: 12..<210, using: &random),
            rows: chance(3) ? Int.random(in: 1..<5, using: &random) : Int.random(in: 5..<40, using: &random))
        if chance(4) { viewport.symbols = .ascii }
        if chance(2) { viewport.anchor = Anchor(id: id(of: document), line: Int.random(in: -60..<60, using: &random)) }
        if chance(2) { viewport.revealed = id(of: document) }
        if chance(3) { viewport.tabs = (0..<Int.random(in: 0..<9, using: &random)).map { _ in text() } }
        if chance(3) { viewport.banner = text() }
        if chance(2) {
            viewport.status = StatusLine(leading: text(), trailing: text(), cursor: chance(2) ? 3 : nil)
        }
        if chance(4) {
            viewport.swipe = Swipe(
                id: id(of: document), edge: chance(2) ? .leading : .trailing,
                selected: Int.random(in: 0..<3, using: &random))
        }
        viewport.overlay = overlay(of: document)
        return viewport
    }

    private mutating func overlay(of document: Document) -> Overlay? {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let content = ContentValue.object([
                .init(
                    "actions",
                    .array(
                        (0..<Int.random(in: 0..<40, using: &random)).map { index in
                            .object([
                                .init("id", .text("\(index)")), .init("title", .text(text())), .init("key", .text("k")),
                            ])
                        }))
            ]).content
            let looks = Looks(list: content)
            return .menu(
                title: chance(2) ? text() : nil, actions: looks.listLook.actions,
                selected: Int.random(in: -1..<60, using: &random), of: chance(2) ? id(of: document) : nil)
        case 1:
            let answers = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                Overlay.Answer(text(), isDestructive: chance(2))
            }
            return .question(text(), answers: answers, selected: Int.random(in: 0..<5, using: &random))
        case 2:
            let sections = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                Overlay.HelpSection(
                    text(), (0..<Int.random(in: 0..<9, using: &random)).map { _ in .init(text(), text()) })
            }
            return .help(sections, line: Int.random(in: -5..<50, using: &random))
        default: return nil
        }
    }

    private mutating func changeMark() -> ChangeMark {
        let places = (0..<3).map { _ in
            Rectangle(
                column: Int.random(in: -5..<100, using: &random), row: Int.random(in: -1..<3, using: &random),
                width: Int.random(in: -2..<50, using: &random), height: 1)
        }
        return ChangeMark(places: places, step: ChangeMark.Step.allCases.randomElement(using: &random)!)
    }

    mutating func decoration(of document: Document) -> Decoration {
        var decoration = Decoration()
        decoration.focused = chance(5) ? nil : id(of: document)
        decoration.hasKeyboard = chance(2)
        for id in document.snapshot.itemIdentifiers {
            if chance(5) { decoration.marked.insert(id) }
            if chance(5) { decoration.changed[id] = changeMark() }
            if chance(9) { decoration.spinning.insert(.item(id)) }
        }
        decoration.flashing = chance(5) ? id(of: document) : nil
        decoration.spinnerStep = Int.random(in: -100..<1_000_000, using: &random)
        decoration.isDimmed = chance(5)
        decoration.reducesMotion = chance(3)
        return decoration
    }
}
