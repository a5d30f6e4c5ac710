import Diffable
import DiffableJSON

enum ColumnType: String, CaseIterable {
    case text
    case number
    case boolean
    case json

    /// Nil if the text is not of this type. An empty field is null, and so is `-` for a number: programs print that for "none".
    /// `decimalComma` says whether `9,5` is a number.
    func content(of text: [UInt8], decimalComma: Bool) -> Content? {
        if self == .text { return .string(text) }
        let word = FormatGuess.trimmed(text[...])
        if word.isEmpty { return .null }
        switch self {
        case .text: return .string(text)
        case .number: return word.elementsEqual("-".utf8) ? .null : ColumnType.number(word, decimalComma: decimalComma)
        case .boolean:
            switch String(decoding: word, as: UTF8.self).lowercased() {
            case "true", "yes", "on", "1": return .true
            case "false", "no", "off", "0": return .false
            default: return nil
            }
        case .json: return Content.parsed(Array(word))
        }
    }

    /// The number as JSON: without a plus sign and leading zeros, and with a digit on both sides of the point.
    private static func number(_ word: ArraySlice<UInt8>, decimalComma: Bool) -> Content? {
        var rest = word
        func digits() -> ArraySlice<UInt8> {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest[digits.endIndex...]
            return digits
        }
        func sign() -> UInt8? {
            rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") ? rest.popFirst() : nil
        }
        let isNegative = sign() == UInt8(ascii: "-")
        let whole = digits()
        var fraction: ArraySlice<UInt8> = []
        // If a number has both a point and a comma, one of them separates thousands.
        if rest.first == UInt8(ascii: ".") || (decimalComma && rest.first == UInt8(ascii: ",")) {
            rest.removeFirst()
            fraction = digits()
        }
        if whole.isEmpty, fraction.isEmpty { return nil }
        let exponent = rest
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            _ = sign()
            if digits().isEmpty { return nil }
        }
        guard rest.isEmpty else { return nil }
        var number: [UInt8] = []
        number.reserveCapacity(word.count + 2)
        if isNegative { number.append(UInt8(ascii: "-")) }
        let significant = whole.drop { $0 == UInt8(ascii: "0") }
        number += significant.isEmpty ? [UInt8(ascii: "0")] : significant
        if !fraction.isEmpty { number += [UInt8(ascii: ".")] + fraction }
        number += exponent
        return Content(number)
    }
}

/// The types of a table's columns by name, from `--numbers` and `--types`.
package struct ColumnTypes: Equatable {
    private(set) var byName: [String: ColumnType] = [:]

    package var isEmpty: Bool { byName.isEmpty }

    /// From `cpu,size` and `cpu=number,on=boolean`.
    package init(numbers: String? = nil, types: String? = nil) throws(InputError) {
        for name in numbers?.split(separator: ",").map(String.init) ?? [] { try set(name, .number) }
        for part in types?.split(separator: ",") ?? [] {
            let all = ColumnType.allCases.map(\.rawValue).joined(separator: ", ")
            guard let sign = part.lastIndex(of: "="),
                let type = ColumnType(rawValue: String(part[part.index(after: sign)...]))
            else {
                throw InputError("\(.types): \(String(part).debugDescription) is not COLUMN=TYPE; the types are \(all)")
            }
            try set(String(part[..<sign]), type)
        }
    }

    /// Accepts `.cpu` and `/No.` too, as other options do.
    private mutating func set(_ name: String, _ type: ColumnType) throws(InputError) {
        let name = FieldPath(ofRow: name)?.name ?? name
        guard byName.updateValue(type, forKey: name) == nil else {
            throw InputError(
                "the type of the column \(name) is given twice; name the column once in \(.numbers) or \(.types)")
        }
    }

    func check(columns: [String]) throws(InputError) {
        for name in byName.keys.sorted() where !columns.contains(name) {
            throw InputError(
                FieldCheck.complaint(
                    "there is no column", name, "\(.numbers) or \(.types)", among: columns.map { FieldPath.naming($0) })
            )
        }
    }

    subscript(_ column: String) -> ColumnType { byName[column] ?? .text }
}
