import Diffable
import DiffableJSON

/// The type of a table's column. Without an option it is text.
enum ColumnType: String, CaseIterable {
    case text
    case number
    case boolean
    /// Each value is JSON.
    case json

    /// Nil if the text is not of this type. An empty field is null, and so is `-` for a number: programs print that for "none".
    ///
    /// - Parameter decimalComma: whether `9,5` is a number.
    func content(of text: [UInt8], decimalComma: Bool) -> Content? {
        if self == .text { return .string(text) }
        let word = String(decoding: text, as: UTF8.self).trimmed
        if word.isEmpty { return ColumnType.null }
        switch self {
        case .text: return .string(text)
        case .number: return word == "-" ? ColumnType.null : ColumnType.number(word, decimalComma: decimalComma)
        case .boolean:
            switch word.lowercased() {
            case "true", "yes", "on", "1": return Content(Array("true".utf8))
            case "false", "no", "off", "0": return Content(Array("false".utf8))
            default: return nil
            }
        case .json: return word == "null" ? ColumnType.null : try? Content(json: word)
        }
    }

    private static let null = Content(Array("null".utf8))

    /// The number as JSON: without a plus sign and leading zeros, and with a digit on both sides of the point.
    private static func number(_ word: String, decimalComma: Bool) -> Content? {
        var word = word
        if decimalComma, !word.contains(".") { word = String(word.map { $0 == "," ? "." : $0 }) }
        guard let match = word.wholeMatch(of: #/([+-]?)([0-9]*)(?:\.([0-9]*))?([eE][+-]?[0-9]+)?/#) else { return nil }
        let (sign, whole, fraction, exponent) = (match.1, match.2, match.3 ?? "", match.4 ?? "")
        if whole.isEmpty, fraction.isEmpty { return nil }
        let digits = whole.drop { $0 == "0" }
        let text =
            (sign == "-" ? "-" : "") + (digits.isEmpty ? "0" : digits) + (fraction.isEmpty ? "" : ".\(fraction)")
            + exponent
        return Content(Array(text.utf8))
    }
}

extension String {
    fileprivate var trimmed: String {
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex
        return String(self[..<end].drop { $0.isWhitespace })
    }
}

/// The types of a table's columns, by name, as `--numbers` and `--types` say them.
package struct ColumnTypes: Equatable {
    private(set) var byName: [String: ColumnType] = [:]

    package var isEmpty: Bool { byName.isEmpty }

    /// - Parameters:
    ///   - numbers: `cpu,size`
    ///   - types: `cpu=number,on=boolean`
    package init(numbers: String? = nil, types: String? = nil) throws(InputError) {
        for name in numbers?.split(separator: ",").map(String.init) ?? [] { try set(name, .number) }
        for part in types?.split(separator: ",") ?? [] {
            let all = ColumnType.allCases.map(\.rawValue).joined(separator: ", ")
            guard let sign = part.lastIndex(of: "="),
                let type = ColumnType(rawValue: String(part[part.index(after: sign)...]))
            else { throw InputError("\(String(part).debugDescription) is no COLUMN=TYPE; the types are \(all)") }
            try set(String(part[..<sign]), type)
        }
    }

    /// Other options take `.cpu` for a field, so this one does too.
    private mutating func set(_ name: String, _ type: ColumnType) throws(InputError) {
        let name = name.hasPrefix(".") ? String(name.dropFirst()) : name
        guard byName.updateValue(type, forKey: name) == nil else {
            throw InputError("the column \(name) has its type said twice")
        }
    }

    func check(columns: [String]) throws(InputError) {
        for name in byName.keys.sorted() where !columns.contains(name) {
            throw InputError(
                FieldCheck.complaint("there is no column", name, "--numbers or --types", among: columns))
        }
    }

    subscript(_ column: String) -> ColumnType { byName[column] ?? .text }
}
