import Diffable
import DiffableJSON
import TestSupport
import Testing

@testable import DiffableInput
@testable import diffablectl

struct HarmlessTextTests {
    @Test(arguments: [
        ("\u{1B}[2J\u{7}\t\r\n", "␛[2J␇␉␍␊"), ("a\u{7F}b", "a␡b"), ("\u{9B}31m", "<U+009B>31m"),
        ("invoice\u{202E}fdp.exe", "invoice<U+202E>fdp.exe"), ("\u{2066}a\u{2069}", "<U+2066>a<U+2069>"),
        ("a\u{200E}b\u{200F}c\u{61C}", "a<U+200E>b<U+200F>c<U+061C>"), ("a\u{200B}b\u{FEFF}", "a<U+200B>b<U+FEFF>"),
        ("a\u{2028}b\u{2029}", "a<U+2028>b<U+2029>"), ("ro\u{200D}ot", "ro<U+200D>ot"), ("\u{200C}", "<U+200C>"),
        ("a\u{34F}b\u{FFFE}c", "a<U+034F>b<U+FFFE>c"), ("\u{2800}\u{1D159}", "<U+2800><U+1D159>"),
        ("a\u{180B}\u{180C}\u{180D}\u{180E}\u{180F}", "a<U+180B><U+180C><U+180D><U+180E><U+180F>"),
        ("é\u{FE00}1\u{FE0F}2\u{FE0E}", "é<U+FE00>1<U+FE0F>2<U+FE0E>"), ("🚀\u{E0100}", "🚀<U+E0100>"),
        ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}<U+FE0F>"), ("葛\u{E01EF}\u{E0100}", "葛\u{E01EF}<U+E0100>"),
        ("é\u{200B}\u{200D}\u{200D}", "é<U+200B><U+200D><U+200D>"), ("\u{1FFFE}", "<U+1FFFE>"),
        ("x\u{3164}y\u{AD}z", "x<U+3164>y<U+00AD>z"), ("a\u{E0061}\u{E0001}", "a<U+E0061><U+E0001>"),
    ])
    func `what a terminal obeys or does not show is made visible`(text: String, expected: String) {
        #expect(harmless(text) == expected)
        #expect(harmless(expected) == expected)
    }

    @Test(arguments: [
        "", "plain ~", "naïve café", "שלום עולם", "مرحبا بالعالم", "می\u{200C}خواهم", "क्\u{200D}ष नमस्ते", "你好",
        "👩\u{200D}👩\u{200D}👧", "❤\u{FE0F}", "🏳\u{FE0F}\u{200D}🌈",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}", "e\u{301}", "葛\u{E0100}", "\u{601}١٢",
        "1\u{FE0F}\u{20E3}", "ᠠ\u{180B}", "❤\u{FE0E}", "\u{E000}⣿",
    ])
    func `what scripts and emoji need stays`(text: String) {
        #expect(harmless(text) == text)
        #expect(harmlessJSON(Content.string(text.utf8).bytes) == Content.string(text.utf8).bytes)
    }

    @Test func `only our own styles pass through a line`() {
        let terminal = Terminal(palette: .colours, width: nil)
        let line = terminal.styled("a", .dim) + terminal.styled("\u{1B}[8mhidden", .heading)
        #expect(
            harmless(line, keeping: Terminal.styleSequences)
                == "\u{1B}[2ma\u{1B}[0m\u{1B}[1m␛[8mhidden\u{1B}[0m")
    }

    /// Combines a few difficult characters in every order, in text and in JSON.
    @Test func `no order of difficult characters lets one through`() throws {
        var random = SplitMix64()
        let seed = random.seed
        let others =
            "\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}\u{200B}\u{200C}\u{200D}\u{200E}\u{200F}"
            + "\u{61C}\u{34F}\u{2800}\u{FE0F}\u{FFFE}\u{FEFF}\u{2028}\u{E0061}\u{E007F}\u{1F3F4}a\"\\é👩ہक"
        let controls = (0..<0x20).map { $0 } + (0x7F..<0xA0).map { $0 }
        let difficult = controls.compactMap { Unicode.Scalar(UInt32($0)) } + Array(others.unicodeScalars)
        for _ in 0..<3_000 {
            let scalars = (0..<6).map { _ in difficult.randomElement(using: &random) ?? "a" }
            let text = String(String.UnicodeScalarView(scalars))
            #expect(harmless(text).unicodeScalars.allSatisfy(isSafe), "seed \(seed): \(text.debugDescription)")
            let json = Content.string(text.utf8).bytes
            let safe = harmlessJSON(json)
            #expect(
                String(decoding: safe, as: UTF8.self).unicodeScalars.allSatisfy(isSafe),
                "seed \(seed): \(text.debugDescription)")
            let meaning = JSONReader(try Content(json: String(decoding: safe, as: UTF8.self)))
            #expect(meaning.text == Array(text.utf8), "seed \(seed): \(text.debugDescription)")
        }
    }

    /// An independent definition by ranges.
    private func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x34F, 0x2800,
            0xFEFF, 0xFFFE:
            false
        default: true
        }
    }
}
