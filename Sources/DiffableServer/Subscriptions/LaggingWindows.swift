import Diffable

/// The windows that are brought up to date after the next polls of the sockets, because their users' share of the
/// current iteration of the event loop is used up. Longer windows are left to the background.
///
/// A user's windows that wait keep their order, over all lists. So none of them waits forever.
final class LaggingWindows {
    /// The rows of one user's windows that are brought up to date at once between two polls; then one more window. The
    /// background finds longer windows.
    private let rowsMax: Int
    /// Returns the number of polls so far.
    private let poll: () -> Int
    private var waiting = UserQueues<Audience>()
    /// The rows brought up to date since the poll `lastPoll`, by user.
    private var rows: [Int?: Int] = [:]
    private var lastPoll = 0

    init(rowsMax: Int = .max, poll: @escaping () -> Int = { 0 }) {
        self.rowsMax = rowsMax
        self.poll = poll
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// When a window is brought up to date.
    enum Admission {
        case now
        /// It is queued, and `Audience.catchUp` is called later.
        case later
        case inBackground
    }

    func admit(_ audience: Audience) -> Admission {
        let (rows, user) = (audience.rowsToFollow, audience.user.id)
        if rows > rowsMax { return .inBackground }
        if !waiting.hasElements(of: user), takeShare(rows, of: user) { return .now }
        waiting.append(audience, of: user)
        return .later
    }

    /// Brings windows up to date, after the sockets have been polled.
    func resume() {
        for _ in 0..<waiting.numberOfUsers {
            guard let user = waiting.beginTurn() else { return }
            while let audience = waiting.first(of: user), takeShare(audience.rowsToFollow, of: user) {
                _ = waiting.next(of: user)
                audience.catchUp()
            }
            waiting.endTurn(of: user)
        }
    }

    /// Takes a part of a user's share. Returns false if the share is used up.
    private func takeShare(_ count: Int, of user: Int?) -> Bool {
        let poll = poll()
        if poll != lastPoll {
            rows.removeAll(keepingCapacity: true)
            lastPoll = poll
        }
        let taken = rows[user, default: 0]
        guard taken < rowsMax else { return false }
        rows[user] = taken + count
        return true
    }
}

extension Window {
    /// The approximate work of extracting its rows from a list, in rows.
    func rowsToFollow(in list: Snapshot) -> Int {
        let neighbours = isMoving ? 2 * Sent.neighboursMax : 0
        return Self.rowsAlways + min(limit, list.numberOfItems) + pins.count + neighbours
            + (hasAllSections ? list.numberOfSections : 0)
    }

    private static let rowsAlways = 16
}
