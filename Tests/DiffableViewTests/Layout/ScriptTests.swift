import Diffable
import DiffableView
import Testing

/// Terminals draw the clusters of these texts differently, but the right edge stays straight.
@Suite struct ScriptTests {
    static let texts: [(name: String, text: String)] = [
        ("German", "Größe, Übermut"), ("Vietnamese", "Tiếng Việt"), ("decomposed", "e\u{301}e\u{302}\u{323} n\u{303}"),
        ("Greek", "Ελληνικά"), ("Russian", "Русский язык"), ("Chinese", "漢字與繁體"), ("Japanese", "かな・カナ・ｶﾅ"),
        ("Korean", "한국어 각"), ("jamo", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}"), ("Hindi", "हिन्दी क्षत्रिय"),
        ("Tamil", "தமிழ் மொழி"), ("Thai", "ภาษาไทย ที่นี่"), ("Arabic", "العَرَبِيَّة"), ("Hebrew", "שָׁלוֹם"),
        ("Amharic", "አማርኛ"), ("family", "👨‍👩‍👧‍👦 and 👩🏽‍🚀"), ("flags", "🇩🇪🇯🇵 🏴󠁧󠁢󠁳󠁣󠁴󠁿"), ("keycaps", "1️⃣ #️⃣"), ("hearts", "❤ ❤️ ♥"),
        ("symbols", "→ ★ ① ½ ☎"), ("maths", "∀x∈ℝ: ⌈x⌉ ≥ x"), ("marks", "Z̴̡̛͇̪͗a̷̧͉̾l̶̫̏g̸̨̈́o̶̱͝"),
        ("invisible", "a\u{200B}b\u{FEFF}c\u{AD}d\u{2060}e"),
    ]

    @Test(arguments: [SectionLayout.Kind.list, .grid, .table])
    func `texts of all scripts stand in straight boxes`(layout: SectionLayout.Kind) throws {
        let items = Self.texts.map { name, text in
            Item(
                id: try! ItemID(name),
                content: Content.ofTexts(["text": text, "secondaryText": name]))
        }
        let document = Document(
            try Snapshot([
                Section(
                    id: "a", content: Content.ofTexts(["layout": "\(layout)", "appearance": "insetGrouped"]),
                    items: items)
            ]))
        let grid = drawn(document, Viewport(columns: 64, rows: 30))
        for row in 0..<grid.rows where grid.text(of: grid[row, 2]) == "│" {
            #expect(layout == .grid || grid.text(of: grid[row, 61]) == "│")
        }
        try expectScreen(grid, "scripts-\(layout)")
    }
}
