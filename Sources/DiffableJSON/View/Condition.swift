import Diffable

/// Selects items: the language of a view's `where`.
///
///     {"path":"/done","equals":false}
///     {"and":[{"path":"/due","lessThan":"2027"},{"not":{"path":"/tags","contains":"later"}}]}
///
/// A path is `id`, `kind`, or a JSON pointer into the content. Values are compared with values of the same type: numbers as
/// numbers, strings by their bytes. Values of different types are neither equal nor less nor greater.
indirect enum Condition: Sendable {
    case and([Condition])
    case or([Condition])
    case not(Condition)
    case test(ContentPath, Test)

    enum Test: Sendable {
        case equals(Scalar)
        /// An array or object with these bytes: contents are equal if their bytes are.
        case hasBytes([UInt8])
        case lessThan(Scalar)
        case atMost(Scalar)
        case greaterThan(Scalar)
        case atLeast(Scalar)
        /// A string that contains this string, or an array that contains this element.
        case contains(Scalar)
        case prefix(String)
        /// Whether there is a value, which may be `null`.
        case exists(Bool)
    }
}

extension Condition {
    /// O(length of the content) for each test.
    func isMet(by item: Item) -> Bool {
        switch self {
        case .and(let conditions): conditions.allSatisfy { $0.isMet(by: item) }
        case .or(let conditions): conditions.contains { $0.isMet(by: item) }
        case .not(let condition): !condition.isMet(by: item)
        case .test(let path, let test): path.withValue(in: item, test.isMet)
        }
    }
}

extension Condition {
    var numberOfTerms: Int {
        switch self {
        case .and(let conditions), .or(let conditions): conditions.reduce(1) { $0 + $1.numberOfTerms }
        case .not(let condition): 1 + condition.numberOfTerms
        case .test: 1
        }
    }

    var numberOfSegments: Int {
        switch self {
        case .and(let conditions), .or(let conditions): conditions.reduce(0) { $0 + $1.numberOfSegments }
        case .not(let condition): condition.numberOfSegments
        case .test(let path, _): path.numberOfSegments
        }
    }
}

extension Condition.Test {
    func isMet(by found: ContentPath.Found?) -> Bool {
        guard let found else {
            if case .exists(let wanted) = self { return !wanted }
            return false
        }
        switch self {
        case .exists(let wanted): return wanted
        case .contains(let element): return Self.contains(found, element)
        case .equals(let value): return Scalar(found) == value
        case .hasBytes(let bytes):
            guard case .value(let value) = found else { return false }
            return value.bytes.elementsEqual(bytes)
        case .lessThan(let value): return Scalar(found)?.precedes(value) ?? false
        case .atMost(let value): return value.precedes(found).map { !$0 } ?? false
        case .greaterThan(let value): return value.precedes(found) ?? false
        case .atLeast(let value): return Scalar(found)?.precedes(value).map { !$0 } ?? false
        case .prefix(let prefix):
            guard case .text(let text)? = Scalar(found) else { return false }
            return text.utf8.starts(with: prefix.utf8)
        }
    }

    private static func contains(_ found: ContentPath.Found, _ wanted: Scalar) -> Bool {
        if case .value(let value) = found, value.isArray {
            return value.elements.contains { Scalar($0) == wanted }
        }
        guard case .text(let text)? = Scalar(found), case .text(let part) = wanted else { return false }
        return Array(text.utf8).hasPart(Array(part.utf8))
    }
}

extension Scalar {
    fileprivate func precedes(_ found: ContentPath.Found) -> Bool? { Scalar(found).flatMap(precedes) }
}
