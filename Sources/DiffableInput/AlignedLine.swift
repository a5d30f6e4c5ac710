import DiffableView

extension AlignedText {
    /// A line of a table, split into positions as a measure counts them.
    struct Line {
        /// Counted from 1.
        var number: Int
        /// The text at each position. The second position of a wide character is empty.
        private(set) var cells: [String] = []

        init(_ text: some StringProtocol, number: Int, _ measure: Measure) {
            self.number = number
            for scalar in text.unicodeScalars where scalar != "\r" {
                guard scalar != "\t" else {
                    repeat { cells.append(" ") } while cells.count % 8 != 0
                    continue
                }
                let width = measure == .codePoints ? .narrow : ScalarWidth(scalar)
                if width == .narrow || width == .wide || cells.isEmpty {
                    cells.append(String(scalar))
                    if width == .wide { cells.append("") }
                } else {
                    // A combining character belongs to the character before it, which may start one position further back.
                    let position = cells.last == "" && cells.count > 1 ? cells.count - 2 : cells.count - 1
                    cells[position].unicodeScalars.append(scalar)
                }
            }
        }

        /// The lines up to the first blank one, and those after it that are not blank.
        static func all(of text: ArraySlice<UInt8>, _ measure: Measure) -> (table: [Line], rest: [Line]) {
            var lines: [Line] = []
            for (number, text) in TextLines(text) {
                lines.append(Line(String(decoding: text, as: UTF8.self), number: number, measure))
            }
            let end = lines.indices.dropFirst().first { lines[$0].number > lines[$0 - 1].number + 1 } ?? lines.endIndex
            return (Array(lines[..<end]), Array(lines[end...]))
        }

        var all: Range<Int> { cells.indices }
    }
}

// MARK: - Parts

extension AlignedText.Line {
    func isBlank(_ position: Int) -> Bool { position >= cells.count || cells[position] == " " }

    func extent(in range: Range<Int>) -> Range<Int>? {
        let part = cells[range.clamped(to: all)]
        guard let start = part.firstIndex(where: { $0 != " " }), let end = part.lastIndex(where: { $0 != " " }) else {
            return nil
        }
        return start..<end + 1
    }

    func text(_ range: Range<Int>) -> String { extent(in: range).map { cells[$0].joined() } ?? "" }

    func wordRanges(_ range: Range<Int>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        for position in range.clamped(to: all) where cells[position] != " " {
            if let last = words.last, last.upperBound == position {
                words[words.count - 1] = last.lowerBound..<position + 1
            } else {
                words.append(position..<position + 1)
            }
        }
        return words
    }

    func wordCount(_ range: Range<Int>) -> Int { wordRanges(range).count }

    /// The last word takes the rest; nil if there are fewer words.
    func words(_ range: Range<Int>, count: Int) -> [[UInt8]]? {
        if count == 1 { return [Array(text(range).utf8)] }
        let words = wordRanges(range)
        guard words.count >= count else { return nil }
        let rest = words[count - 1].lowerBound..<(words.last?.upperBound ?? 0)
        return (words.prefix(count - 1) + [rest]).map { Array(text($0).utf8) }
    }
}

// MARK: - Kinds of lines

extension AlignedText.Line {
    /// Whether a line consists of runs of dashes, each over or under whole words of the header.
    func isRule(under header: AlignedText.Line) -> Bool {
        let runs = wordRanges(all)
        guard runs.contains(where: { $0.count > 1 }), runs.allSatisfy({ cells[$0].allSatisfy { "-=─━═".contains($0) } })
        else {
            return false
        }
        return header.wordRanges(header.all).allSatisfy { word in
            runs.contains { $0.lowerBound <= word.lowerBound && word.upperBound <= $0.upperBound }
        }
    }

    /// Whether a line after the end of a table belongs to another table. An explanation such as `LOAD   = Reflects …` does not.
    var beginsTable: Bool {
        let text = text(all)
        return (TableDetector.hasGap(text) && !text.contains(" = ") && !text.contains(" → "))
            || TableDetector.isRule(text)
            || DirectoryListing.isFile(text[...])
    }
}
