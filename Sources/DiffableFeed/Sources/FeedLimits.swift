import DiffableInput

/// How much a feed takes from its source, which may be hostile (docs/feeds-reference.md, "Limits").
enum FeedLimits {
    static let rowsMax = 1_000_000
    /// Items that a stream puts into a list.
    static let streamItemsMax = 100_000
    /// Bytes of a result: of a command's output, of a line of a stream, of a query's rows.
    static let sourceLengthMax = 64 << 20
    /// Columns of a table.
    static let columnsMax = 2_000
    /// Bytes of a table in aligned columns.
    static let alignedLengthMax = 4 << 20
    /// Files and folders of a directory, in all folders that are listed.
    static let filesMax = 200_000
    /// Bytes of memory that SQLite uses for all queries that run at a time.
    static let queryMemoryMax = 256 << 20

    /// Bytes of a database that is copied, with its log.
    static let copyLengthMax = 1 << 30

    static let input = InputLimits(
        rowsMax: rowsMax, sourceLengthMax: sourceLengthMax, columnsMax: columnsMax, alignedLengthMax: alignedLengthMax)
}
