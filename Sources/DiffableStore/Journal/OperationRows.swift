import DiffableJSON

/// Operations as rows: each a JSON array of its own, no longer than a limit in bytes.
///
/// What one row has done is there for the next: a long operation goes on where it was broken off.
struct OperationRows {
    private var writer: OperationsWriter
    private var progress = Progress.more
    private let lengthMax: Int

    init(_ writer: OperationsWriter, lengthMax: Int) {
        self.writer = writer
        self.lengthMax = lengthMax
    }

    var isDone: Bool { progress == .done }

    /// There is always a first row, if only an empty array.
    mutating func next() -> [UInt8]? {
        guard !isDone else { return nil }
        var bytes = ByteWriter()
        bytes.append("[")
        progress = writer.write(into: &bytes, upTo: lengthMax - 1)
        bytes.append("]")
        return bytes.bytes
    }
}
