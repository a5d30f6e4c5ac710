import Diffable
import DiffableProtocol
import NIOCore

/// What one client was told of the set of lists, and what it has still to be told.
///
/// It is a value without a socket, a store or a clock. A list that changes several times before the client can be told is told
/// once, as it is then. So a client that reads slowly takes no more memory than one name for each list.
struct ListsFollower {
    /// The lists that exist for the client, as far as it was told.
    private(set) var known: Set<ListName>
    /// The lists that may be different from what the client was told.
    private var changed: Set<ListName> = []
    /// The rest of the update that was begun, the first list last.
    private var rest: [ListName] = []
    private var hasWritten = false
    private var pace: Pace?
    /// When the client may get the next update, if that is not now.
    private(set) var alarm: NIODeadline?

    /// - Parameter minInterval: in milliseconds, between two updates.
    init(known: Set<ListName>, minInterval: Int?) {
        self.known = known
        pace = Pace(minInterval: minInterval, bookmark: nil)
    }

    var isUpToDate: Bool { changed.isEmpty }

    var numberOfChanged: Int { changed.count }

    /// Whether a reply about the list need not wait for this client to be told.
    func isSettled(for list: ListName) -> Bool { pace != nil || !changed.contains(list) }

    /// The list may be different.
    mutating func note(_ list: ListName) { changed.insert(list) }

    /// All lists may be different.
    mutating func noteAll() { changed.formUnion(known) }

    /// The time of the alarm has come.
    mutating func wake() { alarm = nil }

    /// The next line; nil if there is nothing to tell, or not yet.
    ///
    /// - Parameters:
    ///   - isStopping: whether the client gets all there is before the daemon stops.
    ///   - summary: returns a list as it is for the client now; nil if it does not exist for the client.
    mutating func nextLine(
        at now: NIODeadline, isStopping: Bool, lineLengthMax: Int, _ summary: (ListName) -> Reply.ListSummary?
    ) -> ListsChangedWriter? {
        if rest.isEmpty {
            if changed.isEmpty { return nil }
            if !isStopping, let next = pace?.earliestGroup(at: now) {
                alarm = next
                return nil
            }
            rest = changed.sorted(by: >)
            hasWritten = false
        }
        var line = ListsChangedWriter(lineLengthMax: lineLengthMax)
        while let list = rest.last {
            if changed.contains(list), !tell(list, summary, &line) { break }
            rest.removeLast()
            changed.remove(list)
        }
        hasWritten = hasWritten || !line.isEmpty
        if rest.isEmpty, hasWritten { pace?.noteGroup(at: now) }
        return line.isEmpty ? nil : line
    }

    /// False if the line is full.
    private mutating func tell(
        _ list: ListName, _ summary: (ListName) -> Reply.ListSummary?, _ line: inout ListsChangedWriter
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
