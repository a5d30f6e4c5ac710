import Diffable
import DiffableInput

// A feed overwrites its list, so it would delete items that another client has put there. Therefore a feed marks its list in
// the list's own content. The mark stays with the list when it is copied, renamed or restored, and needs no storage of its own.
// A list without items can be overwritten without loss.

extension FeedSettings {
    /// The member of a list's content that marks a list as filled by a feed.
    static let mark = "fedBy"
    private static let feeder = Content.string("diffable-feed".utf8)

    var onlyAdds: Bool {
        if case .command(let settings) = source { settings.stream == .ndjson } else { false }
    }

    /// Throws if the operations would delete too many of the list's items.
    func checkDeletions(_ operations: [ListOperation], from known: Snapshot, to new: Snapshot) throws(DeletionRefusal) {
        // The lines of such a stream delete single items explicitly.
        if onlyAdds { return }
        let rule = DeletionRule(allowsEmpty: allowsEmpty ?? source.mayBeEmpty, limit: maxDelete)
        guard new.numberOfItems == 0 || rule.limit != nil else { return }
        let summary = DifferenceSummary(operations, from: known, to: new)
        let change = DeletionRule.Change(
            deleted: summary.deletedItems, deletedSections: 0, inserted: summary.insertedItems)
        let isKey = names == .keys
        do throws(DeletionRule.Refusal) { try rule.check(change, to: new.numberOfItems) } catch {
            switch error {
            case .empty(let share):
                throw DeletionRefusal(
                    description:
                        "the source has no items now, which would delete \(share) of \(quoted(list)); the list stays as it is. "
                        + "If the list may be empty, use \(isKey ? "allowEmpty: true" : "--allow-empty")")
            case .tooMuch(let share, let limit):
                throw DeletionRefusal(
                    description: "the source's new items would delete \(share) of \(quoted(list)), and "
                        + "\(isKey ? "maxDelete" : "--max-delete") allows \(limit); the list stays as it is. "
                        + "Raise the limit if this is right")
            }
        }
    }

    func checkOwnership(of state: Snapshot) throws(FeedError) {
        guard !onlyAdds, !isOwn(state) else { return }
        throw FeedError(
            "the list \(quoted(list)) has \(counted(state.numberOfItems, "item")) that no feed added and this feed "
                + "would delete, so it stays as it is: feed another list, or use \(adoption) "
                + "if the feed may replace these items")
    }

    /// The setting that lets the feed use the list of another user, or overwrite items that no feed added.
    var adoption: String { names == .keys ? "adopt: true" : "--adopt" }

    private func isOwn(_ state: Snapshot) -> Bool { adopts || state.numberOfItems == 0 || state.isFed }

    /// Adds the mark to the state, if the feed may own the list. `known` is the list's state before the change.
    func marked(_ state: Snapshot, after known: Snapshot) throws(FeedError) -> Snapshot {
        guard isOwn(known), !state.isFed else { return state }
        let content: Content
        switch state.content {
        case nil: content = .object([(Self.mark, Self.feeder)])
        case let known?:
            let view = JSONReader(known)
            // Content that is not an object cannot hold the mark, and stays as it is.
            guard view.isObject else { return state }
            content = .object(view.members.map { ($0.name, $0.value.content) } + [(Self.mark, Self.feeder)])
        }
        do { return try state.applying([.reconfigureList(content)], limits: .none) } catch {
            throw FeedError("\(error.reason)")
        }
    }
}

struct DeletionRefusal: Error, CustomStringConvertible {
    var description: String
}

extension Snapshot {
    fileprivate var isFed: Bool { content.map { JSONReader($0).member(FeedSettings.mark) != nil } ?? false }
}
