/// All states of a list, and the invariants of every update to a follower.
package struct NaiveHistory {
    /// The states by revision.
    package private(set) var lists: [NaiveList]
    private var requests: [(revision: Int, request: NaiveChanges.Request)] = []
    private var deletions: [(revision: Int, id: NaiveChanges.ElementID)] = []

    /// The change that led to each revision, for diagnosing failures.
    private var changes: [String] = [""]

    package init(_ list: NaiveList) { lists = [list] }

    package var revision: Int { lists.count - 1 }

    package mutating func add(_ change: NaiveChanges.Change) {
        lists.append(change.list)
        changes.append(change.text)
        requests += change.requests.map { (revision, $0) }
        deletions += change.deletions.map { (revision, $0) }
    }

    /// Returns an error message if an update is wrong.
    ///
    /// - Parameters:
    ///   - sent: the rows that the follower has.
    ///   - turns: whether these are of another view; both if that is not known.
    ///   - isOwed: whether it is sent even if nothing has changed.
    package func complaint(
        about group: NaiveMirror.Group, to mirror: NaiveMirror, through view: NaiveView, after sent: NaiveView.Shown?,
        turns: [Bool], isOwed: Bool
    ) -> String? {
        guard let revision = mirror.revision, lists.indices.contains(revision) else {
            return "there is no such revision"
        }
        if let from = group.from, from != group.oldRevision {
            return "it is from \(from), and the last one led to \(group.oldRevision ?? -1)"
        }
        if let complaint = complaint(about: mirror, through: view, after: sent, turns: turns) { return complaint }
        if group.reason != nil { return nil }
        let from = group.oldRevision ?? 0
        if from > revision { return "it leads back from \(from) to \(revision)" }
        let known = Set(group.old.ids).intersection(mirror.list.ids)
        if group.method == "changes" {
            if let complaint = redrawComplaint(about: group.operations, known, from..<revision) { return complaint }
        }
        let isNothing = group.old == mirror.list && group.oldExtent == mirror.extent
        // A later request to redraw an item justifies an update, even if the item was deleted and inserted after that.
        guard isNothing, !isOwed, requests(of: known, from..<revision).isEmpty else { return nil }
        return "nothing has changed; \(account(of: from..<revision))"
    }

    /// Returns an error message if a client's state is wrong.
    package func complaint(
        about mirror: NaiveMirror, through view: NaiveView, after sent: NaiveView.Shown?, turns: [Bool] = [false],
        at revision: Int? = nil
    ) -> String? {
        guard let revision = revision ?? mirror.revision else { return "nothing has come" }
        let right = turns.map { view.shown(of: lists[revision], after: sent, isTurn: $0) }
        let extent = mirror.extent(in: view)
        if right.contains(where: { $0.list == mirror.list && $0.extent == extent }) { return nil }
        return
            "at \(revision) it shows \(mirror.list.json.text) at \(extent.map { "\($0)" } ?? "no window"), right is "
            + (right.first.map { "\($0.list.json.text) at \($0.extent.map { "\($0)" } ?? "no window")" } ?? "nothing")
    }

    /// The rows that a follower has after an update.
    package func shown(
        to mirror: NaiveMirror, through view: NaiveView, after sent: NaiveView.Shown?, turns: [Bool]
    ) -> NaiveView.Shown? {
        guard let revision = mirror.revision else { return nil }
        return turns.map { view.shown(of: lists[revision], after: sent, isTurn: $0) }
            .first { $0.list == mirror.list && $0.extent == mirror.extent(in: view) }
    }

    private func account(of range: Range<Int>) -> String {
        range.map { "\($0 + 1) is \(changes[$0 + 1])" }.joined(separator: "; ")
    }

    /// Returns requests to redraw between two revisions, and whether each is open: whether its item has been the same one since,
    /// so that it must be sent.
    private func requests(
        of known: Set<NaiveChanges.ElementID>, _ range: Range<Int>
    ) -> [(request: NaiveChanges.Request, isOpen: Bool)] {
        requests.filter { range.contains($0.revision - 1) && known.contains($0.request.id) }.map { revision, request in
            (
                request,
                !deletions.contains { $0.id == request.id && $0.revision > revision && $0.revision <= range.upperBound }
            )
        }
    }

    /// Returns items with an earlier request to redraw that were deleted and inserted since.
    package func redrawnAndReinserted(_ range: Range<Int>) -> [String] {
        deletions.filter { range.contains($0.revision - 1) }.compactMap { revision, id in
            guard case .item(let name) = id else { return nil }
            let wasAsked = requests.contains { $0.request.id == id && $0.revision < revision }
            let isAsked = requests.contains { $0.request.id == id && range.contains($0.revision - 1) }
            return wasAsked && !isAsked ? name : nil
        }
    }

    private func redrawComplaint(
        about operations: [NaiveJSON], _ known: Set<NaiveChanges.ElementID>, _ range: Range<Int>
    ) -> String? {
        var told: [String: Set<NaiveChanges.ElementID>] = [:]
        let asked = requests(of: known, range)
        for operation in operations {
            guard let method = operation["op"]?.string, method.hasPrefix("reload") || method.hasPrefix("reconfigure")
            else { continue }
            let isSection = method == "reloadSections"
            for element in (operation["sections"] ?? operation["items"])?.elements ?? [] {
                guard let name = element.string ?? element["id"]?.string else { continue }
                let id: NaiveChanges.ElementID = isSection ? .section(name) : .item(name)
                told[method, default: []].insert(id)
                if element.string != nil, !asked.contains(where: { $0.request.id == id && $0.request.method == method })
                {
                    return "nobody asked for \(method) of \(name)"
                }
            }
        }
        for (request, isOpen) in asked where isOpen {
            // A reload also redraws.
            let methods = request.method == "reconfigureItems" ? ["reconfigureItems", "reloadItems"] : [request.method]
            if !methods.contains(where: { told[$0]?.contains(request.id) ?? false }) {
                return "\(request.method) of \(request.id) was asked for, and is not told"
            }
        }
        return nil
    }
}

extension NaiveList {
    fileprivate var ids: [NaiveChanges.ElementID] { sections.map { .section($0.id) } + items.map { .item($0.id) } }
}
