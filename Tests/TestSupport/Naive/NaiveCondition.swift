// The conditions, the order and the search of views, as docs/protocol-views.md describes them.

package func naiveCondition(_ condition: NaiveJSON, isMetBy item: NaiveList.Element) -> Bool {
    if let all = condition["and"] { return all.elements.allSatisfy { naiveCondition($0, isMetBy: item) } }
    if let some = condition["or"] { return some.elements.contains { naiveCondition($0, isMetBy: item) } }
    if let not = condition["not"] { return !naiveCondition(not, isMetBy: item) }
    guard case .object(let tests) = condition, let path = condition["path"]?.string else { return false }
    let found = naiveValue(path, of: item)
    return tests.allSatisfy { test in
        switch test.name {
        case "path": true
        case "exists": (found != nil) == test.value.boolean
        case "equals": found.map { naiveEquals($0, test.value) } ?? false
        case "lessThan": naiveOrder(found, test.value).map { $0 < 0 } ?? false
        case "atMost": naiveOrder(found, test.value).map { $0 <= 0 } ?? false
        case "greaterThan": naiveOrder(found, test.value).map { $0 > 0 } ?? false
        case "atLeast": naiveOrder(found, test.value).map { $0 >= 0 } ?? false
        case "prefix":
            found?.string.map { $0.utf8.starts(with: (test.value.string ?? "").utf8) } ?? false
        case "contains":
            switch found {
            case .array(let elements)?: elements.contains { naiveEquals($0, test.value) }
            case .string(let string)?: test.value.string.map { $0.isEmpty || string.contains($0) } ?? false
            default: false
            }
        default: false
        }
    }
}

/// Returns the value at a path; nil without one.
package func naiveValue(_ path: String, of item: NaiveList.Element) -> NaiveJSON? {
    if path == "id" { return .string(item.id) }
    if path == "kind" { return item.kind.map { .string($0) } }
    var value = item.content
    for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
        switch value {
        case .object?: value = value?[String(part)]
        case .array(let elements)?: value = Int(part).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
        default: value = nil
        }
    }
    return value
}

private func naiveEquals(_ a: NaiveJSON, _ b: NaiveJSON) -> Bool {
    if let a = a.double, let b = b.double { return a == b }
    return a.text.utf8.elementsEqual(b.text.utf8)
}

/// Returns a negative number, a positive number or zero for the order of two values; nil if they have no order.
private func naiveOrder(_ a: NaiveJSON?, _ b: NaiveJSON) -> Int? {
    if let a = a?.double, let b = b.double { return a < b ? -1 : a > b ? 1 : 0 }
    guard let a = a?.string, let b = b.string else { return nil }
    return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : b.utf8.lexicographicallyPrecedes(a.utf8) ? 1 : 0
}

/// Whether one precedes the other in a `sort`.
package func naivePrecedes(_ a: NaiveJSON?, _ b: NaiveJSON?) -> Bool {
    func rank(_ value: NaiveJSON?) -> Int {
        switch value {
        case nil, .array?, .object?: 0
        case .null?: 1
        case .boolean(let boolean)?: boolean ? 3 : 2
        case .number?: 4
        case .string?: 5
        }
    }
    if rank(a) != rank(b) { return rank(a) < rank(b) }
    return b.flatMap { naiveOrder(a, $0) }.map { $0 < 0 } ?? false
}

/// Returns all strings in a value, at any depth, without names of members.
package func naiveStrings(_ value: NaiveJSON) -> [String] {
    switch value {
    case .string(let string): [string]
    case .array(let elements): elements.flatMap(naiveStrings)
    case .object(let members): members.flatMap { naiveStrings($0.value) }
    default: []
    }
}

/// Removes case and marks from the few letters that the model writes, by Unicode's tables.
@Sendable package func naiveFolding(_ text: String) -> String {
    let table: [Unicode.Scalar: String] = [
        "ß": "ss", "ẞ": "ss", "ﬁ": "fi", "İ": "i", "Σ": "σ", "ς": "σ", "Ο": "ο", "Φ": "φ", "ό": "ο", "Ό": "ο", "É": "e",
        "é": "e",
        "\u{301}": "", "\u{307}": "",
    ]
    return text.unicodeScalars.map { scalar in
        table[scalar] ?? (scalar.isASCII ? String(scalar).lowercased() : String(scalar))
    }.joined()
}
