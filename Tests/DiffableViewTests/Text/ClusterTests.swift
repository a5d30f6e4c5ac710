import DiffableView
import Testing

@Suite struct ClusterTests {
    @Test(arguments: [
        ("a", [1]), ("ab", [1, 1]), ("é", [1]), ("e\u{301}", [1]), ("漢字", [2, 2]), ("ｶ", [1]), ("한", [2]),
        ("\u{1112}\u{1161}\u{11AB}", [2]), ("👨‍👩‍👧", [2]), ("🇩🇪🇫🇷", [2, 2]), ("❤", [1]), ("❤️", [2]), ("1️⃣", [2]), ("⌚", [2]),
        ("ก็", [1]), ("क्ष", [2]), ("\u{301}", [1]), ("\u{FEFF}", []), ("a\u{200B}b", [1, 1]), ("\u{7}\u{1B}[", [1]),
        // Spacing marks have room for both ways of drawing them, and for a circle if they have no letter.
        ("का", [2]), ("က\u{102C}", [2]), ("\u{903}", [2]), ("\u{93E}a", [2, 1]), ("a\u{903}b", [2, 1]),
        (" \u{903}", [2]),
        ("👍🏿", [2]), ("🏿", [2]), ("🇩", [2]), ("🏳️‍🌈", [2]), ("☺︎", [1]), ("\u{20DD}", [1]), ("กำ", [2]),
        ("\u{AD}", []), ("\u{3000}", [2]), ("\u{A0}", [1]), ("─│╭", [1, 1, 1]), ("🥛", [2]), ("Ж", [1]),
    ]) func `a cluster takes as many columns as terminals give it`(text: String, widths: [Int]) {
        #expect(Clusters(text).map(\.width) == widths)
    }

    @Test(arguments: ["a", "é", "漢", "Ж", "e\u{301}", "─", "한", "😀", "▸", "☑", "›"])
    func `what all terminals draw alike is not doubtful`(text: String) {
        #expect(Clusters(text).allSatisfy { !$0.isDoubtful })
    }

    @Test(arguments: [
        "👨‍👩‍👧", "🇩🇪", "❤️", "❤", "क्ष", "①", "🫠", "a\u{301}\u{302}", "\u{E000}", "\u{301}",
        "\u{903}", "\u{93E}", "a\u{903}", "\u{102C}", "🏿", "🇩", "\u{20DD}", "\u{378}", "👍🏿",
    ])
    func `what they draw in different ways is doubtful`(text: String) {
        #expect(Clusters(text).allSatisfy(\.isDoubtful) && !Clusters(text).map(\.width).isEmpty)
    }

    @Test func `a tower of marks is cut off`() {
        let tower = "a" + String(repeating: "\u{301}", count: 10_000)
        var grid = Grid(columns: 2, rows: 1)
        grid.put(tower, row: 0, column: 0, Style())
        #expect(grid.text.utf8.count < 100)
    }

    /// The fast path for neighbours without rules gives the same result as the rules.
    @Test func `clusters are Swift's, whatever stands beside them`() {
        let pieces = [
            "a", "é", "\u{301}", "漢", "\u{1100}", "\u{1161}", "각", "\u{11A8}", "👩", "\u{200D}", "🚀", "\u{FE0F}", "1",
            "\u{20E3}", "\u{600}", "क", "\u{94D}", "ष",
        ]
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let text = first + second + third
                    let expected = text.compactMap { Cluster($0) }
                    #expect(
                        Array(Clusters(text)) == expected, "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
                }
            }
        }
    }
}
