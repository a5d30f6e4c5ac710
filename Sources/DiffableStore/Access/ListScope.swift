import Diffable

/// A set of list names, given as names and as prefixes with a trailing `*`.
package struct ListScope: Sendable, Equatable {
    private struct Pattern: Sendable, Equatable {
        /// Without the `*`.
        let bytes: [UInt8]
        let isPrefix: Bool

        init(_ pattern: ListName) {
            var bytes = pattern.record.withID { Array($0) }
            isPrefix = bytes.last == UInt8(ascii: "*")
            if isPrefix { bytes.removeLast() }
            self.bytes = bytes
        }

        func matches(_ name: some Sequence<UInt8>) -> Bool {
            isPrefix ? name.starts(with: bytes) : name.elementsEqual(bytes)
        }

        /// Whether this pattern matches every name that the other one matches.
        func covers(_ other: Pattern) -> Bool { matches(other.bytes) && (isPrefix || !other.isPrefix) }
    }

    /// In the order of their bytes. None of them covers another one.
    private let patterns: [Pattern]

    /// O(n log n)
    package init(_ patterns: [ListName]) { self.init(patterns.map(Pattern.init)) }

    private init(_ patterns: [Pattern]) {
        var kept: [Pattern] = []
        let sorted = patterns.sorted { a, b in
            a.bytes == b.bytes ? a.isPrefix && !b.isPrefix : a.bytes.lexicographicallyPrecedes(b.bytes)
        }
        // Everything that a prefix covers follows it directly.
        for pattern in sorted where kept.last?.covers(pattern) != true { kept.append(pattern) }
        self.patterns = kept
    }

    /// O(log n)
    package func contains(_ list: ListName) -> Bool {
        list.record.withID { name in candidate(for: name)?.matches(name) ?? false }
    }

    /// The names that are in both. O(n log n)
    package func intersection(_ other: ListScope) -> ListScope {
        ListScope(patterns.filter(other.covers) + other.patterns.filter(covers))
    }

    package var numberOfPatterns: Int { patterns.count }

    /// Memory of the patterns, in bytes.
    package var lengthInMemory: Int { patterns.reduce(0) { $0 + 64 + $1.bytes.count } }

    private func covers(_ pattern: Pattern) -> Bool { candidate(for: pattern.bytes)?.covers(pattern) ?? false }

    /// The last pattern whose bytes are not after the name. If any pattern matches the name, it is this one, because the bytes of
    /// all patterns between a prefix and a name begin with the prefix.
    private func candidate(for name: some Sequence<UInt8>) -> Pattern? {
        var range = patterns.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let isAfter = name.lexicographicallyPrecedes(patterns[middle].bytes)
            range = isAfter ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound > 0 ? patterns[range.lowerBound - 1] : nil
    }
}
