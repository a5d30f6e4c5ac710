import DiffableInput

/// Rows as unparsed bytes from the source. Equal bytes mean equal rows.
struct RawRows: Sendable {
    /// The names of the columns; nil if the rows are not records of a table.
    let columns: [String]?
    let bytes: [UInt8]
    let ends: [Int]
    /// Parses a row; its number is counted from 1.
    let read: @Sendable (_ image: ArraySlice<UInt8>, _ number: Int) throws(InputError) -> Row
    var place = ""

    var count: Int { ends.count }

    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    func row(_ index: Int) throws(InputError) -> Row { try read(bytes[range(index)], index + 1) }
}

extension RawRows {
    /// Nil if a row has a place or properties of its own.
    init?(_ rows: [Row], columns: [String]?, place: String) {
        var (bytes, ends, lines) = ([UInt8](), [Int](), [Int32]())
        for row in rows {
            guard row.appendImage(to: &bytes) else { return nil }
            ends.append(bytes.count)
            lines.append(Int32(clamping: row.line))
        }
        self.init(
            columns: columns, bytes: bytes, ends: ends,
            read: { [lines] (image, number) throws(InputError) in
                Row(image: image, line: Int(lines[number - 1]))
            }, place: place)
    }
}
