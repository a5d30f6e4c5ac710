/// The rows as a collection: `for row in snapshot.visibleRows`, `rows.filter { $0.level == 0 }`.
///
/// A row by its index costs O(sections + log n), and a loop over all of them O(n).
extension VisibleRows: RandomAccessCollection {
    /// The index of the first row, 0.
    public var startIndex: Int { 0 }
    /// The index after the last row: `count`.
    public var endIndex: Int { count }
    /// Finds all rows at once. O(n).
    public func makeIterator() -> IndexingIterator<[VisibleRow]> { all.makeIterator() }
}
