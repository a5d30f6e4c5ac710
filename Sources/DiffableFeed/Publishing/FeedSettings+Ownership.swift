import Diffable
import DiffableInput

// A feed makes its list what its source says, so what somebody else has in a list of that name would be gone. A list that a feed has
// made says so in its own content, where the word stays with the list as long as that is there: in a copy, under another name, and
// after it was brought back. Nothing beside the list has to be kept, or can be lost. A list without items has nothing to lose.

extension FeedSettings {
    /// The member of a list's own content that says that a feed has made it.
    static let mark = "fedBy"
    private static let feeder = Content.string("diffable-feed".utf8)

    /// Whether it only adds items to what is there.
    var onlyAdds: Bool {
        if case .command(let settings) = source { settings.stream == .ndjson } else { false }
    }

    /// Throws for a state that would delete too many of the list's items.
    func checkDeletions(_ operations: [ListOperation], from known: Snapshot, to new: Snapshot) throws(DeletionRefusal) {
        let rule = DeletionRule(allowsEmpty: allowsEmpty ?? source.mayBeEmpty, limit: maxDelete)
        guard new.numberOfItems == 0 || rule.limit != nil else { return }
        let summary = DifferenceSummary(operations, from: known, to: new)
        // Sections without items are not protected.
        let change = DeletionRule.Change(
            deleted: summary.deletedItems, deletedSections: 0, inserted: summary.insertedItems)
        let isKey = wording == .keys
        do throws(DeletionRule.Refusal) { try rule.check(change, to: new.numberOfItems) } catch {
            switch error {
            case .empty(let share):
                throw DeletionRefusal(
                    description:
                        "nothing was read, which would delete \(share) of \(quoted(list)); the list stays as it is. "
                        + "If it may be empty, use \(isKey ? "allowEmpty: true" : "--allow-empty")")
            case .tooMuch(let share, let limit):
                throw DeletionRefusal(
                    description: "this would delete \(share) of \(quoted(list)), and "
                        + "\(isKey ? "maxDelete" : "--max-delete") allows \(limit); the list stays as it is")
            }
        }
    }

    /// Throws for a list that somebody else has filled.
    func checkOwnership(of state: Snapshot) throws(FeedError) {
        guard !onlyAdds, !isOwn(state) else { return }
        throw FeedError(
            "the list \(quoted(list)) has \(counted(state.numberOfItems, "item")) that no feed has put there, and would "
                + "lose them: feed another list, delete this one (diffablectl delete \(list)), or say "
                + (wording == .keys ? "adopt: true" : "--adopt"))
    }

    private func isOwn(_ state: Snapshot) -> Bool { adopts || state.numberOfItems == 0 || state.isFed }

    /// The state, which says that a feed has made it.
    ///
    /// - Parameter known: the list before.
    func marked(_ state: Snapshot, after known: Snapshot) throws(FeedError) -> Snapshot {
        guard isOwn(known), !state.isFed else { return state }
        let content: Content
        switch state.content {
        case nil: content = .object([(Self.mark, Self.feeder)])
        case let known?:
            let view = JSONView(known)
            // Something else than an object is nobody's look, and stays.
            guard view.isObject else { return state }
            content = .object(view.members.map { ($0.name, $0.value.content) } + [(Self.mark, Self.feeder)])
        }
        do { return try state.applying([.reconfigureList(content)], limits: .none) } catch {
            throw FeedError("\(error.reason)")
        }
    }
}

/// Why a state is not sent that would delete too much.
struct DeletionRefusal: Error, CustomStringConvertible {
    var description: String
}

extension Snapshot {
    /// Whether its content says that a feed has made it.
    fileprivate var isFed: Bool { content.map { JSONView($0).member(FeedSettings.mark) != nil } ?? false }
}
