import DiffableJSON
import TestSupport

/// A follower of a list through a view, in one of the three forms. It disconnects, resumes, changes its view, and compares each
/// update with a naive model of views.
final class NaiveViewer {
    private let daemon: any Serving
    private let form: String
    /// Whether the daemon runs everything possible in the background: its views lag behind the list, and it sends a whole state
    /// instead of comparing states that are more than one step apart.
    private let isLagging: Bool
    /// The interval in milliseconds; nil for immediate updates.
    private let minInterval: Int?
    private var client: RawClient
    private var subscription = 0
    private var requests = 0
    private(set) var view: NaiveView
    private var mirror = NaiveMirror()
    /// Whether the next update is the first one with another view.
    private var isTurned = false
    /// The revision since which the daemon follows the anchor of its window.
    private var anchorSince = 0
    /// The same, if intermediate views were skipped and the anchor is still the same.
    private var anchorSinceAtMost: Int?
    private(set) var groups = 0
    private(set) var resumptions = 0
    /// Recently inserted and deleted items.
    private var recent: [String] = []
    var isAway = false

    init(
        _ daemon: any Serving, isLagging: Bool, _ view: String, form: String, minInterval: Int?, _ history: NaiveHistory
    ) throws {
        self.isLagging = isLagging
        self.daemon = daemon
        self.form = form
        self.minInterval = minInterval
        self.view = try NaiveView(view)
        client = try daemon.connect()
        try subscribe(history)
    }

    var description: String { "\(form), \(minInterval ?? 0) ms, \(view.text)\n\(recent.joined(separator: "\n"))" }

    // MARK: Coming, going, turning

    private func subscribe(_ history: NaiveHistory) throws {
        var members = #""list":"naive","deliver":"\#(form)","view":\#(view.text)"#
        // A bookmark confirms that everything was sent, which nothing else would show.
        if let minInterval { members += #","minInterval":\#(minInterval),"bookmark":10"# }
        let since = mirror.revision
        if let since { members += #","since":{"epoch":"\#(mirror.epoch)","revision":\#(since)}"# }
        let reply = try answer(to: "subscribe", members, history)
        guard let number = reply["subscription"]?.int else { throw NaiveFailure("refused: \(reply.text)") }
        subscription = number
        (anchorSince, anchorSinceAtMost) = (history.revision, nil)
        guard let since else { return }
        let isThere = { [view] revision in view.anchor == nil || view.anchorOffset(in: history.lists[revision]) != nil }
        guard reply["resumed"]?.boolean == (isThere(since) && isThere(history.revision)) else {
            throw NaiveFailure(
                "since \(since), anchor there: \(isThere(since)), now: \(isThere(history.revision)): \(reply.text)")
        }
        if reply["resumed"]?.boolean == true { resumptions += 1 } else { reasonExpected = "history" }
    }

    /// The expected reason of the next update, if it has one.
    private var reasonExpected: String?

    func leave() {
        client.close()
        isAway = true
        mirror.forgetParts()
        // A view that was never shown cannot be resumed.
        if isTurned { mirror = NaiveMirror() }
        isTurned = false
    }

    func comeBack(_ history: NaiveHistory) throws {
        client = try daemon.connect()
        isAway = false
        try subscribe(history)
    }

    /// Requests several views at once.
    func show(_ texts: [String], _ history: NaiveHistory) throws {
        let numbers = try send(texts.map { ("setView", #""subscription":\#(subscription),"view":\#($0)"#) })
        let before = (text: view.text, anchorSince: anchorSinceAtMost ?? anchorSince)
        for (number, text) in zip(numbers, texts) {
            _ = try answer(number, history)
            let next = try NaiveView(text)
            if next.text != view.text { anchorSince = history.revision }
            view = next
            isTurned = true
        }
        // A view that is replaced by a newer one need not be computed.
        anchorSinceAtMost = view.text == before.text ? before.anchorSince : nil
    }

    /// The same, and then disconnects.
    func leave(after texts: [String], _ history: NaiveHistory) throws {
        let members = #""subscription":\#(subscription)"#
        let views = texts.map { ("setView", #"\#(members),"view":\#($0)"#) }
        for number in try send(views + [("unsubscribe", members)]) { _ = try answer(number) }
        guard try client.reply(to: #"{"id":0,"method":"ping"}"#).contains(#""id":0"#) else {
            throw NaiveFailure("something comes after the end")
        }
        leave()
        mirror = NaiveMirror()
        reasonExpected = nil
    }

    // MARK: Reading

    /// Reads until it is up to date.
    func catchUp(_ history: NaiveHistory) throws {
        if minInterval == nil {
            // An empty transaction is answered after all earlier changes.
            _ = try answer(to: "transact", #""list":"naive","operations":[]"#, history)
        } else {
            // Skip a bookmark that was already on its way, and wait while changes are held back.
            let end = ContinuousClock.now + .seconds(240)
            var bookmark = -1
            while bookmark < history.revision || isTurned {
                guard let line = try client.line(), ContinuousClock.now < end else {
                    throw NaiveFailure("it does not come")
                }
                let message = try note(line)
                if message["method"]?.string == "bookmark" { bookmark = message["params"]?["revision"]?.int ?? -1 }
                try receive(message, history)
            }
        }
        if mirror.revision == nil { return }
        if let complaint = history.complaint(
            about: mirror, through: view, anchorOffsets: anchorOffsets(history, history.revision),
            at: history.revision)
        {
            throw NaiveFailure("with all that was sent: \(complaint)")
        }
    }

    private func answer(to method: String, _ params: String, _ history: NaiveHistory) throws -> NaiveJSON {
        let numbers = try send([(method, params)])
        return try answer(numbers[0], history)
    }

    /// Sends requests in one write, and returns their numbers.
    private func send(_ asked: [(method: String, params: String)]) throws -> [Int] {
        let numbers = asked.indices.map { requests + 1 + $0 }
        requests += asked.count
        let lines = zip(numbers, asked).map { #"{"id":\#($0),"method":"\#($1.method)","params":{\#($1.params)}}"# }
        recent = recent.suffix(9) + lines
        try client.send(lines.joined(separator: "\n"))
        return numbers
    }

    /// - Parameter history: without it, updates before the answer are skipped.
    private func answer(_ number: Int, _ history: NaiveHistory? = nil) throws -> NaiveJSON {
        while let line = try client.line() {
            let message = try note(line)
            if let id = message["id"]?.int {
                guard id == number, let result = message["result"] else { throw NaiveFailure(line) }
                return result
            }
            if let history { try receive(message, history) }
        }
        throw NaiveFailure("the daemon ended the connection")
    }

    private func note(_ line: String) throws -> NaiveJSON {
        recent = recent.suffix(9) + [line]
        return try NaiveJSON(line)
    }

    private func receive(_ message: NaiveJSON, _ history: NaiveHistory) throws {
        guard let group = try mirror.receive(message) else { return }
        groups += 1
        // Updates that were not read before the answer to setView show the old view; by then the daemon shows the new one.
        if let complaint = history.complaint(
            about: group, to: mirror, through: view,
            anchorOffsets: anchorOffsets(history, mirror.revision ?? 0),
            isTurn: isTurned || isLagging && form == "snapshots")
        {
            throw NaiveFailure(complaint)
        }
        if let reasonExpected, group.reason != reasonExpected {
            throw NaiveFailure("the reason is \(group.reason ?? "none"), and not \(reasonExpected)")
        }
        reasonExpected = nil
        isTurned = false
    }

    /// Returns possible offsets of the window at a revision without its anchor: the anchor's last places while the view was
    /// followed.
    private func anchorOffsets(_ history: NaiveHistory, _ revision: Int) -> [Int] {
        guard view.anchor != nil, anchorSince <= revision else { return [0] }
        let known = history.lists[(anchorSinceAtMost ?? anchorSince)...revision].compactMap {
            view.anchorOffset(in: $0)
        }
        if isLagging { return known + [0] }
        let last = history.lists[anchorSince...revision].compactMap { view.anchorOffset(in: $0) }.last ?? 0
        return anchorSinceAtMost == nil ? [last] : [last, known.last ?? 0]
    }
}
