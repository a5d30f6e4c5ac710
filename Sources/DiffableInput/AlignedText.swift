/// A table as programs print it for people: `ps aux`, `df`, `systemctl`, `docker ps`.
///
/// A position at which all lines and the header are blank separates two columns. A value that is wider than its column (a
/// long number in `ps`) closes that gap and pushes the rest of its line to the right. Such lines are read by words: one
/// word for each name of the header. (In a few short lines a gap can stay open although something was pushed.) Blanks in a
/// name or a value can make a region without a name, which belongs to the column before it. The last column takes the rest
/// of the line. The table ends at the first blank line, so the explanations below the table of `systemctl` are not read.
struct AlignedText {
    private(set) var columns: [String] = []
    private(set) var records: [DelimitedText.Record] = []

    /// A line, as the characters in the columns of a screen.
    struct Line {
        var number: Int
        var characters: [Character]
    }

    /// - Parameter columns: names that replace a header. Then each line is split into as many words as there are names.
    init(_ text: ArraySlice<UInt8>, columns named: [String]?) throws(InputError) {
        let lines = AlignedText.lines(of: text)
        if let listing = DirectoryListing(lines, columns: named) {
            columns = listing.columns
            records = try listing.records
        } else if let named {
            columns = named
            for line in lines { records.append(try AlignedText.words(of: line, count: named.count)) }
        } else {
            guard let header = lines.first else {
                throw InputError("no header line; the first line names the columns, or --columns does")
            }
            try read(Array(lines.dropFirst()), under: header)
        }
    }

    /// The lines of the table.
    private static func lines(of text: ArraySlice<UInt8>) -> [Line] {
        var lines: [Line] = []
        var number = 0
        for bytes in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            var characters: [Character] = []
            for character in String(decoding: bytes, as: UTF8.self) where character != "\r" {
                guard character == "\t" else {
                    characters.append(character)
                    continue
                }
                repeat { characters.append(" ") } while characters.count % 8 != 0
            }
            guard characters.contains(where: { $0 != " " }) else {
                if lines.isEmpty { continue }
                return lines
            }
            lines.append(Line(number: number, characters: characters))
        }
        return lines
    }

    private static func words(of line: Line, count: Int) throws(InputError) -> DelimitedText.Record {
        guard let words = line.words(line.characters.indices, count: count) else {
            let found = line.wordCount(line.characters.indices)
            throw InputError(
                line: line.number, "\(counted(found, "word")), but \(counted(count, "column")) were named")
        }
        return DelimitedText.Record(line: line.number, fields: words)
    }
}

// MARK: - Under a header

extension AlignedText {
    /// A range of positions, and the words of the header in it.
    private struct Region {
        var range: Range<Int>
        var names: [String]
    }

    private mutating func read(_ lines: [Line], under header: Line) throws(InputError) {
        let regions = regions(of: lines, under: header)
        for (position, region) in regions.enumerated()
        where !hasOneColumn(region, isLast: position == regions.count - 1, lines, under: header) {
            return try readShifted(lines, under: header, region)
        }
        columns = regions.map { $0.names.joined(separator: " ") }
        for line in lines {
            let fields = regions.map { Array(line.text($0.range).utf8) }
            records.append(DelimitedText.Record(line: line.number, fields: fields))
        }
    }

    /// Lines in which what was too long has pushed the rest to the right: each word of the header has one in each line. A word
    /// that stands left of its name shows that there is one too many before it, as in "2 hours ago".
    private mutating func readShifted(_ lines: [Line], under header: Line, _ region: Region) throws(InputError) {
        let names = header.wordRanges(header.characters.indices)
        columns = names.map { String(header.characters[$0]) }
        for line in lines {
            let words = line.wordRanges(line.characters.indices)
            guard zip(words, names).allSatisfy({ $0.upperBound > $1.lowerBound }),
                let fields = line.words(line.characters.indices, count: names.count)
            else {
                throw InputError(
                    line: line.number,
                    "which words belong to which of the columns \(region.names.map(FieldCheck.unmistakable).joined(separator: ", ")) cannot be told; give "
                        + "all columns names with --columns and leave the header out, or have the program write JSON")
            }
            records.append(DelimitedText.Record(line: line.number, fields: fields))
        }
    }

    private func regions(of lines: [Line], under header: Line) -> [Region] {
        let names = header.wordRanges(header.characters.indices)
        guard let last = names.last else { return [] }
        let runs = occupiedRuns(of: lines + [header])
        var regions: [Region] = []
        for run in runs {
            let inside = names.filter { run.contains($0.lowerBound) }.map { String(header.characters[$0]) }
            let isRest = regions.last.map { $0.range.upperBound > last.lowerBound } ?? false
            if let before = regions.indices.last, inside.isEmpty || isRest {
                regions[before].range = regions[before].range.lowerBound..<run.upperBound
            } else {
                regions.append(Region(range: run, names: inside))
            }
        }
        nameMargin(&regions, lines)
        joinEmptyEnd(&regions, lines)
        // Up to where the next one begins.
        for position in regions.indices {
            let end = position + 1 < regions.count ? regions[position + 1].range.lowerBound : Int.max
            regions[position].range = regions[position].range.lowerBound..<end
        }
        return regions
    }

    /// The positions at which some line is not blank.
    private func occupiedRuns(of lines: [Line]) -> [Range<Int>] {
        var isOccupied = [Bool](repeating: false, count: lines.map(\.characters.count).max() ?? 0)
        for line in lines {
            for (position, character) in line.characters.enumerated() where character != " " {
                isOccupied[position] = true
            }
        }
        var runs: [Range<Int>] = []
        for (position, isOccupied) in isOccupied.enumerated() where isOccupied {
            if let last = runs.last, last.upperBound == position {
                runs[runs.count - 1] = last.lowerBound..<position + 1
            } else {
                runs.append(position..<position + 1)
            }
        }
        return runs
    }

    /// What stands in front of the first name is a mark (`●`), which is left out, or a column that needs no name (`free`).
    private func nameMargin(_ regions: inout [Region], _ lines: [Line]) {
        guard let margin = regions.first, margin.names.isEmpty else { return }
        if lines.allSatisfy({ $0.text(margin.range).count <= 1 }) {
            regions.removeFirst()
        } else {
            regions[0].names = ["name"]
        }
    }

    /// `Mounted on`: a small word under which nothing stands belongs to the name before.
    private func joinEmptyEnd(_ regions: inout [Region], _ lines: [Line]) {
        guard regions.count > 1, let last = regions.last, last.names.count == 1,
            last.names[0].first?.isLowercase == true,
            regions[regions.count - 2].names.last?.first?.isUppercase == true,
            regions[regions.count - 2].range.upperBound + 1 >= last.range.lowerBound,
            lines.allSatisfy({ $0.text(last.range).isEmpty })
        else { return }
        regions.removeLast()
        regions[regions.count - 1].names += last.names
        regions[regions.count - 1].range = regions[regions.count - 1].range.lowerBound..<last.range.upperBound
    }

    /// Whether all names of the header in a region are the words of one name: one blank is between them, and below is one
    /// word that begins where they do. (A number that sticks out to the left of its name does not.)
    private func hasOneColumn(_ region: Region, isLast: Bool, _ lines: [Line], under header: Line) -> Bool {
        guard region.names.count > 1, let names = header.start(in: region.range) else { return true }
        let length = region.names.reduce(region.names.count - 1) { $0 + $1.count }
        guard header.text(region.range).count == length else { return false }
        if isLast, region.names.dropFirst().allSatisfy({ $0.first?.isLowercase == true }) { return true }
        return lines.allSatisfy { line in
            guard let start = line.start(in: region.range) else { return true }
            return start == names && (isLast || line.wordCount(region.range) == 1)
        } && !(isLast && lines.allSatisfy { $0.wordCount(region.range) >= region.names.count })
    }
}

// MARK: - Parts of a line

extension AlignedText.Line {
    /// Without blanks around it.
    func text(_ range: Range<Int>) -> String {
        let part = characters[range.clamped(to: characters.indices)]
        guard let start = part.firstIndex(where: { $0 != " " }), let end = part.lastIndex(where: { $0 != " " }) else {
            return ""
        }
        return String(part[start...end])
    }

    /// Where the first word begins.
    func start(in range: Range<Int>) -> Int? { wordRanges(range).first?.lowerBound }

    func wordRanges(_ range: Range<Int>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        for position in range.clamped(to: characters.indices) where characters[position] != " " {
            if let last = words.last, last.upperBound == position {
                words[words.count - 1] = last.lowerBound..<position + 1
            } else {
                words.append(position..<position + 1)
            }
        }
        return words
    }

    func wordCount(_ range: Range<Int>) -> Int { wordRanges(range).count }

    /// So many, of which the last takes all that is left; nil when there are fewer.
    func words(_ range: Range<Int>, count: Int) -> [[UInt8]]? {
        if count == 1 { return [Array(text(range).utf8)] }
        let words = wordRanges(range)
        guard words.count >= count else { return nil }
        let rest = words[count - 1].lowerBound..<(words.last?.upperBound ?? 0)
        return (words.prefix(count - 1) + [rest]).map { Array(String(characters[$0]).utf8) }
    }
}
