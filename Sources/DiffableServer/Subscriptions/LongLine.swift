import DiffableJSON
import DiffableProtocol

/// What is left of a line that is written page by page.
struct LongLine {
    /// Where in all the lines of its audience this page stands.
    let place: Position
    private var writer: LongLineWriter

    struct Position: Hashable {
        /// Of the line, among those that the audience made.
        let line: Int
        let page: Int
    }

    /// In bytes.
    static let pageLength = 64 << 10

    init(_ place: Position, _ writer: LongLineWriter) {
        self.place = place
        self.writer = writer
    }

    /// The next page, and what is left after it.
    func page() -> Page {
        var writer = writer
        var bytes = ByteWriter()
        bytes.reserve(Self.pageLength)
        let progress = writer.write(into: &bytes, upTo: Self.pageLength)
        let next = Position(line: place.line, page: place.page + 1)
        return Page(bytes: bytes, rest: progress == .done ? nil : LongLine(next, writer))
    }
}

struct Page {
    let bytes: ByteWriter
    let rest: LongLine?
}

/// The pages that were made last, for those who read the same line at about the same time.
///
/// Whoever needs one that is not kept any more makes it again: so somebody who stops in the middle of a line holds where
/// it is, and none of it.
struct LongLinePages {
    private var pages: [LongLine.Position: Page] = [:]
    private var linesMade = 0
    /// How many are in the middle of a line.
    private var readers = 0

    /// With `LongLine.pageLength`, a megabyte.
    private static let pagesMax = 16

    /// For a line whose first page is written already.
    mutating func newLine(_ writer: LongLineWriter) -> LongLine {
        linesMade += 1
        return LongLine(LongLine.Position(line: linesMade, page: 1), writer)
    }

    mutating func page(of line: LongLine) -> Page {
        if let page = pages[line.place] { return page }
        let page = line.page()
        if readers > 1 {
            if pages.count >= Self.pagesMax { pages.removeAll(keepingCapacity: true) }
            pages[line.place] = page
        }
        return page
    }

    /// Somebody begins to read a line.
    mutating func enter() { readers += 1 }

    /// Somebody has read its line, or reads no more.
    mutating func leave() {
        readers -= 1
        if readers == 0 { pages = [:] }
    }
}
