/// What `ls -l` prints, which has no header: in front of the name are five columns and a time of two or three words.
struct DirectoryListing {
    let columns: [String]
    private let lines: ArraySlice<AlignedText.Line>

    private static let usualColumns = ["mode", "links", "owner", "group", "size", "modified", "name"]

    /// Nil when it is something else.
    ///
    /// - Parameter columns: other names, as many.
    init?(_ lines: [AlignedText.Line], columns: [String]?) {
        guard columns == nil || columns?.count == DirectoryListing.usualColumns.count else { return nil }
        // "total 16", in whichever language.
        let head = lines.first.map { $0.wordCount($0.characters.indices) == 2 && !DirectoryListing.isFile($0) } ?? false
        let isEmpty = lines.count == 1 && head && lines[0].text(lines[0].characters.indices).hasSuffix(" 0")
        let files = lines.dropFirst(head ? 1 : 0)
        guard isEmpty || (!files.isEmpty && files.allSatisfy(DirectoryListing.isFile)) else { return nil }
        self.columns = columns ?? DirectoryListing.usualColumns
        self.lines = files
    }

    private static func isFile(_ line: AlignedText.Line) -> Bool {
        String(line.characters.prefix(11)).prefixMatch(
            of: #/[-bcdlpsDCM][-r][-w][-xsS][-r][-w][-xsS][-r][-w][-xtT][ .+@]/#)
            != nil
    }

    var records: [DelimitedText.Record] {
        get throws(InputError) {
            var records: [DelimitedText.Record] = []
            for line in lines { records.append(try record(line)) }
            return records
        }
    }

    private func record(_ line: AlignedText.Line) throws(InputError) -> DelimitedText.Record {
        var words = line.wordRanges(line.characters.indices)[...]
        func text(_ range: Range<Int>) -> [UInt8] { Array(String(line.characters[range]).utf8) }
        func take(_ count: Int) throws(InputError) -> Range<Int> {
            guard words.count > count, let first = words.first else {
                throw InputError(line: line.number, "no line of ls -l: there is no name behind the time")
            }
            defer { words = words.dropFirst(count) }
            return first.lowerBound..<words[words.startIndex + count - 1].upperBound
        }
        var fields: [[UInt8]] = []
        for _ in 0..<4 { fields.append(text(try take(1))) }
        // A device has two numbers in place of a size: "8, 0".
        let isDevice = words.first.map { line.characters[$0].last == "," } ?? false
        fields.append(text(try take(isDevice ? 2 : 1)))
        let isDate = words.first.map {
            String(line.characters[$0]).wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}/#) != nil
        }
        let hasZone =
            words.dropFirst(2).first.map { String(line.characters[$0]).wholeMatch(of: #/[+-][0-9]{4}/#) != nil }
            ?? false
        let time = try take(isDate == true && !hasZone ? 2 : 3)
        fields.append(text(time))
        // A name may begin with a blank: it begins one place behind the time.
        fields.append(text(min(time.upperBound + 1, line.characters.count)..<line.characters.count))
        return DelimitedText.Record(line: line.number, fields: fields)
    }
}
