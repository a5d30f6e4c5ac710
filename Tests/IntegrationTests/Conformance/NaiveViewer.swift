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
    /// The rows that it has, by the model.
    private var shown: NaiveView.Shown?
    /// Whether these are of another view; both if that is not known.
    private var turns = [false]
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
        let prefix = #""list":"naive","deliver":"\#(form)","view":\#(view.text)"#
        var members = prefix
        // A bookmark confirms that everything was sent, which nothing else would show.
        if let minInterval { members += #","minInterval":\#(minInterval),"bookmark":10"# }
        let since = mirror.revision
        if let since {
            let sent = view.shown(as: shown)
            // The view of the request may be another.
            let next = viewAfterReturn ?? sent
            viewAfterReturn = nil
            let isSame = next.text == sent.text
            mirror.follow(sent)
            members = #""list":"naive","deliver":"\#(form)","view":\#(next.text)"# + members.dropFirst(prefix.count)
            members += #","since":{"epoch":"\#(mirror.epoch)","revision":\#(since)"#
            members += isSame ? "}" : #","view":\#(sent.text)}"#
            view = next
            (turns, isTurned) = ([!isSame], !isSame)
        }
        let reply = try answer(to: "subscribe", members, history)
        guard let number = reply["subscription"]?.int else { throw NaiveFailure("refused: \(reply.text)") }
        subscription = number
        guard let since else { return }
        guard reply["resumed"]?.boolean == true else { throw NaiveFailure("since \(since): \(reply.text)") }
        resumptions += 1
    }

    /// The view to request after the connection was lost; nil for the same.
    private var viewAfterReturn: NaiveView?

    func leave() {
        client.close()
        isAway = true
        mirror.forgetParts()
        // A view that was never shown cannot be resumed.
        if isTurned { (mirror, shown) = (NaiveMirror(), nil) }
        (isTurned, turns) = (false, [false])
    }

    /// - Parameter view: another view than before, if any.
    func comeBack(_ history: NaiveHistory, with view: String? = nil) throws {
        if let view {
            let next = try NaiveView(view)
            if mirror.revision == nil { self.view = next } else { viewAfterReturn = next }
        }
        client = try daemon.connect()
        isAway = false
        try subscribe(history)
    }

    /// Requests several views at once.
    func show(_ texts: [String], _ history: NaiveHistory) throws {
        let numbers = try send(texts.map { ("setView", #""subscription":\#(subscription),"view":\#($0)"#) })
        let before = view.text
        for (number, text) in zip(numbers, texts) {
            _ = try answer(number, history)
            let next = try NaiveView(text)
            if next.text != view.text || next.isMovedByRequest { turns = [true] }
            view = next
            isTurned = true
        }
        // A view that is replaced by a newer one need not be computed.
        if texts.count > 1, view.text == before, !view.isMovedByRequest { turns = [true, false] }
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
        (mirror, shown) = (NaiveMirror(), nil)
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
            about: mirror, through: view, after: shown, at: history.revision)
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
        let revision = mirror.revision
        guard let group = try mirror.receive(message) else {
            // Its window continues from the rows of a bookmark.
            if message["method"]?.string == "bookmark", !isTurned, shown != nil, mirror.revision != revision {
                shown = history.shown(to: mirror, through: view, after: shown, turns: turns)
            }
            return
        }
        groups += 1
        // Updates that were not read before the answer to setView show the old view; by then the daemon shows the new one.
        if let complaint = history.complaint(
            about: group, to: mirror, through: view, after: shown, turns: turns,
            isOwed: isTurned || isLagging && form == "snapshots")
        {
            throw NaiveFailure(complaint)
        }
        shown = history.shown(to: mirror, through: view, after: shown, turns: turns)
        mirror.follow(view)
        (isTurned, turns) = (false, [false])
    }
}
