import DequeModule
import DiffableJSON
import DiffableProtocol

/// The rest of an update that does not fit one page: more of its line, or other lines.
///
/// It holds a position in the update and no bytes, so a reader that stops in the middle costs no page.
struct UpdateRemainder {
    /// The position of the next page among all updates.
    let place: PageID
    private let writer: Writer

    struct PageID: Hashable {
        let update: UpdatePages.Number
        let page: Int
    }

    enum Writer {
        /// Several lines, each of them a page.
        case lines(NotificationWriter, lineLengthMax: Int)
        /// One line in as many pages as it needs.
        case line(LongLineWriter)
    }

    /// Bytes of a page. A line of operations may be as long as its reader accepts.
    static let pageLength = 64 << 10

    init(_ place: PageID, _ writer: Writer) {
        self.place = place
        self.writer = writer
    }

    /// Whether the next page continues in the middle of a line.
    var isInsideLine: Bool {
        switch writer {
        case .lines: false
        case .line: true
        }
    }

    /// The same rest in lines of another length; nil if the length is unchanged, or if the rest belongs to one line.
    fileprivate func writer(lineLengthMax: Int) -> Writer? {
        guard case .lines(let lines, let length) = writer, length != lineLengthMax else { return nil }
        return .lines(lines, lineLengthMax: lineLengthMax)
    }

    /// Writes the next page, with the rest after it.
    fileprivate func page(to subscription: Int) -> EncodedUpdate {
        let next = PageID(update: place.update, page: place.page + 1)
        switch writer {
        case .lines(var lines, let lineLengthMax):
            return EncodedUpdate(
                lines.method, to: subscription, .operations(lineLengthMax: lineLengthMax), capacity: Self.pageLength
            ) { bytes in
                let progress = lines.writeRest(into: &bytes, lineLengthMax: lineLengthMax)
                return progress == .done ? nil : UpdateRemainder(next, .lines(lines, lineLengthMax: lineLengthMax))
            }
        case .line(var line):
            var bytes = ByteWriter()
            bytes.reserve(Self.pageLength)
            let progress = line.write(into: &bytes, upTo: Self.pageLength)
            let rest = progress == .done ? nil : UpdateRemainder(next, .line(line))
            return EncodedUpdate(continuing: bytes, line.method, rest)
        }
    }
}

/// The pages that several readers of the same update still need, for all updates.
///
/// A page is made for the first reader that can take it, kept for slower readers, and dropped when the last of them has
/// taken it. At most `pagesMax` pages are kept: a reader that needs a dropped page makes it again, for itself and for
/// the readers after it. So memory is bounded for any number of readers of any speed. The first few pages, which fill a
/// socket, are kept as long as the update is read, because readers that begin at about the same time begin one after
/// the other.
///
/// When the cache is full, the oldest page is evicted: only a stalled reader still needs it. But while readers still
/// take old pages, these are kept and the new page is not: otherwise readers that are slightly too slow would find each
/// page evicted, and would share nothing.
final class UpdatePages {
    typealias Number = Int

    private var readings: [Number: UpdateReaders] = [:]
    private var pages: [UpdateRemainder.PageID: (page: EncodedUpdate, number: Int)] = [:]
    private var timesKept = 0
    /// The number of pages taken so far, and that number when an old page was last taken.
    private var timesTaken = 0
    private var lastTakenOld = Int.min / 2
    /// The places of kept pages, oldest first. Evicted ones are skipped.
    private var order: Deque<UpdateRemainder.PageID> = []
    private var updatesMade = 0
    /// Pages made so far, including those that were not kept.
    private(set) var pagesMade = 0

    /// The readers of one update.
    private struct UpdateReaders {
        /// The number of readers, by the number of the page that they take next.
        var readers: [Int: Int] = [:]
        /// The number after the last page that was kept.
        var end = 0

        var first: Int? { readers.keys.min() }
    }

    /// Pages kept at most: 16 MiB with `UpdateRemainder.pageLength`.
    private let pagesMax: Int

    /// Pages that a socket takes after the first one.
    private static let firstPages = 4

    init(pagesMax: Int = 256) { self.pagesMax = pagesMax }

    var pagesKept: Int { pages.count }

    /// Returns the rest of an update whose first page is already written.
    func makeRemainder(_ writer: UpdateRemainder.Writer) -> UpdateRemainder {
        updatesMade += 1
        return UpdateRemainder(UpdateRemainder.PageID(update: updatesMade, page: 1), writer)
    }

    // MARK: Readers

    /// Returns the rest for the reader's current line length, which rarely changes.
    func adapted(_ rest: UpdateRemainder, lineLengthMax: Int) -> UpdateRemainder {
        guard let other = rest.writer(lineLengthMax: lineLengthMax) else { return rest }
        removeReader(of: rest)
        let changed = self.makeRemainder(other)
        addReader(of: changed)
        return changed
    }

    /// Registers a reader that is going to take the rest of an update.
    func addReader(of rest: UpdateRemainder) {
        readings[rest.place.update, default: UpdateReaders()].readers[rest.place.page, default: 0] += 1
    }

    /// Returns the next page for a reader, and registers the reader for the page after it, if there is one.
    func takePage(_ rest: UpdateRemainder, to subscription: Int) -> EncodedUpdate {
        let page: EncodedUpdate
        timesTaken += 1
        if let (kept, number) = pages[rest.place] {
            page = kept.addressed(to: subscription)
            if page !== kept { pages[rest.place] = (page, number) }
            if number < timesKept - pagesMax / 2 { lastTakenOld = timesTaken }
        } else {
            page = rest.page(to: subscription)
            pagesMade += 1
            if rest.place.page <= Self.firstPages || hasReaders(behind: rest) { cachePage(page, at: rest.place) }
        }
        if let next = page.rest { addReader(of: next) }
        removeReader(of: rest)
        return page
    }

    /// Unregisters a reader that has taken the next page, or takes no more pages.
    func removeReader(of rest: UpdateRemainder) {
        let (update, number) = (rest.place.update, rest.place.page)
        guard var reading = readings[update], let count = reading.readers[number] else { return }
        // Removed and put back, so that it is not copied.
        readings[update] = nil
        reading.readers[number] = count > 1 ? count - 1 : nil
        guard let first = reading.first else {
            drop(from: 1, to: min(reading.end, Self.firstPages + 1), of: update)
            return drop(from: number, to: reading.end, of: update)
        }
        readings[update] = reading
        if count == 1 { drop(from: max(number, Self.firstPages + 1), to: min(first, reading.end), of: update) }
    }

    /// Drops a range of pages that no reader needs. It may be empty.
    private func drop(from first: Int, to end: Int, of update: Number) {
        for page in first..<max(first, end) { pages[UpdateRemainder.PageID(update: update, page: page)] = nil }
    }

    private func cachePage(_ page: EncodedUpdate, at place: UpdateRemainder.PageID) {
        if pages.count >= pagesMax, timesTaken - lastTakenOld < 8 * pagesMax { return }
        while pages.count >= pagesMax, let oldest = order.popFirst() { pages[oldest] = nil }
        timesKept += 1
        pages[place] = (page, timesKept)
        order.append(place)
        if order.count > 2 * pagesMax { order.removeAll { pages[$0] == nil } }
        let end = readings[place.update]?.end ?? 0
        readings[place.update]?.end = max(end, place.page + 1)
    }

    /// Whether another reader has yet to take the current page.
    private func hasReaders(behind rest: UpdateRemainder) -> Bool {
        guard let readers = readings[rest.place.update]?.readers else { return false }
        return readers.contains { $0.key < rest.place.page || $0.key == rest.place.page && $0.value > 1 }
    }
}
