import DiffableInput

/// Rows as the bytes that a source gives for them, before anything is made of them: two that are the same bytes are the same row.
struct RowImages: Sendable {
    /// What their parts are called; nil for rows that are no records of a table.
    let columns: [String]?
    let bytes: [UInt8]
    /// Where each of them ends.
    let ends: [Int]
    /// Makes a row of its image; the number is counted from 1.
    let read: @Sendable (_ image: ArraySlice<UInt8>, _ number: Int) throws(InputError) -> Row
    /// What stands before a message that they are none.
    var place = ""

    var count: Int { ends.count }

    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    func row(_ index: Int) throws(InputError) -> Row { try read(bytes[range(index)], index + 1) }
}

extension RowImages {
    /// Nil when there are rows that have a place or properties of their own.
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
