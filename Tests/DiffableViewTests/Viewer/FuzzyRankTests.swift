import Diffable
import DiffableJSON
import TestSupport
import Testing

@testable import DiffableView

/// The order of matches, as docs/viewer.md describes it.
@Suite struct FuzzyRankTests {
    /// Tries every way to find the letters of a word in a text.
    private func naiveRank(_ word: [UInt32], in text: [UInt32]) -> FuzzyWord.Rank? {
        func matches(_ word: ArraySlice<UInt32>, from start: Int) -> [[Int]] {
            guard let letter = word.first else { return [[]] }
            return (start..<max(text.count, start)).filter { text[$0] == letter }.flatMap { index in
                matches(word.dropFirst(), from: index + 1).map { [index] + $0 }
            }
        }
        func isLetter(_ index: Int) -> Bool { Character(Unicode.Scalar(text[index])!).isLetter }
        func isStart(_ index: Int) -> Bool { isLetter(index) && (index == 0 || !isLetter(index - 1)) }
        let all = matches(word[...], from: 0)
        let together = all.filter { $0.last! - $0[0] == word.count - 1 }
        if text == word { return .init(.wholeText) }
        if together.contains(where: { $0[0] == 0 }) { return .init(.textStart) }
        if together.contains(where: { isStart($0[0]) }) { return .init(.wordStart) }
        if !together.isEmpty { return .init(.part) }
        guard let skipped = all.map({ $0.last! - $0[0] + 1 - word.count }).min() else { return nil }
        let hasInitials = all.contains { match in
            match.indices.allSatisfy { isStart(match[$0]) || $0 > 0 && match[$0 - 1] == match[$0] - 1 }
        }
        return .init(hasInitials ? .initials : .scattered, skipped: skipped)
    }

    @Test
    func `a match has the rank that trying every place gives, and the letters that are highlighted are such a match`() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<30_000 {
            func text(_ lengths: ClosedRange<Int>) -> String {
                String(
                    (0..<Int.random(in: lengths, using: &random)).map { _ in "aabc- é".randomElement(using: &random)! })
            }
            let (word, text) = (text(1...4), text(0...9))
            let (letters, textLetters) = (word.unicodeScalars.map(\.value), text.unicodeScalars.map(\.value))
            let expected = naiveRank(letters, in: textLetters)
            let fuzzy = FuzzyWord(Array(word.utf8))
            let rank = Array(text.utf8).withUnsafeBufferPointer { fuzzy.rank(in: $0) }
            #expect(rank == expected, "\(word) in \(text)")
            let places = fuzzy.places(in: textLetters)
            #expect(places.isEmpty == (expected == nil))
            #expect(places == places.sorted() && Set(places).count == places.count)
            #expect(places.isEmpty || places.map { textLetters[$0] } == letters, "\(word) in \(text): \(places)")
            if let expected, expected.grade <= FuzzyWord.Grade.part.rawValue || expected.grade == 6 {
                #expect(
                    places.last! - places[0] + 1 - letters.count == expected.skipped, "\(word) in \(text): \(places)")
            }
        }
    }

    private func ranked(_ texts: [String], _ search: String, sort: [String] = []) throws -> [String] {
        let list = try Snapshot([
            Section(
                id: "main",
                items: try texts.map { try Item(id: ItemID($0), content: Content(json: "{\"text\":\"\($0)\"}")) })
        ])
        var filter = ViewFilter()
        (filter.search, filter.sort) = (search, sort)
        return Picking.matches(in: list, of: filter, look: nil, list: "list").map { "\($0.item.id)" }
    }

    @Test func `the whole text comes before its start, a word's start, a part, initials and scattered letters`() throws
    {
        let texts = ["a-f-b", "xfb", "f-x-b", "foo bar", "fbx", "a fbx", "fb", "none", "fooo bar"]
        #expect(
            try ranked(texts, "fb") == ["fb", "fbx", "a fbx", "xfb", "a-f-b", "f-x-b", "foo bar", "fooo bar"])
    }

    @Test func `of equal matches the shorter text is first, then the list's order`() throws {
        #expect(try ranked(["notes 2026", "notes b", "notes a"], "note") == ["notes b", "notes a", "notes 2026"])
    }

    @Test func `every word has to match, in any order, and case and accents do not count`() throws {
        #expect(try ranked(["Café Zürich", "Café Bern", "Zürich"], "zur CAFE") == ["Café Zürich"])
        #expect(try ranked(["one", "two"], "") == ["one", "two"])
        #expect(try ranked(["one", "two"], "x") == [])
    }

    @Test func `sorted matches keep the order of the sort key`() throws {
        #expect(try ranked(["ab", "aab"], "ab", sort: ["{\"path\":\"/text\"}"]) == ["aab", "ab"])
    }

    @Test func `the best match in an outline ranks its ancestors, which stay above it`() throws {
        let list = try Snapshot([
            Section(
                id: "main",
                items: [
                    Item(id: "x", content: try Content(json: #"{"text":"m.i.l.k"}"#)),
                    Item(
                        id: "food", content: try Content(json: #"{"text":"Food"}"#),
                        children: [
                            Item(id: "oat", content: try Content(json: #"{"text":"Oat milk"}"#)),
                            Item(id: "milk", content: try Content(json: #"{"text":"Milk"}"#)),
                        ]),
                ])
        ])
        var screen = ViewerScreen { $0.picking = .single }
        screen.showJustNow(list)
        screen.press("milk")
        #expect(
            screen.lines.prefix(4).map { $0.split(separator: " ").last.map(String.init) } == [
                "Food", "Milk", "milk", "m.i.l.k",
            ])
        #expect(screen.cursor == "milk")
    }
}
