import Diffable

package struct Criterion: Sendable {
    let condition: Condition?
    let search: SearchText?
    /// Ranges of values, of which a matching item has at least one; nil if there are none to rely on.
    let anchors: [ValueRange]?

    /// Nil without any requirement.
    init?(condition: Condition?, search: SearchText?) {
        if condition == nil, search == nil { return nil }
        self.condition = condition
        self.search = search
        anchors = condition?.anchors
    }

    /// O(length of the content) for each test.
    @Sendable func isMet(by item: Item) -> Bool {
        (condition?.isMet(by: item) ?? true) && (search?.isFound(in: item) ?? true)
    }
}

extension Criterion {
    /// Ranges of values at a single path, of which a matching item has at least one; nil if there are none to rely on.
    package var spans: (path: ComparedPath, spans: [KeySpan])? {
        guard let anchors, let path = anchors.first?.path, anchors.allSatisfy({ $0.path == path }) else { return nil }
        return (ComparedPath(path: path), anchors.map(\.span))
    }

    /// The paths of the ranges that a `CriterionIndex` stores.
    package var comparedPaths: [ComparedPath] { anchors?.map { ComparedPath(path: $0.path) } ?? [] }

    /// Whether every item that matches this also matches another criterion with an equal condition. It compares the words of
    /// their searches.
    func isNarrower(than other: Criterion?) -> Bool {
        guard let search = other?.search else { return true }
        guard self.search?.places == search.places else { return false }
        return search.words.allSatisfy { word in self.search?.words.contains { $0.hasPart(word) } ?? false }
    }
}

package struct ComparedPath: Hashable, Sendable {
    let path: ContentPath

    /// Appends the item's sort key at this path; nothing if it has no ordered value there.
    @Sendable package func appendKey(of item: Item, to key: inout SortKey) {
        path.withValue(in: item) { $0?.appendKey(to: &key) }
    }
}

/// The values at a path between two others, both included, as `SortKey` orders them.
struct ValueRange: Equatable {
    let path: ContentPath
    var span: KeySpan
}

extension KeySpan {
    /// The estimated narrowness of the range: a greater number means fewer values.
    fileprivate var narrowness: Int {
        if first == last { return 2 }
        // From a value to the end of all values of its type, or from their beginning to a value.
        return first.count == 1 || last.count == 1 ? 0 : 1
    }

    fileprivate mutating func formIntersection(_ other: KeySpan) {
        if first.lexicographicallyPrecedes(other.first) { first = other.first }
        if other.last.lexicographicallyPrecedes(last) { last = other.last }
    }
}

extension Condition {
    fileprivate var anchors: [ValueRange]? {
        switch self {
        case .test(let path, let test): return test.span.map { [ValueRange(path: path, span: $0)] }
        case .not: return nil
        case .or(let conditions):
            var anchors: [ValueRange] = []
            for condition in conditions {
                guard let more = condition.anchors else { return nil }
                anchors += more
            }
            return anchors
        case .and(let conditions): return Self.anchors(ofAll: conditions)
        }
    }

    /// The ranges of the condition that seems to match the fewest items. Conditions on the same path are combined.
    private static func anchors(ofAll conditions: [Condition]) -> [ValueRange]? {
        var choices: [[ValueRange]] = []
        for condition in conditions {
            guard let anchors = condition.anchors else { continue }
            if anchors.count == 1,
                let place = choices.firstIndex(where: { $0.count == 1 && $0[0].path == anchors[0].path })
            {
                choices[place][0].span.formIntersection(anchors[0].span)
            } else {
                choices.append(anchors)
            }
        }
        func worth(_ anchors: [ValueRange]) -> (Int, Int) {
            (anchors.map(\.span.narrowness).min() ?? .max, -anchors.count)
        }
        return choices.max { worth($0) < worth($1) }
    }
}

extension Condition.Test {
    /// The range of the matching values; nil if they have no range, or several.
    fileprivate var span: KeySpan? {
        switch self {
        case .equals(let value): return KeySpan(first: value.key, last: value.key)
        case .lessThan(let value), .atMost(let value):
            return value.typeSpan.map { KeySpan(first: $0.first, last: value.key) }
        case .greaterThan(let value), .atLeast(let value):
            return value.typeSpan.map { KeySpan(first: value.key, last: $0.last) }
        case .prefix(let prefix):
            // No byte of UTF-8 is 0xFF.
            let start = Array(Scalar.text(prefix).key.dropLast(SortKey.textEndLength))
            return KeySpan(first: start, last: start + [0xFF])
        case .hasBytes, .contains, .exists: return nil
        }
    }
}

extension Scalar {
    fileprivate var key: [UInt8] {
        var key = SortKey()
        switch self {
        case .null: key.appendNull()
        case .boolean(let boolean): key.append(boolean)
        case .number(let number): key.append(number)
        case .text(var text): text.withUTF8 { key.append(UnsafeRawBufferPointer($0)) }
        }
        return key.bytes
    }

    /// All values of its type; nil for a type without an order.
    fileprivate var typeSpan: KeySpan? {
        switch self {
        case .null, .boolean: nil
        case .number, .text: KeySpan(first: [key[0]], last: [key[0] + 1])
        }
    }
}

extension ContentPath.Found {
    /// The sort key of a scalar; nil for an array or an object.
    var key: [UInt8]? {
        var key = SortKey()
        appendKey(to: &key)
        return key.bytes.isEmpty ? nil : key.bytes
    }

    /// Appends the sort key of a scalar; nothing for an array or an object. `appendText` appends the sort key of a text.
    func appendKey(
        to key: inout SortKey,
        appendText: (UnsafeRawBufferPointer, inout SortKey) -> Void = { text, key in key.append(text) }
    ) {
        switch self {
        case .text(let bytes): appendText(bytes, &key)
        case .value(let value):
            if let string = value.string {
                string.withUTF8 { appendText($0, &key) }
            } else if let number = value.number {
                key.append(number)
            } else if let boolean = value.boolean {
                key.append(boolean)
            } else if value.isNull {
                key.appendNull()
            }
        }
    }
}
