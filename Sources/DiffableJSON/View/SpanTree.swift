import Diffable

/// Numbered ranges of keys, searched for the ranges with a key. A treap (Seidel and Aragon, Randomized search trees, 1996) in
/// the order of the first keys, in which each node stores the last key of its subtree. Inserting or removing a range costs O(log
/// n); finding the ranges with a key costs O(log n) for each of them, and O(log n) if none has it.
final class SpanTree {
    private final class NumberedSpan {
        let span: KeySpan
        let number: Int
        let priority: UInt64
        var left: NumberedSpan?
        var right: NumberedSpan?
        var last: [UInt8]

        init(_ span: KeySpan, _ number: Int, _ priority: UInt64) {
            self.span = span
            self.number = number
            self.priority = priority
            last = span.last
        }

        func update() {
            last = span.last
            if let left, last.lexicographicallyPrecedes(left.last) { last = left.last }
            if let right, last.lexicographicallyPrecedes(right.last) { last = right.last }
        }

        func precedes(_ span: KeySpan, _ number: Int) -> Bool {
            if self.span.first != span.first { return self.span.first.lexicographicallyPrecedes(span.first) }
            if self.number != number { return self.number < number }
            return self.span.last.lexicographicallyPrecedes(span.last)
        }
    }

    private var root: NumberedSpan?
    private(set) var count = 0
    /// Any numbers work that are unrelated to the order of the ranges: Marsaglia's xorshift.
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

    var isEmpty: Bool { root == nil }

    func insert(_ span: KeySpan, _ number: Int) {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        let (before, after) = Self.split(root, at: span, number)
        root = Self.joined(Self.joined(before, NumberedSpan(span, number, random)), after)
        count += 1
    }

    func remove(_ span: KeySpan, _ number: Int) {
        root = Self.without(span, number, root)
        count -= 1
    }

    func forEach(holding key: [UInt8], _ body: (Int) -> Void) { Self.visit(root, key, body) }

    private static func visit(_ node: NumberedSpan?, _ key: [UInt8], _ body: (Int) -> Void) {
        var node = node
        while let here = node, !here.last.lexicographicallyPrecedes(key) {
            visit(here.left, key, body)
            // All nodes after it begin later still.
            if key.lexicographicallyPrecedes(here.span.first) { return }
            if !here.span.last.lexicographicallyPrecedes(key) { body(here.number) }
            node = here.right
        }
    }

    private static func split(_ node: NumberedSpan?, at span: KeySpan, _ number: Int) -> (NumberedSpan?, NumberedSpan?)
    {
        guard let node else { return (nil, nil) }
        defer { node.update() }
        if node.precedes(span, number) {
            let (before, after) = split(node.right, at: span, number)
            node.right = before
            return (node, after)
        }
        let (before, after) = split(node.left, at: span, number)
        node.left = after
        return (before, node)
    }

    private static func joined(_ a: NumberedSpan?, _ b: NumberedSpan?) -> NumberedSpan? {
        guard let a else { return b }
        guard let b else { return a }
        if a.priority > b.priority {
            a.right = joined(a.right, b)
            a.update()
            return a
        }
        b.left = joined(a, b.left)
        b.update()
        return b
    }

    private static func without(_ span: KeySpan, _ number: Int, _ node: NumberedSpan?) -> NumberedSpan? {
        guard let node else { preconditionFailure("a span that is taken out was put in") }
        if node.number == number, node.span == span { return joined(node.left, node.right) }
        if node.precedes(span, number) {
            node.right = without(span, number, node.right)
        } else {
            node.left = without(span, number, node.left)
        }
        node.update()
        return node
    }
}
