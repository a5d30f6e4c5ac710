import DiffableJSON

/// A word of a fuzzy search. It compares texts without case and accents, as `View.folded` makes them. docs/viewer.md, "The
/// order of matches", describes the grades.
package struct FuzzyWord: Sendable {
    /// How well a word matches a text. A smaller rank is better.
    package struct Rank: Comparable, Sendable {
        package var grade: Int
        /// The number of other letters between the first and the last letter of the closest match.
        package var skipped: Int

        package init(_ grade: Grade, skipped: Int = 0) {
            self.grade = grade.rawValue
            self.skipped = skipped
        }

        package static func < (a: Rank, b: Rank) -> Bool { (a.grade, a.skipped) < (b.grade, b.skipped) }
    }

    package enum Grade: Int, Sendable {
        case wholeText = 1, textStart, wordStart, part
        /// Each letter begins a word of the text, or follows the letter before it.
        case initials
        /// The letters are in the text in this order.
        case scattered
    }

    private let bytes: [UInt8]
    private let scalars: [UInt32]

    static func words(of search: String) -> [FuzzyWord] { View.searchedWords(of: search).map(FuzzyWord.init) }

    package init(_ folded: [UInt8]) {
        bytes = folded
        scalars = String(decoding: folded, as: UTF8.self).unicodeScalars.map(\.value)
    }

    /// Nil if the text does not have the letters in this order. O(length of the text), times the length of the word for the last
    /// two grades.
    package func rank(in text: UnsafeBufferPointer<UInt8>) -> Rank? {
        guard isInOrder(text) else { return nil }
        if text.allSatisfy({ $0 < 0x80 }) {
            return bytes.withUnsafeBufferPointer { Matcher(word: $0, text: text).rank }
        }
        let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.map(\.value)
        return rank(in: scalars)
    }

    package func rank(in text: [UInt32]) -> Rank? {
        scalars.withUnsafeBufferPointer { word in
            text.withUnsafeBufferPointer { Matcher(word: word, text: $0).rank }
        }
    }

    /// The indices of the letters of the best match; empty if there is none.
    func places(in text: [UInt32]) -> [Int] {
        scalars.withUnsafeBufferPointer { word in
            text.withUnsafeBufferPointer { Matcher(word: word, text: $0).places }
        }
    }

    /// False only if there is no match: bytes of other letters may look like letters of the word.
    private func isInOrder(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { word in
            var next = 0
            guard next < word.count else { return true }
            for byte in text where byte == word[next] {
                next += 1
                if next == word.count { return true }
            }
            return false
        }
    }
}

private struct Matcher<Letter: FixedWidthInteger & UnsignedInteger> {
    let word: UnsafeBufferPointer<Letter>
    let text: UnsafeBufferPointer<Letter>

    /// Whether a word of the text begins here. Letters and digits are the same in words.
    private func isStart(_ index: Int) -> Bool {
        isLetter(text[index]) && (index == 0 || !isLetter(text[index - 1]))
    }

    private func isLetter(_ letter: Letter) -> Bool {
        switch letter {
        case 0x30...0x39, 0x61...0x7A, 0x80...: true
        default: false
        }
    }

    /// The place of the whole word with the best grade.
    private var part: (grade: FuzzyWord.Grade, index: Int)? {
        guard word.count <= text.count else { return nil }
        var first: Int?
        for index in 0...text.count - word.count where text[index] == word[0] {
            guard (1..<word.count).allSatisfy({ text[index + $0] == word[$0] }) else { continue }
            if index == 0 { return (word.count == text.count ? .wholeText : .textStart, 0) }
            if isStart(index) { return (.wordStart, index) }
            first = first ?? index
        }
        return first.map { (.part, $0) }
    }

    var rank: FuzzyWord.Rank? {
        // A word of nothing but marks is in every text.
        if word.isEmpty { return FuzzyWord.Rank(.wholeText) }
        if let part { return FuzzyWord.Rank(part.grade) }
        guard let closest else { return nil }
        return FuzzyWord.Rank(initials == nil ? .scattered : .initials, skipped: closest.count - word.count)
    }

    var places: [Int] {
        if word.isEmpty { return [] }
        if let part { return Array(part.index..<part.index + word.count) }
        guard let closest else { return [] }
        if let initials { return initials }
        // From its end, so that letters are taken as late as possible.
        var places: [Int] = []
        var missing = word.count - 1
        for index in closest.reversed() where missing >= 0 && text[index] == word[missing] {
            places.append(index)
            missing -= 1
        }
        return places.reversed()
    }

    /// The first of the shortest parts of the text that have the letters in order.
    private var closest: Range<Int>? {
        /// The latest place where a match of the letters up to this one begins; -1 for none.
        var starts = [Int](repeating: -1, count: word.count)
        var best: Range<Int>?
        for index in text.indices {
            for letter in stride(from: word.count - 1, through: 0, by: -1) where text[index] == word[letter] {
                starts[letter] = letter == 0 ? index : starts[letter - 1]
            }
            guard let start = starts.last, start >= 0, text[index] == word[word.count - 1] else { continue }
            if index + 1 - start < best?.count ?? .max { best = start..<index + 1 }
        }
        return best
    }

    /// The places of the letters of a match of the grade `initials`; nil if there is none.
    private var initials: [Int]? {
        // For each letter, the places where a match up to it can end.
        var ends: [[Int]] = []
        for letter in word.indices {
            var places: [Int] = []
            for index in text.indices where text[index] == word[letter] {
                let follows =
                    letter > 0 && index > 0
                    && ends[letter - 1].last.map { _ in contains(ends[letter - 1], index - 1) } ?? false
                let mayStart = letter == 0 || ends[letter - 1].first.map { $0 < index } ?? false
                if follows || mayStart && isStart(index) { places.append(index) }
            }
            if places.isEmpty { return nil }
            ends.append(places)
        }
        guard var place = ends.last?.first else { return nil }
        var places = [place]
        for letter in word.indices.dropLast().reversed() {
            let before = ends[letter]
            guard let previous = contains(before, place - 1) ? place - 1 : before.last(where: { $0 < place }) else {
                return nil
            }
            place = previous
            places.append(place)
        }
        return places.reversed()
    }

    private func contains(_ sorted: [Int], _ place: Int) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == place
    }
}
