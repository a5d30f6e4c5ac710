import Diffable
import DiffableProtocol
import NIOCore

/// The set of lists as one client knows it, and the changes that it has yet to receive.
///
/// It is a value without a socket, a store or a clock. A list that changes several times before the client can be
/// notified is reported once, in its latest state. So a client that reads slowly takes no more memory than one name per
/// list.
struct ListsFollower {
    /// The lists that exist for the client, as far as it was notified.
    private(set) var known: Set<ListName>
    /// The lists that may have changed since the client was last notified.
    private var changed: Set<ListName> = []
    /// The lists still to report in the current update, in reverse order.
    private var rest: [ListName] = []
    private var hasWritten = false
    private var updateTimer: UpdateTimer?
    /// The time of the client's next update, if it may not begin now.
    private(set) var alarm: NIODeadline?

    /// - Parameter minInterval: milliseconds between two updates at least.
    init(known: Set<ListName>, minInterval: Int?) {
        self.known = known
        updateTimer = UpdateTimer(minInterval: minInterval, bookmark: nil)
    }

    var isUpToDate: Bool { changed.isEmpty }

    var numberOfChanged: Int { changed.count }

    /// Whether a reply about the list need not wait until this client is notified.
    func isSettled(for list: ListName) -> Bool { updateTimer != nil || !changed.contains(list) }

    /// Notes that the list may have changed.
    mutating func note(_ list: ListName) { changed.insert(list) }

    /// Notes that all lists may have changed.
    mutating func noteAll() { changed.formUnion(known) }

    /// Continues at the time of the alarm.
    mutating func wake() { alarm = nil }

    /// Returns the next line; nil if there is nothing to report, or not yet.
    ///
    /// - Parameters:
    ///   - isStopping: whether the client gets all changes before the daemon stops.
    ///   - summary: returns a list as it is for the client now; nil if it does not exist for the client.
    mutating func nextLine(
        at now: NIODeadline, isStopping: Bool, lineLengthMax: Int, _ summary: (ListName) -> Reply.ListSummary?
    ) -> ListsChangedWriter? {
        if rest.isEmpty {
            if changed.isEmpty { return nil }
            if !isStopping, let next = updateTimer?.earliestGroup(at: now) {
                alarm = next
                return nil
            }
            rest = changed.sorted(by: >)
            hasWritten = false
        }
        var line = ListsChangedWriter(lineLengthMax: lineLengthMax)
        while let list = rest.last {
            if changed.contains(list), !addSummary(of: list, summary, &line) { break }
            rest.removeLast()
            changed.remove(list)
        }
        hasWritten = hasWritten || !line.isEmpty
        if rest.isEmpty, hasWritten { updateTimer?.noteGroup(at: now) }
        return line.isEmpty ? nil : line
    }

    /// Adds a list to the line. Returns false if the line is full.
    private mutating func addSummary(
        of list: ListName, _ summary: (ListName) -> Reply.ListSummary?, _ line: inout ListsChangedWriter
    ) -> Bool {
        if let summary = summary(list) {
            guard line.add(summary) else { return false }
            known.insert(list)
        } else if known.contains(list) {
            guard line.add(unlisted: list) else { return false }
            known.remove(list)
        }
        return true
    }
}
