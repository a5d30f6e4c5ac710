import Diffable
import TestSupport
import Testing

@testable import DiffableInput
@testable import diffablectl

struct TSVEscapesTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("a\tb", #"a\tb"#), ("a\nb\r", #"a\nb\r"#), (#"C:\temp"#, #"C:\\temp"#),
        (#"\"#, #"\\"#),
    ])
    func `what would end a field is escaped`(text: String, escaped: String) {
        #expect(TSVEscapes.escaped(text) == escaped)
        #expect(TSVEscapes.unescaped(Array(escaped.utf8)[...]) == Array(text.utf8))
    }

    @Test func `a backslash before another character is itself`() {
        #expect(TSVEscapes.unescaped(Array(#"\d+\ \"#.utf8)[...]) == Array(#"\d+\ \"#.utf8))
    }

    @Test func `whatever a field is, it is one field and the same again`() throws {
        var random = SplitMix64()
        let seed = random.seed
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...8, using: &random)
            let text = String((0..<count).map { _ in "\\\t\n\rtnré".randomElement(using: &random) ?? "t" })
            let escaped = TSVEscapes.escaped(text)
            #expect(!escaped.contains { "\t\n\r".contains($0) }, "seed \(seed)")
            let list = try read("id\tv\nx\t\(escaped)\n", as: .tsv)
            let value = list.item("x")?.content.flatMap { JSONReader($0).member("v") }?.plainText
            #expect(value == text, "seed \(seed): \(text.debugDescription)")
        }
    }
}
