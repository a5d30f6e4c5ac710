import ArgumentParser
import Diffable
import DiffableInput
import DiffableJSON

/// A condition as users type it: `done`, `!done`, `unread=true`, `cpu>10`, `.owner.name!=root`, `text~milk`, `due?`.
///
///     condition = ["!"] field                      it is true; it is not
///               | ["!"] presence                   there is a value; there is none
///               | field operator value             it compares so
///     presence  = field "?" | "exists(" field ")"
///     field     = "id" | "kind" | path             FieldPath.swift defines paths
///     operator  = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~" | ":="
///     value     = a JSON string | any other text
///
/// - A field is true unless it is missing, `null`, `false`, 0, or an empty string, array or object.
/// - `=` finds the value as a string or as JSON: `n=1` finds 1 and "1", because tables have only strings. A value in quotation
///   marks is only a string, and a value after `:=` is only JSON. `!=` holds where `=` does not, even without a value.
/// - `<`, `<=`, `>` and `>=` compare numbers if the value is a number, and otherwise strings, by their bytes.
/// - `~` finds a string that contains the value, or an array with this element. `!~` holds where `~` does not.
///
/// White space around the operator does not count. A field ends where an operator begins; in a path with slashes `~0` and `~1`
/// belong to the name. Other conditions are written as JSON, as docs/protocol-views.md describes. `ConditionMistake` refuses
/// texts with an unexpected meaning.
struct ShortCondition {
    enum Comparison: String, CaseIterable {
        // Longer operators first, because they are tried in this order.
        case isExactly = ":="
        case isNot = "!="
        case isAtMost = "<="
        case isAtLeast = ">="
        case hasNot = "!~"
        case isEqual = "="
        case isLess = "<"
        case isGreater = ">"
        case has = "~"

        var comparesOrder: Bool { [.isLess, .isAtMost, .isGreater, .isAtLeast].contains(self) }
    }

    enum Test {
        case isTrue(Bool)
        case isThere(Bool)
        case comparison(Comparison, String)
    }

    let field: String
    let test: Test

    init(_ text: String) throws {
        let trimmed = Self.trimmed(text[...])
        try ConditionMistake.refuseSeveralTests(in: String(trimmed))
        guard let (end, comparison) = Self.firstOperator(in: trimmed) else {
            (field, test) = try Self.bare(trimmed)
            return
        }
        field = String(Self.trimmed(trimmed[..<end]))
        let value = String(Self.trimmed(trimmed[end...].dropFirst(comparison.rawValue.count)))
        test = .comparison(comparison, value)
        try ConditionMistake.refuse(text, field, comparison, value)
    }

    private static func bare(_ text: Substring) throws -> (String, Test) {
        let isNegated = text.hasPrefix("!")
        let rest = trimmed(isNegated ? text.dropFirst() : text)
        if rest.hasPrefix("exists("), rest.hasSuffix(")") {
            return (String(trimmed(rest.dropFirst(7).dropLast())), .isThere(!isNegated))
        }
        if rest.count > 1, rest.hasSuffix("?") { return (String(trimmed(rest.dropLast())), .isThere(!isNegated)) }
        try ConditionMistake.refuse(text, bareField: rest)
        return (String(rest), .isTrue(!isNegated))
    }

    static func firstOperator(in text: Substring) -> (Substring.Index, Comparison)? {
        let isPointer = text.hasPrefix("/")
        var place = text.startIndex
        while place < text.endIndex {
            let rest = text[place...]
            if isPointer, rest.hasPrefix("~0") || rest.hasPrefix("~1") {
                place = text.index(place, offsetBy: 2)
                continue
            }
            if let found = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) { return (place, found) }
            place = text.index(after: place)
        }
        return nil
    }

    static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0.isWhitespace }
        return start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)]
    }
}

// MARK: - As the protocol has it

extension ShortCondition {
    var json: Content {
        get throws {
            let path = Content.string(try ItemField(checking: field).pointer.utf8)
            func term(_ name: String, _ value: Content) -> Content { .object([("path", path), (name, value)]) }
            switch test {
            case .isTrue(let isTrue):
                let isFalse = Content.object([
                    ("or", .array([term("exists", .false)] + Self.falseValues.map { term("equals", $0) }))
                ])
                return isTrue ? .not(isFalse) : isFalse
            case .isThere(let isThere): return term("exists", isThere ? .true : .false)
            case .comparison(let comparison, let value): return try json(of: comparison, value, term)
            }
        }
    }

    /// The values that are present and not true.
    private static let falseValues: [Content] = [
        .false, .null, .number(0), .string("".utf8), .array([]), .object([]),
    ]

    private func json(
        of comparison: Comparison, _ value: String, _ term: (String, Content) -> Content
    ) throws -> Content {
        switch comparison {
        case .isEqual: return try alternatives(value).either { term("equals", $0) }
        case .isNot: return .not(try alternatives(value).either { term("equals", $0) })
        case .has: return try alternatives(value).either { term("contains", $0) }
        case .hasNot: return .not(try alternatives(value).either { term("contains", $0) })
        case .isExactly: return term("equals", try exact(value))
        case .isLess: return term("lessThan", try ordered(value))
        case .isAtMost: return term("atMost", try ordered(value))
        case .isGreater: return term("greaterThan", try ordered(value))
        case .isAtLeast: return term("atLeast", try ordered(value))
        }
    }

    private func alternatives(_ value: String) throws -> [Content] {
        if value.hasPrefix("\"") { return [try exact(value)] }
        let text = Content.string(value.utf8)
        guard let json = Content.parsed(value), JSONReader(json).isNull || JSONReader(json).text != nil else {
            return [text]
        }
        return [json, text]
    }

    private func ordered(_ value: String) throws -> Content {
        if value.isEmpty {
            throw ValidationError("\(field) is compared with nothing: write a value after the operator, as in 'cpu>10'")
        }
        if value.hasPrefix("\"") { return try exact(value) }
        guard let json = Content.parsed(value) else { return .string(value.utf8) }
        if JSONReader(json).isNumber { return json }
        throw ValidationError("\(value) has no order, so \(field) cannot be less or greater: use = or !=")
    }

    private func exact(_ value: String) throws -> Content {
        guard let json = Content.parsed(value) else {
            throw ValidationError(
                "\(field) is compared with \(value.debugDescription), which is not valid JSON; "
                    + (value.hasPrefix("\"") ? "close the quotation mark" : "for a string, use = in place of :="))
        }
        return json
    }
}

extension [Content] {
    fileprivate func either(_ term: (Content) -> Content) -> Content {
        count == 1 ? term(self[0]) : .object([("or", .array(map(term)))])
    }
}

extension Content {
    fileprivate static func not(_ condition: Content) -> Content { .object([("not", condition)]) }
}
