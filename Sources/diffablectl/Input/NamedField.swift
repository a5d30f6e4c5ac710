import Diffable
import DiffableInput

/// A field that an option names. A misspelt field would show nothing, so the user is warned of fields that no item has.
struct NamedField: Equatable, Sendable {
    enum Use: Equatable, Sendable {
        case shown
        /// Whether the field may be missing on purpose, as in `!done`.
        case absent
        /// Whether the condition tests if the field is true, as in `done`.
        case truth
        case compared
        case comparedWithNumber
        case sorted
        case sortedByNumber
    }

    let option: String
    let path: FieldPath
    let use: Use

    /// Nil for a field that every item has, and for one without a name.
    init?(_ field: ItemField, _ option: String, _ use: Use) {
        guard case .content(let path) = field, !path.names.isEmpty else { return nil }
        self.path = path
        self.option = option
        self.use = use
    }
}

extension SortOption {
    var namedField: NamedField? { NamedField(field, "--sort", isNumeric ? .sortedByNumber : .sorted) }
}

extension ItemColumn {
    var namedField: NamedField? {
        guard case .field(let field) = self else { return nil }
        return NamedField(field, "--columns", .shown)
    }
}

extension ShortCondition {
    func namedField(_ option: String) throws -> NamedField? {
        NamedField(try ItemField(checking: field), option, use)
    }

    private var use: NamedField.Use {
        let comparison: Comparison
        let value: String
        switch test {
        case .isTrue(let isTrue): return isTrue ? .truth : .absent
        case .isThere(let isThere): return isThere ? .compared : .absent
        case .comparison(let used, let text): (comparison, value) = (used, text)
        }
        switch comparison {
        case .isNot, .hasNot: return .absent
        case .isLess, .isAtMost, .isGreater, .isAtLeast: return isNumber(value) ? .comparedWithNumber : .compared
        case .isExactly: return isNumber(value) ? .comparedWithNumber : .compared
        case .isEqual, .has: return .compared
        }
    }

    private func isNumber(_ value: String) -> Bool { Content.parsed(value).map { JSONReader($0).isNumber } ?? false }
}

extension NamedField {
    /// The fields of a condition in JSON: each `path` at any depth.
    static func all(in condition: JSONReader, _ option: String) -> [NamedField] {
        condition.elements.flatMap { all(in: $0, option) }
            + condition.members.flatMap { name, value -> [NamedField] in
                guard name == "path", value.isString else { return all(in: value, option) }
                let field = try? ItemField(checking: value.plainText)
                return [field.flatMap { NamedField($0, option, .absent) }].compactMap(\.self)
            }
    }
}
