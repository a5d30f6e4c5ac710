import ArgumentParser
import Diffable
import DiffableInput
import DiffableJSON

/// A condition as people type it: `unread=true`, `cpu>10`, `.owner.name!=root`, `text~milk`, `due`, `!due`.
///
///     condition = field | "!" field | field operator value       something is there; nothing is; it is so
///     field     = "id" | "kind" | path                           FieldPath.swift says what a path is
///     operator  = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~" | ":="
///     value     = a JSON string | anything else, as it is written
///
/// - `=` finds what is written, as a string or as JSON: `n=1` finds 1 and "1", because tables have text only. A value in
///   quotation marks is a string alone, and after `:=` stands JSON alone. `!=` is where `=` is not, also where there is nothing.
/// - `<` and its like compare with numbers when the value is one, and otherwise with strings, by their bytes.
/// - `~` finds a string with this in it, or an array with this element. `!~` is where `~` is not.
///
/// White space around the operator does not count, and a value that begins as an operator does stands in quotation marks. A field ends where an operator begins; in a path with slashes `~0` and
/// `~1` belong to the name. What cannot be said so is said in JSON, as docs/protocol.md has it.
struct ShortCondition {
    enum Comparison: String, CaseIterable {
        // The longer ones first, because they are looked for in this order.
        case isExactly = ":="
        case isNot = "!="
        case isAtMost = "<="
        case isAtLeast = ">="
        case hasNot = "!~"
        case isEqual = "="
        case isLess = "<"
        case isGreater = ">"
        case has = "~"
    }

    enum Test {
        case isThere(Bool)
        case comparison(Comparison, String)
    }

    let field: String
    let test: Test

    init(_ text: String) throws {
        let trimmed = Self.trimmed(text[...])
        guard let (end, comparison) = Self.firstOperator(in: trimmed) else {
            let isNegated = trimmed.hasPrefix("!")
            field = String(Self.trimmed(isNegated ? trimmed.dropFirst() : trimmed))
            test = .isThere(!isNegated)
            return
        }
        field = String(Self.trimmed(trimmed[..<end]))
        let value = Self.trimmed(trimmed[end...].dropFirst(comparison.rawValue.count))
        test = .comparison(comparison, String(value))
        if field.hasPrefix("!") {
            throw ValidationError(
                "\(text.debugDescription): a ! before a field is where nothing is there; for the contrary of a comparison "
                    + "write != or !~")
        }
        // A slip such as == would silently mean another condition, and rm would carry it out.
        if let mark = value.first, "=~<>".contains(mark) {
            throw ValidationError(
                "\(text.debugDescription): there is no operator \(comparison.rawValue)\(mark), only "
                    + Comparison.allCases.map(\.rawValue).joined(separator: " ")
                    + "; a value that begins with \(mark) is written in quotation marks, \"…\"")
        }
        if field.isEmpty {
            throw ValidationError("\(text.debugDescription) names no field before its \(comparison.rawValue)")
        }
    }

    private static func firstOperator(in text: Substring) -> (Substring.Index, Comparison)? {
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

    private static func trimmed(_ text: Substring) -> Substring {
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
            guard case .comparison(let comparison, let value) = test else {
                guard case .isThere(let isThere) = test else { preconditionFailure("there is no third test") }
                return term("exists", isThere ? .true : .false)
            }
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
    }

    /// What the value may mean: JSON that is neither object nor array, and the text itself.
    private func alternatives(_ value: String) throws -> [Content] {
        if value.hasPrefix("\"") { return [try exact(value)] }
        let text = Content.string(value.utf8)
        guard let json = Content.parsed(value), JSONView(json).isNull || JSONView(json).text != nil else {
            return [text]
        }
        return [json, text]
    }

    private func ordered(_ value: String) throws -> Content {
        if value.isEmpty {
            throw ValidationError("\(field) is compared with nothing: write what is to be compared with")
        }
        if value.hasPrefix("\"") { return try exact(value) }
        guard let json = Content.parsed(value), JSONView(json).isNumber else { return .string(value.utf8) }
        return json
    }

    private func exact(_ value: String) throws -> Content {
        guard let json = Content.parsed(value) else {
            throw ValidationError("\(value.debugDescription), what \(field) is compared with, is no JSON")
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
