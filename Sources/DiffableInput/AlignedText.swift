import DiffableView

/// A table as programs print it for people: `ps aux`, `df`, `systemctl`, `docker ps`.
///
/// A position at which all lines and the header are blank separates two columns. Blanks in values can make a region without a
/// name, which belongs to the column before it. The last column takes the rest of the line.
///
/// - A rule of dashes under the header shows where each column begins.
/// - A value that is wider than its column (a long number in `ps`) closes the gap and pushes the rest of its line to the right.
///   Then lines are read by words: one word for each name of the header.
/// - If two or more blanks separate all columns, as in `docker` and `kubectl`, one blank in the header is part of a name
///   (`VOLUME NAME`).
/// - The table ends at the first blank line. An explanation may follow, as `systemctl` prints it, but no other table.
///
/// Programs align either by columns of the screen, in which some characters take two and others none, or by code points. A text
/// is read both ways, and is refused if both make sense and differ. An uncertain table is refused, because a field under the
/// wrong name would be worse.
struct AlignedText {
    private(set) var columns: [String] = []
    private(set) var records: [DelimitedText.Record] = []

    enum Measure {
        case screen
        case codePoints
    }

    /// `columns` replaces the header. Then each line is split into as many words as there are names.
    init(_ text: ArraySlice<UInt8>, columns named: [String]?) throws(InputError) {
        let byScreen = Result { () throws(InputError) in try AlignedText(text, columns: named, .screen) }
        guard text.contains(where: { $0 >= 0x80 }) else {
            self = try byScreen.get()
            return
        }
        let byPoints = Result { () throws(InputError) in try AlignedText(text, columns: named, .codePoints) }
        let readings = [byScreen, byPoints].compactMap { try? $0.get() }
        if readings.count == 2, readings[0].columns == readings[1].columns, readings[0].records == readings[1].records {
            self = readings[0]
            return
        }
        let plausible = readings.filter(\.isPlausible)
        guard plausible.count < 2 else {
            throw InputError(
                "wide characters make it unclear which words belong to which column; make the program print JSON or CSV"
            )
        }
        guard let reading = plausible.first else {
            if case .failure(let error) = byScreen { throw error }
            _ = try byPoints.get()
            throw InputError("cannot tell which words belong to which column; make the program print JSON or CSV")
        }
        self = reading
    }

    private init(_ text: ArraySlice<UInt8>, columns named: [String]?, _ measure: Measure) throws(InputError) {
        let (lines, rest) = Line.all(of: text, measure)
        if let listing = try DirectoryListing(lines, rest, columns: named) {
            columns = listing.columns
            records = try listing.records
            return
        }
        if let other = rest.first(where: \.beginsTable) { throw AlignedText.secondTable(other) }
        if let named {
            columns = named
            for line in lines { records.append(try AlignedText.words(of: line, count: named.count)) }
        } else {
            guard let header = lines.first else {
                throw InputError.noHeader
            }
            try read(Array(lines.dropFirst()), under: header)
        }
    }

    private var isPlausible: Bool {
        records.allSatisfy { record in
            record.fields.allSatisfy { !String(decoding: $0, as: UTF8.self).contains("  ") }
        }
    }

    private static func words(of line: Line, count: Int) throws(InputError) -> DelimitedText.Record {
        guard let words = line.words(line.all, count: count) else {
            let found = line.wordCount(line.all)
            throw InputError(
                line: line.number,
                "the line has \(counted(found, "word")), but \(.columns) names \(counted(count, "column"))")
        }
        return DelimitedText.Record(line: line.number, fields: words)
    }

    private static func secondTable(_ line: Line) -> InputError {
        InputError(
            line: line.number,
            "a second table begins here; \(.from, "columns") reads only one, with its header on the first line. Leave "
                + "the others out of the input")
    }
}

// MARK: - Under a header

extension AlignedText {
    private struct Region {
        var range: Range<Int>
        var heading: Range<Int>?
        var names: [String]
    }

    private mutating func read(_ lines: [Line], under header: Line) throws(InputError) {
        try refuseOtherHeaders(lines, header)
        if let rule = lines.first, rule.isRule(under: header) {
            let runs = rule.wordRanges(rule.all)
            if runs.count > 1 || header.wordCount(header.all) == 1 {
                return try readRuled(lines.dropFirst(), under: header, by: runs)
            }
            return try read(Array(lines.dropFirst()), under: header)
        }
        var regions = regions(of: lines, under: header)
        let isSpacious = isSpacious(regions, lines)
        try joinEmpty(&regions, lines, under: header, isSpacious: isSpacious)
        // Each region extends to the start of the next.
        for position in regions.indices {
            let end = position + 1 < regions.count ? regions[position + 1].range.lowerBound : Int.max
            regions[position].range = regions[position].range.lowerBound..<end
        }
        let areColumns = regions.indices.map { position in
            hasOneColumn(
                regions[position], isLast: position == regions.count - 1, isSpacious: isSpacious, lines, under: header)
        }
        if let merged = areColumns.firstIndex(of: false) {
            // Reading by words would give each word of a longer heading a column.
            if zip(areColumns, regions).contains(where: { $0 && $1.names.count > 1 }), let line = lines.first {
                throw Self.uncertain(line, regions[merged].names)
            }
            return try readShifted(lines, under: header, regions[merged])
        }
        columns = regions.map { $0.names.joined(separator: " ") }
        for line in lines {
            for region in regions {
                guard let heading = region.heading, let cell = line.extent(in: region.range) else { continue }
                // A value that does not even overlap its heading may belong to another one.
                guard cell.overlaps(heading) else { throw Self.uncertain(line, region.names) }
            }
            let fields = regions.map { Array(line.text($0.range).utf8) }
            records.append(DelimitedText.Record(line: line.number, fields: fields))
        }
    }

    private static func uncertain(_ line: Line, _ names: [String]) -> InputError {
        InputError(
            line: line.number,
            "cannot tell which words belong to the \(names.count == 1 ? "column" : "columns") "
                + "\(names.map(FieldCheck.shellQuoted).joined(separator: ", ")). Remove the header and name all columns "
                + "with \(.columns), or make the program print JSON or CSV")
    }

    private func refuseOtherHeaders(_ lines: [Line], _ header: Line) throws(InputError) {
        for line in [header] + lines where TableDetector.isFrame(line.text(line.all)) {
            throw InputError(
                line: line.number,
                "this is a table with drawn borders; \(.from, "columns") reads only columns that blanks separate. Make the program "
                    + "print CSV or JSON")
        }
        if let word = header.wordRanges(header.all).map({ header.text($0) }).first(where: Self.isValue) {
            throw InputError(
                line: header.number,
                "\(FieldCheck.shellQuoted(word)) is not the name of a column; if there is no header, name all columns with \(.columns), and "
                    + "if the header comes later, leave out the lines before it")
        }
        let text = header.text(header.all)
        for (position, line) in lines.enumerated() {
            if (position > 0 && TableDetector.isRule(line.text(line.all))) || line.text(line.all) == text {
                throw Self.secondTable(line)
            }
        }
    }

    /// Recognizes numbers, sizes, times, addresses, digests, paths and assignments; and words of titles (`Listing...`,
    /// `----memory----`).
    private static func isValue(_ word: String) -> Bool {
        if word.hasPrefix("---") || (word.hasPrefix("/") && word.count > 1) || word.hasSuffix("...")
            || word.contains("=")
        {
            return true
        }
        if word.count(where: { $0 == ":" }) > 2 || (word.count >= 32 && word.allSatisfy(\.isHexDigit)) { return true }
        let rest = word.last.map { "KMGTPB%".contains($0) } == true ? word.dropLast() : word[...]
        return rest.contains(where: \.isNumber) && rest.allSatisfy { $0.isNumber || "+-.,:/".contains($0) }
    }

    private mutating func readRuled(
        _ lines: ArraySlice<Line>, under header: Line, by runs: [Range<Int>]
    ) throws(InputError) {
        let ranges = runs.enumerated().map { position, run in
            run.lowerBound..<(position + 1 < runs.count ? runs[position + 1].lowerBound : Int.max)
        }
        columns = ranges.map { header.text($0) }
        for line in lines {
            let isShifted =
                line.text(0..<ranges[0].lowerBound) != ""
                || ranges.dropFirst().contains { !line.isBlank($0.lowerBound - 1) }
            if isShifted { throw Self.uncertain(line, columns) }
            records.append(DelimitedText.Record(line: line.number, fields: ranges.map { Array(line.text($0).utf8) }))
        }
    }

    /// Reads lines in which a long value has pushed the others to the right. Each word of the header has a word in each
    /// line. A word to the left of its name shows that an earlier value has two words, as in "2 hours ago". A word
    /// under the next name shows that a value is missing, unless an earlier word is too long.
    private mutating func readShifted(_ lines: [Line], under header: Line, _ region: Region) throws(InputError) {
        let names = header.wordRanges(header.all)
        columns = names.map { header.text($0) }
        for line in lines {
            let words = line.wordRanges(line.all)
            guard zip(words, names).allSatisfy({ $0.upperBound > $1.lowerBound }), !isAnyMissing(words, names),
                let fields = line.words(line.all, count: names.count)
            else { throw Self.uncertain(line, region.names) }
            records.append(DelimitedText.Record(line: line.number, fields: fields))
        }
    }

    private func isAnyMissing(_ words: [Range<Int>], _ names: [Range<Int>]) -> Bool {
        var shift = 0
        for position in 0..<min(words.count, names.count - 1) {
            if words[position].lowerBound >= names[position + 1].lowerBound + shift { return true }
            // A value over the whole next name may belong to a heading of two words.
            if shift == 0, words[position].upperBound >= names[position + 1].upperBound { return true }
            if words[position].upperBound >= names[position + 1].lowerBound {
                shift = max(shift, words[position].upperBound - names[position].upperBound)
            }
        }
        return false
    }
}

// MARK: - Regions

extension AlignedText {
    private func regions(of lines: [Line], under header: Line) -> [Region] {
        let names = header.wordRanges(header.all)
        guard let last = names.last else { return [] }
        let runs = occupiedRuns(of: lines + [header])
        var regions: [Region] = []
        for run in runs {
            let inside = names.filter { run.contains($0.lowerBound) }
            let isRest = regions.last.map { $0.range.upperBound > last.lowerBound } ?? false
            if let before = regions.indices.last, inside.isEmpty || isRest {
                regions[before].range = regions[before].range.lowerBound..<run.upperBound
            } else {
                let heading = inside.first.map { $0.lowerBound..<(inside.last?.upperBound ?? $0.upperBound) }
                regions.append(Region(range: run, heading: heading, names: inside.map { header.text($0) }))
            }
        }
        nameMargin(&regions, lines)
        return regions
    }

    private func occupiedRuns(of lines: [Line]) -> [Range<Int>] {
        var isOccupied = [Bool](repeating: false, count: lines.map(\.cells.count).max() ?? 0)
        for line in lines {
            for (position, cell) in line.cells.enumerated() where cell != " " {
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

    /// Handles text in front of the first name: a mark (`●`), which is left out, or a column that needs no name (`free`).
    private func nameMargin(_ regions: inout [Region], _ lines: [Line]) {
        guard let margin = regions.first, margin.names.isEmpty else { return }
        if lines.allSatisfy({ $0.text(margin.range).count <= 1 }) {
            regions.removeFirst()
        } else {
            regions[0].names = ["name"]
        }
    }

    /// Whether two or more blanks separate the values of two columns wherever a line has both; nil if no line has both.
    private func isSpacious(_ regions: [Region], _ lines: [Line]) -> Bool? {
        var isSpacious: Bool?
        for line in lines {
            var end: Int?
            for region in regions {
                guard let cell = line.extent(in: region.range) else {
                    end = nil
                    continue
                }
                if let end, cell.lowerBound < end + 2 { return false }
                if end != nil { isSpacious = true }
                end = cell.upperBound
            }
        }
        return isSpacious
    }

    /// Joins two words of the header that are one blank apart if one of them has no values: if columns are two blanks apart
    /// (`NOMINATED NODE`), and at the end (`Mounted on`). Words in capitals stay two names if columns are one blank apart
    /// (`TYPE MOUNTPOINTS`). Other pairs are refused.
    private func joinEmpty(
        _ regions: inout [Region], _ lines: [Line], under header: Line, isSpacious: Bool?
    ) throws(InputError) {
        if lines.isEmpty { return }
        let isEmpty = regions.map { region in lines.allSatisfy { $0.extent(in: region.range) == nil } }
        for position in regions.indices.dropFirst().reversed() where isEmpty[position] || isEmpty[position - 1] {
            let (before, region) = (regions[position - 1], regions[position])
            guard let left = before.heading, let right = region.heading, left.upperBound + 1 == right.lowerBound else {
                continue
            }
            let isSmall =
                position == regions.count - 1 && isEmpty[position] && region.names[0].first?.isLowercase == true
            guard isSpacious == true || (isSmall && before.names.last?.first?.isUppercase == true) else {
                guard isSpacious == false, !Self.areMixed(before.names + region.names) else {
                    throw Self.uncertain(header, before.names + region.names)
                }
                continue
            }
            regions[position - 1] = Region(
                range: before.range.lowerBound..<region.range.upperBound, heading: left.lowerBound..<right.upperBound,
                names: before.names + region.names)
            regions.remove(at: position)
        }
    }

    /// Whether all names of the header in a region are the words of one name: one blank is between them, and each value begins
    /// or ends where they do. If columns are one blank apart, only headings such as `Local Address` have several words, and a
    /// value under them is one word that begins there: a number that extends to the left of its name may have a word before it.
    private func hasOneColumn(
        _ region: Region, isLast: Bool, isSpacious: Bool?, _ lines: [Line], under header: Line
    ) -> Bool {
        guard region.names.count > 1, let heading = region.heading else { return true }
        let length = region.names.reduce(region.names.count - 1) { $0 + $1.count }
        guard header.text(heading).count == length else { return false }
        let extents = lines.compactMap { $0.extent(in: region.range) }
        if isSpacious == true {
            // Words under each of the names are values of several columns.
            let starts = Set(header.wordRanges(heading).map(\.lowerBound))
            return extents.allSatisfy { $0.lowerBound == heading.lowerBound || $0.upperBound == heading.upperBound }
                && !lines.contains { starts.isSubset(of: $0.wordRanges(region.range).map(\.lowerBound)) }
        }
        if region.names.count > 3 || (isSpacious == false && !Self.areMixed(region.names)) { return false }
        if isLast, region.names.dropFirst().allSatisfy({ $0.first?.isLowercase == true }) { return true }
        return extents.allSatisfy { $0.lowerBound == heading.lowerBound }
            && (isLast || lines.allSatisfy { $0.wordCount(region.range) <= 1 })
            && !(isLast && lines.allSatisfy { $0.wordCount(region.range) >= region.names.count })
    }

    /// Whether names mix capital and small letters, as headings of several words do if columns are one blank apart.
    private static func areMixed(_ names: [String]) -> Bool {
        names.contains { $0.contains(where: \.isUppercase) } && names.contains { $0.contains(where: \.isLowercase) }
    }
}
