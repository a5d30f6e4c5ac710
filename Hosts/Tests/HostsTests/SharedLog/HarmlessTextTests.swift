import SharedLog
import Testing

@Suite struct HarmlessTextTests {
    @Test(arguments: [
        ("host alpha, é, 🙂", "host alpha, é, 🙂"), ("a\u{1B}[2Jb", "a\\u{1B}[2Jb"), ("a\nb\tc\u{0}", "a\\nb\\tc\\0"),
        ("\u{7F}\u{85}\u{202E}\u{2028}\u{2029}", "\\u{7F}\\u{0085}\\u{202E}\\u{2028}\\u{2029}"),
    ])
    func charactersThatControlATerminalAreEscaped(text: String, expected: String) {
        #expect(text.harmless == expected)
    }
}
