/// Rows are read one after the other, too: `for row in snapshot.visibleRows`, `rows.filter { $0.level == 0 }`.
///
/// A row by its index costs O(sections + log n), and a loop over all of them O(n).
extension VisibleRows: RandomAccessCollection {
    /// Of the first row.
    public var startIndex: Int { 0 }
    /// Behind the last row: `count`.
    public var endIndex: Int { count }
    /// All rows, found at once. O(n).
    public func makeIterator() -> IndexingIterator<[VisibleRow]> { all.makeIterator() }
}
