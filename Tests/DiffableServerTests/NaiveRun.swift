import Diffable
import DiffableJSON
import DiffableProtocol
import TestSupport

@testable import DiffableServer
@testable import DiffableStore

/// Followers of a list through random views, without sockets. Compares the audiences' updates with a naive model.
final class NaiveRun {
    /// A former bug, injected between the audiences and the model, to prove that the model detects it.
    enum Fault: String, CaseIterable {
        /// An item that was shown for its child stays after it stops matching, when the child moves.
        case leavesGhosts
        /// A returning follower names the view that it requested, and not the one that its window has become.
        case namesRequestedView
        /// A slow follower gets the window of followers that have read more.
        case sharesPosition
        /// The window holds to an item that has moved.
        case keepsMoved
        /// A new follower gets the last position of another follower's anchor.
        case sharesPast
        /// Letters with several upper-case letters are not found.
        case foldsSingleLetters
        /// A redraw is repeated when the item is deleted and inserted.
        case repeatsRedraw
        /// A change that cancels out is sent.
        case sendsNothing
        /// The index over conditions misses views that would show new contents.
        case overlooksMatches
    }

    private let fault: Fault?
    private var changes: NaiveChanges
    private(set) var history: NaiveHistory
    private let bench = WorkBench()
    private let polls = Polls()
    /// With room for one window between two polls, or for none, so that many windows lag.
    private let laggingWindows: LaggingWindows
    private let list: FollowedList
    private var states: [ListState]
    private var clients: [Client] = []
    /// The views; a few, so that some are shared.
    private var views: [String] = []
    /// The audiences, for an injected fault.
    private var firstAudiences: [String: Audience] = [:]
    private(set) var groups = 0
    private(set) var resumptions = 0

    private final class Polls {
        var count = 0
    }

    private final class Client {
        var view: NaiveView
        var audience: Audience
        var form: LineForm
        var sent: DeliveredState?
        var mirror = NaiveMirror()
        /// Whether an update is owed, and whether the rows that it has are of another view.
        var isTurned = false
        var isOtherView = false
        /// The rows that it has, by the model.
        var shown: NaiveView.Shown?
        var resetReason = NotificationWriter.ResetReason.initial
        var isAway = false

        init(_ view: NaiveView, _ audience: Audience, _ form: LineForm) {
            (self.view, self.audience, self.form) = (view, audience, form)
        }
    }

    /// - Parameter followers: their number. Most have views of their own.
    init(seed: UInt64, fault: Fault? = nil, followers: Int = 5) throws {
        self.fault = fault
        changes = NaiveChanges(seed: seed)
        history = NaiveHistory(NaiveList())
        let state = ListState(name: "l", epoch: "e", durability: .volatile, number: 1)
        states = [state]
        laggingWindows = LaggingWindows(rowsMax: seed.isMultiple(of: 2) ? 300 : 1) { [polls] in polls.count }
        list = FollowedList(state, bench.background, UpdatePages(), laggingWindows) { _ in }
        for _ in 0..<4 { views.append(changes.view()) }
        for _ in 0..<3 { try change() }
        list.serve()
        for _ in 0..<followers { try clients.append(newClient()) }
    }

    func run(steps: Int) throws {
        for _ in 0..<steps {
            // All changes of one iteration are one step for followers.
            for _ in 0..<(changes.chance(20) ? 2 : 1) { try change() }
            if fault == .overlooksMatches { updateUnnoticed() }
            list.serve()
            if changes.chance(70) { poll() }
            for client in clients { try step(client) }
        }
    }

    private func poll() {
        polls.count += 1
        laggingWindows.resume()
        if changes.chance(50) { while bench.doNext() {} }
        list.serve()
    }

    // MARK: The list

    private func change() throws {
        let change = changes.next()
        let old = states[states.count - 1]
        let operations = try Array(change.text.utf8).withUnsafeBytes { try [ListOperation](json: $0, limits: .client) }
        let snapshot = try old.snapshot.applying(operations)
        let difference = snapshot.difference(from: old.snapshot, after: operations)
        if difference.isEmpty { return }
        history.add(change)
        let isReload = changes.chance(2)
        let state = old.moved(
            to: old.revision + 1, snapshot, lastReloadRevision: isReload ? old.revision + 1 : nil)
        states.append(state)
        list.advance(
            by: Commit(
                event: .changed(
                    from: old.revision, transaction: Commit.Transaction(operations: difference, encoded: nil)),
                state: state))
    }

    // MARK: Followers

    private func newView() throws -> NaiveView {
        var view = try NaiveView(changes.chance(60) ? changes.one(of: views) : changes.view())
        view.keepsMoved = fault == .keepsMoved
        if fault == .foldsSingleLetters {
            view.folding = { text in
                String(
                    String.UnicodeScalarView(
                        text.unicodeScalars.flatMap { scalar in
                            "ςß".unicodeScalars.contains(scalar)
                                ? [scalar] : Array(naiveFolding(String(scalar)).unicodeScalars)
                        }))
            }
        }
        return view
    }

    private func newClient() throws -> Client {
        let view = try newView()
        let form: LineForm = changes.one(of: [.operations(lineLengthMax: 1 << 20), .snapshots, .patches])
        return Client(view, try audience(for: view), form)
    }

    private func core(_ view: NaiveView) throws -> View {
        try Array(view.text.utf8).withUnsafeBytes { try View(json: $0) }
    }

    /// - Parameters:
    ///   - sent: the rows that the follower has.
    ///   - isSameView: whether these are of the same view.
    private func audience(
        for view: NaiveView, after sent: RenderedView? = nil, isSameView: Bool = true
    ) throws -> Audience {
        let known = firstAudiences[view.text]
        if fault == .sharesPast, let known { return known }
        let core = try core(view)
        let preparation = list.preparation(for: core)
        finish(preparation)
        let audience = list.audience(for: core, after: sent, isSameView: isSameView)
        preparation.end()
        firstAudiences[view.text] = known ?? audience
        return audience
    }

    private func finish(_ preparation: ViewPreparation) {
        while !preparation.isReady, bench.doNext() { list.serve() }
    }

    private func step(_ client: Client) throws {
        if client.isAway {
            if changes.chance(30) { try comeBack(client) }
            return
        }
        switch changes.number(0..<20) {
        case 0, 1: try turn(client)
        case 2, 3: client.isAway = client.sent != nil && !client.isTurned
        case 4: clients[clients.firstIndex { $0 === client } ?? 0] = try newClient()
        // Some followers are slow.
        case 5..<10: break
        default: try read(client)
        }
    }

    private func turn(_ client: Client) throws {
        let view = try newView()
        client.isTurned = true
        if view.text == client.view.text, !view.isMovedByRequest { return }
        client.view = view
        client.isOtherView = true
        client.audience = try audience(for: view, after: client.sent?.shown, isSameView: false)
    }

    /// Moves the window as a subscription does before it sends an update.
    private func moveWindow(of client: Client) throws {
        guard fault != .sharesPosition, fault != .sharesPast, client.audience.view.window?.isMoving == true
        else { return }
        if let sent = client.sent, sent.shown === client.audience.shown || client.audience.follows(sent),
            !client.isOtherView
        {
            return
        }
        client.audience = list.audience(
            for: client.audience.view, after: client.sent?.shown, isSameView: !client.isOtherView)
    }

    private func read(_ client: Client) throws {
        try moveWindow(of: client)
        let (audience, target) = (client.audience, client.audience.target)
        if let sent = client.sent, !client.isTurned {
            if sent.shown === target.shown { return try check(client) }
            if fault != .sendsNothing, audience.isUnchanged(since: sent) {
                if audience.view.window?.isMoving == true {
                    client.audience = list.audience(for: audience.view, still: sent)
                    return try check(client)
                }
                client.sent = DeliveredState(shown: target.shown, revision: sent.revision)
                return try check(client)
            }
        }
        guard
            let line = audience.encodedUpdate(
                from: client.sent, resetReason: client.resetReason, to: 1, client.form), line.rest == nil
        else { throw NaiveFailure("a short list has short lines") }
        let text = String(decoding: line.bytes.bytes.dropLast(), as: UTF8.self)
        let message = try altered(try NaiveJSON(text), for: client)
        guard let group = try client.mirror.receive(message) else { throw NaiveFailure("a group is one line here") }
        client.sent = target
        groups += 1
        let turns = [client.isOtherView]
        if let complaint = history.complaint(
            about: group, to: client.mirror, through: client.view, after: client.shown, turns: turns,
            isOwed: client.isTurned)
        {
            throw NaiveFailure("\(client.view.text): \(complaint): \(message.text)")
        }
        client.shown = history.shown(to: client.mirror, through: client.view, after: client.shown, turns: turns)
        client.mirror.follow(client.view)
        (client.isTurned, client.isOtherView) = (false, false)
    }

    /// Checks that a client without an update already has the shown state.
    private func check(_ client: Client) throws {
        if let complaint = history.complaint(
            about: client.mirror, through: client.view, after: client.shown,
            at: client.audience.state.revision)
        {
            throw NaiveFailure("\(client.view.text), nothing sent: \(complaint)")
        }
    }

    private func comeBack(_ client: Client) throws {
        guard let revision = client.mirror.revision else { return }
        client.isAway = false
        let since = fault == .namesRequestedView ? client.view : client.view.shown(as: client.shown)
        let next = changes.chance(40) ? try newView() : since
        let (sentCore, core) = (try core(since), try core(next))
        client.view = next
        let preparation = list.preparation(for: core, of: (states[revision], sentCore))
        finish(preparation)
        defer { preparation.end() }
        client.isOtherView = sentCore != core
        client.isTurned = client.isOtherView
        client.resetReason = .history
        guard let found = preparation.found, revision >= list.state.lastReloadRevision,
            !found.rows.lacksAnchor || fault == .namesRequestedView
        else {
            guard revision < list.state.lastReloadRevision else {
                throw NaiveFailure("\(since.text) does not go on, although it names the anchor that it was sent")
            }
            client.audience = list.audience(for: core)
            (client.sent, client.mirror, client.shown, client.isOtherView) = (nil, NaiveMirror(), nil, false)
            return
        }
        client.mirror.follow(since)
        let (audience, shown) = list.audience(for: core, after: found, isSameView: !client.isOtherView)
        client.audience = audience
        client.sent = DeliveredState(shown: shown, revision: revision)
        resumptions += 1
    }

    // MARK: Faults

    /// Updates without the index of conditions for followers that show none of the changed items. Followers that show one are
    /// updated, because they must not show stale items.
    private func updateUnnoticed() {
        var changed: [ItemID] = []
        for operation in list.state.snapshot.difference(from: list.shownState.snapshot) {
            guard case .reconfigureItems(let changes) = operation else { return }
            changed += changes.map(\.id)
        }
        guard let selections = list.selections else { return }
        let overlooked = selections.numbered.filter { _, selection in
            selection.shown.map { shown in !changed.contains(where: shown.contains) } ?? false
        }
        for (number, selection) in overlooked { selection.criterion.map { selections.index.remove(number, $0) } }
        list.update()
        for (number, selection) in overlooked { selection.criterion.map { selections.index.insert(number, $0) } }
    }

    private func altered(_ message: NaiveJSON, for client: Client) throws -> NaiveJSON {
        guard message["method"]?.string == "changes", let operations = message["params"]?["operations"]?.elements,
            let from = client.mirror.revision, let revision = message["params"]?["revision"]?.int
        else { return message }
        switch fault {
        case .leavesGhosts:
            return message.replacing(operations.map { withGhost($0, client, from, revision) })
        case .repeatsRedraw:
            let again = history.redrawnAndReinserted(from..<revision).filter { client.mirror.list.item($0) != nil }
            if again.isEmpty { return message }
            return message.replacing(
                operations + [try NaiveJSON(#"{"op":"reloadItems","items":["\#(again[0])"]}"#)])
        default: return message
        }
    }

    private func withGhost(_ operation: NaiveJSON, _ client: Client, _ from: Int, _ revision: Int) -> NaiveJSON {
        guard operation["op"]?.string == "deleteItems", let sort = client.view.json["sort"]?.elements.first,
            let path = sort.string ?? sort["path"]?.string
        else { return operation }
        let ids = (operation["items"]?.elements ?? []).map { id -> NaiveJSON in
            guard let item = id.string.flatMap(client.mirror.list.item), item.children.count == 1,
                history.lists[revision].item(item.id) != nil,
                let now = history.lists[revision].item(item.children[0].id),
                naiveValue(path, of: now) != naiveValue(path, of: item.children[0])
            else { return id }
            return .string(item.children[0].id)
        }
        return .object([.init(name: "op", value: .string("deleteItems")), .init(name: "items", value: .array(ids))])
    }
}

extension NaiveJSON {
    fileprivate func replacing(_ operations: [NaiveJSON]) -> NaiveJSON {
        guard case .object(var members) = self, let index = members.firstIndex(where: { $0.name == "params" }),
            case .object(var params) = members[index].value,
            let place = params.firstIndex(where: { $0.name == "operations" })
        else { return self }
        params[place].value = .array(operations)
        members[index].value = .object(params)
        return .object(members)
    }
}
