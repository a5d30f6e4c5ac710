import DequeModule
import DiffableJSON
import DiffableProtocol

/// What is left of an update that does not fit one page: more of its line, or other lines.
///
/// It holds where the update is, and none of it: who stops in the middle costs no page.
struct UpdateRest {
    /// Where in all updates the next page stands.
    let place: Place
    private let writer: Writer

    struct Place: Hashable {
        let update: UpdatePages.Number
        let page: Int
    }

    enum Writer {
        /// Several lines, each a page.
        case lines(NotificationWriter, lineLengthMax: Int)
        /// One line in as many pages as it takes.
        case line(LongLineWriter)
    }

    /// In bytes; a line of operations may be as long as its reader takes it.
    static let pageLength = 64 << 10

    init(_ place: Place, _ writer: Writer) {
        self.place = place
        self.writer = writer
    }

    /// Whether the next page goes on in the middle of a line.
    var isInsideLine: Bool {
        switch writer {
        case .lines: false
        case .line: true
        }
    }

    /// Nil when its lines are as long, or when it is one line.
    fileprivate func writer(lineLengthMax: Int) -> Writer? {
        guard case .lines(let lines, let length) = writer, length != lineLengthMax else { return nil }
        return .lines(lines, lineLengthMax: lineLengthMax)
    }

    /// The next page, with what is left after it.
    fileprivate func page(to subscription: Int) -> EncodedUpdate {
        let next = Place(update: place.update, page: place.page + 1)
        switch writer {
        case .lines(var lines, let lineLengthMax):
            return EncodedUpdate(
                lines.method, to: subscription, .operations(lineLengthMax: lineLengthMax), capacity: Self.pageLength
            ) { bytes in
                let progress = lines.writeRest(into: &bytes, lineLengthMax: lineLengthMax)
                return progress == .done ? nil : UpdateRest(next, .lines(lines, lineLengthMax: lineLengthMax))
            }
        case .line(var line):
            var bytes = ByteWriter()
            bytes.reserve(Self.pageLength)
            let progress = line.write(into: &bytes, upTo: Self.pageLength)
            let rest = progress == .done ? nil : UpdateRest(next, .line(line))
            return EncodedUpdate(continuing: bytes, line.method, rest)
        }
    }
}

/// The pages that several who read the same update still need, of all updates.
///
/// A page is made for the first who can take it, kept for those behind, and let go of when the last of them has taken
/// it. No more than `pagesMax` are kept: whoever comes to a page that has gone makes it again, for itself and for those
/// behind. So what is kept is bounded however many read, and however slowly. The first few pages, which fill a socket, stay as
/// long as the update is read: those who begin at about one time begin one after the other.
///
/// When there is no room for another, the oldest goes, which whoever has stopped is left behind with. But as long as
/// somebody still takes old ones, they stay, and the new one is not kept: otherwise those who are just too far behind
/// would find each page gone, and nothing would be shared.
final class UpdatePages {
    typealias Number = Int

    private var readings: [Number: Reading] = [:]
    private var pages: [UpdateRest.Place: (page: EncodedUpdate, number: Int)] = [:]
    private var timesKept = 0
    /// How many pages were taken, and how many there were when somebody took an old one.
    private var timesTaken = 0
    private var lastTakenOld = Int.min / 2
    /// The order in which they came to be kept, oldest first. Those that have gone are skipped.
    private var order: Deque<UpdateRest.Place> = []
    private var updatesMade = 0
    /// Also those that were not kept.
    private(set) var pagesMade = 0

    /// Who reads one update.
    private struct Reading {
        /// How many, by the number of the page that they take next.
        var readers: [Int: Int] = [:]
        /// Behind the last page that was kept.
        var end = 0

        var first: Int? { readers.keys.min() }
    }

    /// With `UpdateRest.pageLength`, sixteen megabytes.
    private let pagesMax: Int

    /// What a socket takes beside the first page.
    private static let firstPages = 4

    init(pagesMax: Int = 256) { self.pagesMax = pagesMax }

    var pagesKept: Int { pages.count }

    /// For an update whose first page is written already.
    func rest(_ writer: UpdateRest.Writer) -> UpdateRest {
        updatesMade += 1
        return UpdateRest(UpdateRest.Place(update: updatesMade, page: 1), writer)
    }

    // MARK: Readers

    /// What is left for a reader that takes lines of this length by now; nearly always the same.
    func change(_ rest: UpdateRest, lineLengthMax: Int) -> UpdateRest {
        guard let other = rest.writer(lineLengthMax: lineLengthMax) else { return rest }
        leave(rest)
        let changed = self.rest(other)
        enter(changed)
        return changed
    }

    /// Somebody is going to take what is left of an update.
    func enter(_ rest: UpdateRest) {
        readings[rest.place.update, default: Reading()].readers[rest.place.page, default: 0] += 1
    }

    /// The page that a reader takes now. It goes on with what is left after that, if anything is.
    func take(_ rest: UpdateRest, to subscription: Int) -> EncodedUpdate {
        let page: EncodedUpdate
        timesTaken += 1
        if let (kept, number) = pages[rest.place] {
            page = kept.addressed(to: subscription)
            if page !== kept { pages[rest.place] = (page, number) }
            if number < timesKept - pagesMax / 2 { lastTakenOld = timesTaken }
        } else {
            page = rest.page(to: subscription)
            pagesMade += 1
            if rest.place.page <= Self.firstPages || hasReaders(behind: rest) { keep(page, at: rest.place) }
        }
        if let next = page.rest { enter(next) }
        leave(rest)
        return page
    }

    /// Somebody has taken the next page, or takes no more.
    func leave(_ rest: UpdateRest) {
        let (update, number) = (rest.place.update, rest.place.page)
        guard var reading = readings[update], let count = reading.readers[number] else { return }
        // Taken out and put back, so that it is not copied.
        readings[update] = nil
        reading.readers[number] = count > 1 ? count - 1 : nil
        guard let first = reading.first else {
            drop(from: 1, to: min(reading.end, Self.firstPages + 1), of: update)
            return drop(from: number, to: reading.end, of: update)
        }
        readings[update] = reading
        if count == 1 { drop(from: max(number, Self.firstPages + 1), to: min(first, reading.end), of: update) }
    }

    /// Nobody needs these any more. There may be none.
    private func drop(from first: Int, to end: Int, of update: Number) {
        for page in first..<max(first, end) { pages[UpdateRest.Place(update: update, page: page)] = nil }
    }

    private func keep(_ page: EncodedUpdate, at place: UpdateRest.Place) {
        if pages.count >= pagesMax, timesTaken - lastTakenOld < 8 * pagesMax { return }
        while pages.count >= pagesMax, let oldest = order.popFirst() { pages[oldest] = nil }
        timesKept += 1
        pages[place] = (page, timesKept)
        order.append(place)
        if order.count > 2 * pagesMax { order.removeAll { pages[$0] == nil } }
        let end = readings[place.update]?.end ?? 0
        readings[place.update]?.end = max(end, place.page + 1)
    }

    /// Whether somebody else is to take the page that is taken now.
    private func hasReaders(behind rest: UpdateRest) -> Bool {
        guard let readers = readings[rest.place.update]?.readers else { return false }
        return readers.contains { $0.key < rest.place.page || $0.key == rest.place.page && $0.value > 1 }
    }
}
