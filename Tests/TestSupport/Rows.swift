import Diffable

/// The rows of a table in a user interface: nested rows in sections, changed only by index paths.
package struct Rows: Equatable {
    package var id = ""
    package var rows: [Rows] = []

    package init(_ snapshot: Snapshot) {
        rows = snapshot.sections.map { Rows(id: "\($0.id)", rows: $0.items.map(Rows.init)) }
    }

    private init(id: String, rows: [Rows]) { (self.id, self.rows) = (id, rows) }

    private init(_ item: Item) { self.init(id: "\(item.id)", rows: item.children.map(Rows.init)) }

    /// - Parameter new: the source of inserted rows, as a data source provides cells.
    package mutating func carryOut(_ changes: IndexPathChanges, asking new: Rows) {
        let moves = changes.movedSections + changes.movedItems
        let gone = changes.deletedSections.map { [$0] } + changes.deletedItems
        var taken: [[Int]: Rows] = [:]
        for path in (gone + moves.map(\.from)).sorted(by: { $1.lexicographicallyPrecedes($0) }) {
            taken[path] = remove(at: path[...])
        }
        var arriving: [[Int]: Rows] = [:]
        for move in moves { arriving[move.to] = taken[move.from] }
        let arrivals = Set(moves.map(\.to))
        for path in changes.insertedSections.map({ [$0] }) + changes.insertedItems {
            arriving[path] = new.row(at: path[...]).without(arrivals, at: path)
        }
        for path in arriving.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            if let row = arriving[path] { insert(row, at: path[...]) }
        }
    }

    private func row(at path: ArraySlice<Int>) -> Rows {
        path.first.map { rows[$0].row(at: path.dropFirst()) } ?? self
    }

    /// Inserted rows include new rows below them; rows that moved there arrive separately.
    private func without(_ arrivals: Set<[Int]>, at path: [Int]) -> Rows {
        var result = self
        result.rows = rows.enumerated().compactMap { index, row in
            arrivals.contains(path + [index]) ? nil : row.without(arrivals, at: path + [index])
        }
        return result
    }

    private mutating func remove(at path: ArraySlice<Int>) -> Rows {
        guard let first = path.first, path.count > 1 else { return rows.remove(at: path[path.startIndex]) }
        return rows[first].remove(at: path.dropFirst())
    }

    private mutating func insert(_ row: Rows, at path: ArraySlice<Int>) {
        guard let first = path.first, path.count > 1 else { return rows.insert(row, at: path[path.startIndex]) }
        rows[first].insert(row, at: path.dropFirst())
    }
}
