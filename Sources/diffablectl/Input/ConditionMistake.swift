import ArgumentParser
import Diffable
import DiffableInput

/// Refuses conditions with an unexpected meaning. `rm --where` would silently delete other items.
enum ConditionMistake {
    /// Refuses several tests in one condition, such as `a=1 or b=2`.
    static func refuseSeveralTests(in text: String) throws {
        let separators = Separators(in: text)
        guard !separators.places.isEmpty else { return }
        let words = separators.words.map { $0.isEmpty ? "a space" : $0 }.joined(separator: " and ")
        var sentence = "\(quoted(text)): a condition is one test, and this has \(words) in it. "
        let parts = separators.parts
        if let conditions = try? parts.map({ try ShortCondition($0).json }), separators.operation != nil {
            switch separators.operation {
            case .or:
                // An inner `or` is flattened, so that the suggestion is easy to read.
                let tests = conditions.flatMap { condition in
                    JSONReader(condition).member("or")?.elements.map(\.content) ?? [condition]
                }
                let json = Content.object([("or", .array(tests))])
                sentence += "For any of several tests, use JSON: \(shellQuoted(json.description))"
            case .and, nil:
                sentence +=
                    "To meet all of several tests, repeat the option: "
                    + parts.map(shellQuoted).joined(separator: " and ")
            }
        } else {
            sentence += #"Use JSON to combine tests: '{"or":[{"path":"/a","equals":1},{"path":"/b","equals":2}]}'"#
        }
        if let (end, comparison) = ShortCondition.firstOperator(in: text[...]) {
            let value = String(ShortCondition.trimmed(text[end...].dropFirst(comparison.rawValue.count)))
            if comparison != .isExactly, !value.hasPrefix("\"") {
                let field = ShortCondition.trimmed(text[..<end])
                guard Separators(in: String(field)).places.isEmpty else { throw ValidationError(sentence) }
                let whole = "\(field)\(comparison.rawValue)\(Content.string(value.utf8))"
                sentence += "; if all of it is one value, put that in quotation marks: \(shellQuoted(whole))"
            }
        } else {
            sentence += "; a member with this name is written \(shellQuoted("/\(text)"))"
        }
        throw ValidationError(sentence)
    }

    /// Refuses a comparison with an unexpected meaning.
    static func refuse(
        _ text: String, _ field: String, _ comparison: ShortCondition.Comparison, _ value: String
    ) throws {
        let name = quoted(text)
        if field.isEmpty { throw ValidationError("\(name) names no field before its \(comparison.rawValue)") }
        if field.hasPrefix("!") || field.lowercased().hasPrefix("not ") {
            let remedy = comparison.comparesOrder ? "the opposite comparison" : "!= or !~"
            throw ValidationError("\(name): a comparison cannot be negated with ! or not; use \(remedy)")
        }
        try refuse(name, field: field)
        if field.hasPrefix("exists(") {
            throw ValidationError("\(name): exists(…) takes one field and nothing else, as in 'exists(due)'")
        }
        if let mark = value.first, "=~<>".contains(mark) {
            let written = comparison.rawValue + value.prefix { "=~<>".contains($0) }
            let meant = usual[written].map { "use \($0)" }
            throw ValidationError(
                "\(name): there is no operator \(written); "
                    + (meant ?? "there are \(operators)")
                    + "; a value that begins with \(mark) is written in quotation marks, \"…\"")
        }
        if value.count > 1, value.hasPrefix("'"), value.hasSuffix("'") {
            let inner = Content.string(value.dropFirst().dropLast().utf8).description
            throw ValidationError(
                "\(name): ' does not quote a value here; use \(shellQuoted("\(field)\(comparison.rawValue)\(inner)"))")
        }
        guard comparison.comparesOrder else { return }
        if field.first.map({ "-0123456789".contains($0) }) ?? false, Double(field) != nil {
            throw ValidationError(
                "\(name): the field comes first, as in 'cpu>10'; a member with the name \(field) is written .\(field)")
        }
        if !value.hasPrefix("\""), value.contains(where: { "<>".contains($0) }) {
            throw ValidationError("\(name) has two comparisons; repeat the option, with one in each")
        }
    }

    /// Refuses a field without an operator that looks like something else.
    static func refuse(_ text: Substring, bareField field: Substring) throws {
        let name = quoted(text)
        if field.hasPrefix("!") { throw ValidationError("\(name): use one ! or none") }
        if field.hasPrefix("/") { return }
        try refuse(name, field: String(field))
        let words = field.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
        if words.count > 1, words[0] == "not" {
            throw ValidationError("\(name): use ! to negate a field, as in '!\(words[1])'")
        }
        if words.count > 1, let word = words.dropFirst().first(where: otherOperators.contains) {
            throw ValidationError(
                "\(name): there is no operator \(word); there are \(operators), and 'due?' for items that have the field due; "
                    + "a member with this name is written "
                    + shellQuoted("/\(field)"))
        }
        if let colon = field.firstIndex(of: ":"), case let value = ShortCondition.trimmed(field[colon...].dropFirst()),
            let json = Content.parsed(String(value)), JSONReader(json).text != nil || JSONReader(json).isNull
        {
            throw ValidationError("\(name): use \(shellQuoted("\(field[..<colon])=\(value)"))")
        }
    }

    private static func refuse(_ name: String, field: String) throws {
        if field.hasPrefix("(") || field.lowercased().hasPrefix("not(") {
            throw ValidationError(
                "\(name): parentheses cannot be used in a condition; repeat the option for several tests, or use JSON")
        }
        if field.hasPrefix("\"") || field.hasPrefix("'") {
            throw ValidationError("\(name): put quotation marks around a value only, not around a field")
        }
    }

    private static func quoted(_ text: some StringProtocol) -> String { "\"\(text)\"" }

    private static let operators = "= != < <= > >= ~ !~ :="

    /// Operators of other languages.
    private static let usual = [
        "==": "=", "===": "=", "!==": "!=", "<>": "!=", "=>": ">=", "=<": "<=", "=~": "~", "~=": "~", "!=~": "!~",
    ]

    private static let otherOperators: Set<String> = [
        "is", "in", "like", "contains", "between", "has", "eq", "ne", "gt", "lt", "ge", "le", "equals", "matches",
        "exists",
    ]
}

/// The places where another test begins: at `and`, `or`, `&&`, `||`, and at a comma, `;`, `&`, `|` or white space before
/// another comparison. Values in quotation marks are skipped.
private struct Separators {
    enum Operation { case and, or }

    private let characters: [Character]
    /// Character offsets in the text.
    private(set) var places: [Range<Int>] = []

    init(in text: String) {
        characters = Array(text)
        var index = 0
        if text.hasPrefix("/") || text.hasPrefix("!/") {
            // In a path with slashes, everything up to an operator is the name.
            guard let (end, _) = ShortCondition.firstOperator(in: text[...]) else { return }
            index = text.distance(from: text.startIndex, to: end)
        }
        while index < characters.count {
            if characters[index] == "\"", isAfterOperator(index) {
                index = endOfString(from: index)
            } else if let length = lengthOfSeparator(at: index) {
                let end = characters[(index + length)...].firstIndex { !$0.isWhitespace } ?? characters.count
                places.append(index..<end)
                index = end
            } else {
                index += 1
            }
        }
    }

    var words: [String] {
        var words: [String] = []
        for place in places {
            let word = ShortCondition.trimmed(String(characters[place])[...]).lowercased()
            if !words.contains(word) { words.append(word) }
        }
        return words
    }

    /// Nil if the text has both.
    var operation: Operation? {
        let ors = words.count(where: { ["or", "|", "||"].contains($0) })
        return ors == 0 ? .and : ors == words.count ? .or : nil
    }

    /// The tests. A part that is only a value, or begins with an operator, gets its field and operator from the previous test.
    var parts: [String] {
        let starts = [0] + places.map(\.upperBound)
        let ends = places.map(\.lowerBound) + [characters.count]
        var parts: [String] = []
        for (start, end) in zip(starts, ends) {
            let part = ShortCondition.trimmed(String(characters[start..<end])[...])
            parts.append(parts.last.map { completed(part, after: $0) } ?? String(part))
        }
        return parts
    }

    private func completed(_ part: Substring, after test: String) -> String {
        guard let (end, comparison) = ShortCondition.firstOperator(in: test[...]) else { return String(part) }
        if let (start, _) = ShortCondition.firstOperator(in: part) {
            return start == part.startIndex ? "\(test[..<end])\(part)" : String(part)
        }
        return part.hasPrefix("!") ? String(part) : "\(test[..<end])\(comparison.rawValue)\(part)"
    }

    private func isAfterOperator(_ index: Int) -> Bool {
        characters[..<index].last { !$0.isWhitespace }.map { "=~<>".contains($0) } ?? false
    }

    private func endOfString(from start: Int) -> Int {
        var index = start + 1
        while index < characters.count, characters[index] != "\"" { index += characters[index] == "\\" ? 2 : 1 }
        return min(index + 1, characters.count)
    }

    private func lengthOfSeparator(at index: Int) -> Int? {
        if index + 1 < characters.count, "&|".contains(characters[index]), characters[index + 1] == characters[index] {
            return 2
        }
        if characters[index].isWhitespace { return lengthOfWord(at: index) ?? (isTest(from: index + 1) ? 1 : nil) }
        guard ",;&|".contains(characters[index]), isTest(from: index + 1) else { return nil }
        // A URL's query contains these characters too.
        return ",;".contains(characters[index]) || isBehindScalar(index) ? 1 : nil
    }

    /// Matches ` and ` or ` or `, in any case.
    private func lengthOfWord(at index: Int) -> Int? {
        let word = characters[(index + 1)...].prefix { !$0.isWhitespace }
        guard ["and", "or"].contains(String(word).lowercased()), word.endIndex < characters.count else { return nil }
        return word.count + 2
    }

    /// Whether a name and an operator follow, and a comparison precedes.
    private func isTest(from start: Int) -> Bool {
        guard characters[..<start].contains(where: { "=~<>".contains($0) }) else { return false }
        var rest = characters[start...].drop { $0.isWhitespace }
        let hasSpace = rest.startIndex > start
        let name = rest.prefix { $0.isLetter || $0.isNumber || "_-.%".contains($0) }
        guard let first = name.first, first.isLetter || "_.%".contains(first) else { return false }
        rest = rest.dropFirst(name.count)
        if !hasSpace { rest = rest.drop { $0.isWhitespace } }
        return ShortCondition.Comparison.allCases.contains { rest.starts(with: $0.rawValue) }
    }

    private func isBehindScalar(_ index: Int) -> Bool {
        let test = String(characters[(places.last?.upperBound ?? 0)..<index])
        guard let (end, comparison) = ShortCondition.firstOperator(in: test[...]) else { return false }
        let text = String(ShortCondition.trimmed(test[end...].dropFirst(comparison.rawValue.count)))
        return Content.parsed(text).map {
            JSONReader($0).isNull || !JSONReader($0).isString && JSONReader($0).text != nil
        }
            ?? false
    }
}

func shellQuoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
