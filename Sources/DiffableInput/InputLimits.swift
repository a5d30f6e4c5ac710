import Diffable

/// Limits of input from another user, so that it cannot use up the memory of a program that reads many inputs.
package struct InputLimits: Equatable, Sendable {
    /// Rows, or items of a snapshot.
    package var rowsMax: Int
    /// Bytes of the rows: their contents as JSON, and their ids.
    package var sourceLengthMax: Int
    package var columnsMax: Int
    /// Bytes of a table in aligned columns, which takes a hundred times its length while it is read.
    package var alignedLengthMax: Int

    /// For input from the program's own user.
    package static let none = InputLimits(
        rowsMax: .max, sourceLengthMax: .max, columnsMax: .max, alignedLengthMax: .max)

    package init(rowsMax: Int, sourceLengthMax: Int, columnsMax: Int, alignedLengthMax: Int) {
        self.rowsMax = rowsMax
        self.sourceLengthMax = sourceLengthMax
        self.columnsMax = columnsMax
        self.alignedLengthMax = alignedLengthMax
    }

    package func excess(rows: Int, length: Int = 0) -> InputError? {
        if rows > rowsMax { return InputError("there are more than \(grouped(rowsMax)) rows (rowsMax); select fewer") }
        if length > sourceLengthMax {
            return InputError(
                "the rows are longer than \(grouped(sourceLengthMax)) bytes (sourceLengthMax); select fewer rows or columns"
            )
        }
        return nil
    }

    func checkAligned(_ text: ArraySlice<UInt8>) throws(InputError) {
        guard text.count > alignedLengthMax else { return }
        throw InputError(
            "the table is longer than \(grouped(alignedLengthMax)) bytes (alignedLengthMax), the most for \(.from, "columns"); "
                + "have the program print fewer rows, or CSV or JSON")
    }
}

struct RowCollector {
    private(set) var rows: [Row] = []
    private var length = 0
    private let limits: InputLimits

    init(_ limits: InputLimits) { self.limits = limits }

    mutating func append(_ row: Row) throws(InputError) {
        length += row.content.bytes.count + (row.id?.count ?? 0) + (row.parent?.count ?? 0)
        if let excess = limits.excess(rows: rows.count + 1, length: length) { throw excess }
        rows.append(row)
    }
}
