/// What an item is sorted by: the values of some members of its content, the first one first.
package struct SortKey: Sendable {
    package var values: [SortValue]

    package init(_ values: [SortValue]) { self.values = values }
}

/// One value of a sort key. Values of different sorts stand in the order of the cases.
package enum SortValue: Sendable {
    /// The content has no such member, or an array or object there.
    case absent
    case null
    case boolean(Bool)
    case number(Double)
    /// By scalars, as UTF-8 is.
    case string(String)
    /// Compares the other way round.
    indirect case descending(SortValue)
}

extension SortValue {
    private var rank: Int {
        switch self {
        case .absent: 0
        case .null: 1
        case .boolean: 2
        case .number: 3
        case .string: 4
        case .descending(let value): value.rank
        }
    }

    /// Negative when this one comes first, positive when the other does.
    fileprivate func compare(_ other: SortValue) -> Int {
        switch (self, other) {
        case (.descending(let a), .descending(let b)): b.compare(a)
        case (.boolean(let a), .boolean(let b)): (a ? 1 : 0) - (b ? 1 : 0)
        case (.number(let a), .number(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.string(let a), .string(let b)):
            a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars)
                ? -1 : b.unicodeScalars.lexicographicallyPrecedes(a.unicodeScalars) ? 1 : 0
        default: rank - other.rank
        }
    }
}

extension SortKey: Comparable {
    package static func == (a: SortKey, b: SortKey) -> Bool { a.compare(b) == 0 }

    package static func < (a: SortKey, b: SortKey) -> Bool { a.compare(b) < 0 }

    private func compare(_ other: SortKey) -> Int {
        for (a, b) in zip(values, other.values) {
            let order = a.compare(b)
            if order != 0 { return order }
        }
        return 0
    }
}
