/// The output of `ls -l`, which has no header: before the name are five columns and a time of one to three words. Names of users
/// and groups may have blanks (`domain users`). The columns of `ls` are aligned, so the group begins at the same position on all
/// lines.
struct DirectoryListing {
    let columns: [String]
    private let lines: ArraySlice<AlignedText.Line>

    private static let usualColumns = ["mode", "links", "owner", "group", "size", "modified", "name"]

    /// Nil if the text is not a listing. `rest` has the lines after a blank one; `columns` replaces all of the usual names.
    init?(_ lines: [AlignedText.Line], _ rest: [AlignedText.Line], columns: [String]?) throws(InputError) {
        guard columns == nil || columns?.count == DirectoryListing.usualColumns.count else { return nil }
        func isFile(_ line: AlignedText.Line) -> Bool { DirectoryListing.isFile(line.text(line.all)[...]) }
        // "total 16", in any language.
        let head = lines.first.map { $0.wordCount($0.all) == 2 && !isFile($0) } ?? false
        let isEmpty = lines.count == 1 && head && lines[0].text(lines[0].all).hasSuffix(" 0")
        let files = lines.dropFirst(head ? 1 : 0)
        if isEmpty || (!files.isEmpty && files.allSatisfy(isFile)) {
            if let other = rest.first {
                throw DirectoryListing.error(other, "it comes after a blank line, where another directory begins")
            }
        } else {
            guard columns == nil else { return nil }
            // A single line of a file shows that it is a listing, and any other line that it has another form.
            guard (lines + rest).contains(where: { isFile($0) || DirectoryListing.isPrefixedFile($0.text($0.all)) }),
                let other = (lines + rest).first(where: { !isFile($0) && $0.number > (head ? 1 : 0) })
            else { return nil }
            throw DirectoryListing.error(other, "it does not begin with a mode such as -rw-r--r--")
        }
        self.columns = columns ?? DirectoryListing.usualColumns
        self.lines = files
    }

    private static func error(_ line: AlignedText.Line, _ reason: String) -> InputError {
        InputError(
            line: line.number,
            "this is not a line of ls -l of one directory: \(reason); list one directory, without the options -i, -s and -Z"
        )
    }

    /// The possible characters at each position of a mode such as `-rw-r--r--`, and after it.
    private static let mode = ["-bcdlpsDCM", "-r", "-w", "-xsS", "-r", "-w", "-xsS", "-r", "-w", "-xtT", " .+@"]

    /// Whether a line begins with a mode and a number. It is called for each line of a long table, so it uses no regular
    /// expression, which would be slow.
    static func isFile(_ line: Substring) -> Bool {
        var rest = line.utf8[...]
        for characters in mode {
            guard let byte = rest.popFirst(), characters.utf8.contains(byte) else { return false }
        }
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        let number = rest.prefix { (0x30...0x39).contains($0) }
        return !number.isEmpty && rest[number.endIndex...].first == UInt8(ascii: " ")
    }

    /// Whether the line is a file's with an inode or a size before it, as `ls -i` and `ls -s` print it.
    private static func isPrefixedFile(_ line: String) -> Bool {
        isFile(line.drop { $0.isNumber || $0 == "." || "KMGT".contains($0) }.drop { $0 == " " })
    }
}

// MARK: - Records

extension DirectoryListing {
    private struct ListedFile {
        let line: AlignedText.Line
        var first: [Range<Int>]
        var names: ArraySlice<Range<Int>>
        var size: Range<Int>
        var time: Range<Int>
    }

    var records: [DelimitedText.Record] {
        get throws(InputError) {
            var entries: [ListedFile] = []
            for line in lines { entries.append(try entry(line)) }
            let ambiguous = entries.first { $0.names.count > 2 }
            let common = try ambiguous.map { (entry) throws(InputError) in try groupPosition(entries, for: entry) }
            return entries.map { entry in
                let line = entry.line
                let (start, end) = (entry.names.first?.lowerBound ?? 0, entry.names.last?.upperBound ?? 0)
                let group = entry.names.count > 2 ? common ?? end : entry.names.last?.lowerBound ?? end
                let ranges = entry.first + [start..<group, group..<end, entry.size, entry.time]
                // A name may begin with a blank, so exactly one blank after the time is skipped.
                let name = min(entry.time.upperBound + 1, line.cells.count)..<line.cells.count
                return DelimitedText.Record(
                    line: line.number,
                    fields: ranges.map { Array(line.text($0).utf8) } + [Array(line.cells[name].joined().utf8)])
            }
        }
    }

    private func entry(_ line: AlignedText.Line) throws(InputError) -> ListedFile {
        let words = line.wordRanges(line.all)
        func text(_ position: Int) -> String { words.indices.contains(position) ? line.text(words[position]) : "" }
        // The size is the first number before a time. The names of a user and a group may contain numbers.
        for position in words.indices.dropFirst(3)
        where text(position).wholeMatch(of: #/[0-9][0-9.,]*[KMGTPE]?/#) != nil {
            // A device has two numbers instead of a size: "8, 0".
            let end = text(position).last == "," ? position + 1 : position
            guard let length = timeLength(text(end + 1), text(end + 2), text(end + 3)), words.count > end + length + 1
            else { continue }
            guard position > 3 else { throw Self.error(line, "it has no owner or no group") }
            // No name of a user or a group has a colon, but the context that -Z prints has.
            guard !words[2..<position].contains(where: { line.text($0).contains(":") || line.text($0) == "?" }) else {
                throw Self.error(line, "it has more than an owner and a group before the size")
            }
            return ListedFile(
                line: line, first: Array(words[..<2]), names: words[2..<position],
                size: words[position].lowerBound..<words[end].upperBound,
                time: words[end + 1].lowerBound..<words[end + length].upperBound)
        }
        throw Self.error(line, "it has no size, time and name")
    }

    /// The number of words in a time: `May  9  2025`, `28. Nov 15:49`, `2026-11-22 17:51`, the same with seconds and a zone,
    /// `11-28 15:49`.
    private func timeLength(_ first: String, _ second: String, _ third: String) -> Int? {
        func isClock(_ word: String) -> Bool {
            word.wholeMatch(of: #/[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?/#) != nil
        }
        if first.wholeMatch(of: #/(?:[0-9]{4}-)?[0-9]{2}-[0-9]{2}/#) != nil {
            guard isClock(second) else { return 1 }
            return third.wholeMatch(of: #/[+-][0-9]{4}/#) != nil ? 3 : 2
        }
        return isClock(third) || third.wholeMatch(of: #/[0-9]{4}/#) != nil ? 3 : nil
    }

    private func groupPosition(_ entries: [ListedFile], for first: ListedFile) throws(InputError) -> Int {
        // The group begins with a word on each line. Two blanks before a word are always between two columns.
        var starts = first.names.dropFirst().map(\.lowerBound)
        for entry in entries {
            starts = starts.filter { start in entry.names.dropFirst().contains { $0.lowerBound == start } }
        }
        let apart = starts.filter { start in
            entries.contains { $0.line.isBlank(start - 1) && $0.line.isBlank(start - 2) }
        }
        if apart.count == 1 { return apart[0] }
        if starts.count == 1 { return starts[0] }
        throw InputError(
            line: first.line.number,
            "cannot tell the owner from the group, because one of them has a blank in its name; use ls -ln, which prints "
                + "numbers in place of names")
    }
}
