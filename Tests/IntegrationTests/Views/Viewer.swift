import Diffable
import DiffableJSON
import Foundation

/// A subscriber with a view, which it may change at any time.
final class Viewer {
    private let daemon: any Serving
    private let list: String
    private var client: RawClient
    private var subscription = 1
    private var requests = 0
    private(set) var replay = Replay()
    private var epoch = ""
    /// The view of the next update.
    private(set) var view: String
    /// The view of the last complete update.
    private(set) var shownView: String
    private var groupView: String?
    /// The number of updates since the last change of the view; nil if it never changed.
    private(set) var groupsSinceChange: Int?
    private(set) var resumptions = 0

    init(of list: String, in daemon: any Serving, through view: String) throws {
        self.daemon = daemon
        self.list = list
        self.view = view
        self.shownView = view
        client = try daemon.connect()
        try subscribe(since: nil)
    }

    private func subscribe(since: String?) throws {
        let reply = try reply(
            to: "subscribe", #""list":"\#(list)","view":\#(view)\#(since.map { ",\"since\":\($0)" } ?? "")"#)
        guard let number = reply.member("subscription"), let epoch = reply.stringMember("epoch") else {
            throw Failure(reply)
        }
        subscription = number
        self.epoch = epoch
        if reply.contains(#""resumed":true"#) { resumptions += 1 }
    }

    /// Reconnects and resumes.
    func reconnect() throws {
        client.close()
        client = try daemon.connect()
        groupView = nil
        groupsSinceChange = nil
        replay.forgetParts()
        guard let revision = replay.revision, view == shownView else {
            // A view that was never shown cannot be resumed.
            replay = Replay()
            return try subscribe(since: nil)
        }
        // The view that the last update describes.
        if let replacement = replay.extent?.anchor, let requested = requestedAnchor {
            view.replaceSubrange(requested, with: #""anchor":"\#(replacement)""#)
            shownView = view
        }
        try subscribe(since: #"{"epoch":"\#(epoch)","revision":\#(revision)}"#)
    }

    func show(_ view: String) throws {
        _ = try reply(to: "setView", #""subscription":\#(subscription),"view":\#(view)"#)
        self.view = view
        groupsSinceChange = 0
    }

    /// Reads until it is up to date: an empty transaction is answered after all earlier changes.
    func catchUp() throws { _ = try reply(to: "transact", #""list":"\#(list)","operations":[]"#) }

    /// Called with each complete update.
    var onGroup: (Viewer) throws -> Void = { _ in }

    private func reply(to method: String, _ params: String) throws -> String {
        requests += 1
        let request = #"{"id":"\#(requests)","method":"\#(method)","params":{\#(params)}}"#
        note(request)
        try client.send(request)
        while let line = try client.line() {
            note(line)
            if line.contains(#""id":"\#(requests)","result""#) { return line }
            guard line.contains(#""method":"#) else { throw Failure(line) }
            try receive(line)
        }
        throw Failure("the daemon ended the connection")
    }

    /// Recent lines, for diagnosing failures.
    private(set) var recentLines: [String] = []

    private func note(_ line: String) { recentLines = recentLines.suffix(11) + [String(line.prefix(1_000))] }

    private func receive(_ line: String) throws {
        if groupView == nil { groupView = view }
        try replay.receive(line)
        guard replay.isWhole, let groupView else { return }
        shownView = groupView
        self.groupView = nil
        if groupView == view, let groups = groupsSinceChange { groupsSinceChange = groups + 1 }
        try onGroup(self)
    }
}

extension Viewer {
    /// The view in a form that is independent of time and client: the meaning of a deleted anchor depends on where the window
    /// was.
    var reproducibleView: String {
        guard let extent = replay.extent, let start = requestedAnchor else { return shownView }
        return shownView.replacingCharacters(in: start, with: #""offset":\#(extent.offset)"#)
    }

    private var requestedAnchor: Range<String.Index>? {
        shownView.range(of: #""anchor":"[^"]*""#, options: .regularExpression)
    }

    /// The item with which its window begins, if it has an anchor.
    var anchor: ItemID? {
        guard requestedAnchor != nil else { return nil }
        return replay.extent?.anchor ?? shownView.stringMember("anchor").flatMap { try? ItemID($0) }
    }
}

extension String {
    /// Returns the first number of that name.
    func member(_ name: String) -> Int? {
        range(of: "\"\(name)\":[0-9]+", options: .regularExpression)
            .flatMap { Int(self[$0].dropFirst(name.count + 3)) }
    }

    /// Returns the first string of that name that needs no escapes.
    func stringMember(_ name: String) -> String? {
        range(of: "\"\(name)\":\"[^\"]*\"", options: .regularExpression)
            .map { String(self[$0].dropFirst(name.count + 4).dropLast()) }
    }
}
