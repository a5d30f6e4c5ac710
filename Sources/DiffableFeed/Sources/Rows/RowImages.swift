import DiffableInput

/// Rows as the bytes that a source gives for them, before anything is made of them: two that are the same bytes are the same row.
struct RowImages: Sendable {
    /// What their parts are called.
    let columns: [String]
    let bytes: [UInt8]
    /// Where each of them ends.
    let ends: [Int]
    /// Makes a row of its image; the number is counted from 1.
    let read: @Sendable (_ image: ArraySlice<UInt8>, _ number: Int) throws(InputError) -> Row

    var count: Int { ends.count }

    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    func row(_ index: Int) throws(InputError) -> Row { try read(bytes[range(index)], index + 1) }
}
