/// Decides whether lines look like a table that a program prints for people.
enum TableDetector {
    case columns
    case ruled

    /// A title, or a few lines of a summary, may precede the header.
    private static let linesLookedAt = 10

    init?(of first: ArraySlice<UInt8>, _ rest: TextLines) {
        let lines = ([first] + rest.prefix(Self.linesLookedAt - 1).map { $0.text }).map {
            String(decoding: $0, as: UTF8.self)
        }
        if lines.contains(where: Self.isFrame) {
            self = .ruled
        } else if lines.contains(where: { Self.isRule($0) || Self.hasGap($0) || DirectoryListing.isFile($0[...]) })
            || Self.isIndentedHeader(lines[0])
        {
            self = .columns
        } else {
            return nil
        }
    }

    /// Recognizes a line that separates cells both ways: `----+----`, `+----+`, `|---|---|`, `┌────┐`.
    static func isFrame(_ line: String) -> Bool {
        var dashes = 0
        var crossings = 0
        for scalar in line.unicodeScalars {
            switch scalar {
            case " ", "\t": continue
            case "-", "=", "─", "━", "═": dashes += 1
            case "+", "|", ":", "\u{2502}"..."\u{254F}", "\u{2551}"..."\u{2570}": crossings += 1
            default: return false
            }
        }
        return dashes >= 3 && crossings > 0
    }

    /// Recognizes several runs of dashes and nothing else: `------- -------`.
    static func isRule(_ line: String) -> Bool {
        let runs = line.split(separator: " ")
        return runs.count > 1 && runs.contains { $0.count > 2 }
            && runs.allSatisfy { $0.allSatisfy { "-=─━═".contains($0) } }
    }

    /// Whether two or more blanks are between two words, except after a mark that ends a part of a sentence.
    static func hasGap(_ line: String) -> Bool {
        if isLog(line) || line.contains("├") || line.contains("└") { return false }
        var blanks = 0
        var last: Character?
        for character in line {
            if character == " " {
                blanks += 1
                continue
            }
            if let last, blanks > 1, !".,:;!?".contains(last) { return true }
            (last, blanks) = (character, 0)
        }
        return false
    }

    private static let levels = Set(
        ["trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fatal"].map { $0.uppercased() })

    /// Whether a line begins with a level, a bracket, a date or a time.
    static func isLog(_ line: String) -> Bool {
        isStamped(line) || levels.contains(String(line.drop { $0 == " " }.prefix(while: \.isLetter)))
    }

    static func isStamped(_ line: String) -> Bool {
        var words = line.split(separator: " ", maxSplits: 4)[...]
        guard let first = words.first else { return false }
        if first.hasPrefix("[") || isTime(first) || first.wholeMatch(of: #/[IWEF][0-9]{4}/#) != nil { return true }
        // `Nov  8 18:10:49`, and the same after the day of the week.
        words = words.drop { $0.count == 3 && $0.allSatisfy(\.isLetter) }
        return words.startIndex > 0 && words.count > 1 && words[words.startIndex].allSatisfy(\.isNumber)
            && isTime(words[words.startIndex + 1])
    }

    /// Recognizes `2026-11-28`, `28/Nov/2026:18:10`, `18:10:49`: digits before the first of two marks, or before a colon.
    private static func isTime(_ word: Substring) -> Bool {
        let word = word.drop { "(<".contains($0) }
        let digits = word.prefix(while: \.isNumber)
        guard (1...4).contains(digits.count), let mark = word.dropFirst(digits.count).first, "-/:.".contains(mark)
        else {
            return false
        }
        return word.count { $0 == mark } == 2 || mark == ":"
    }

    /// Recognizes `    PID COMMAND`: ps aligns numbers to the right.
    private static func isIndentedHeader(_ line: String) -> Bool {
        line.hasPrefix(" ") && line.split(separator: " ").count > 1 && line.contains(where: \.isUppercase)
            && !line.contains(where: \.isLowercase)
    }
}
