import Foundation

/// The places in a SQLite file that link its pages (https://www.sqlite.org/fileformat2.html).
///
/// A flipped bit there changes no row, but changes which rows exist and how they are found. So checksums of rows cannot detect
/// it, and in a file of long rows a random bit is rarely there.
struct PageMap {
    /// The offsets of the file header, page headers, pointers to cells, children and continuations.
    private(set) var structure: [Int] = []
    /// The offsets of the first bytes of rows: their lengths and keys.
    private(set) var keys: [Int] = []

    private static let pageLength = 4_096
    private static let fileHeadingLength = 100
    /// The approximate number of bytes in a row's lengths and key.
    private static let keyLength = 16

    init(_ file: Data) {
        for start in stride(from: 0, to: file.count, by: Self.pageLength) {
            let heading = start == 0 ? Self.fileHeadingLength : start
            structure += start..<heading
            switch file[heading] {
            case 2, 5: appendTree(of: file, start, heading, length: 12)
            case 10, 13: appendTree(of: file, start, heading, length: 8)
            // The rest of a long row, or a list of free pages.
            default: structure += heading..<heading + 8
            }
        }
    }

    private mutating func appendTree(of file: Data, _ start: Int, _ heading: Int, length: Int) {
        func number(at offset: Int) -> Int { Int(file[offset]) << 8 | Int(file[offset + 1]) }
        let isInterior = length == 12
        let cells = number(at: heading + 3)
        structure += heading..<heading + length + 2 * cells
        let childLength = isInterior ? 4 : 0
        for cell in 0..<cells {
            let child = start + number(at: heading + length + 2 * cell)
            let key = child + childLength
            structure += child..<key
            keys += key..<min(key + Self.keyLength, start + Self.pageLength)
        }
    }
}
