import Diffable
import DiffableInput

/// How a feed is doing, as its item in the list `feeds` says it.
package struct FeedStatus: Equatable, Sendable {
    package enum State: String, Sendable {
        /// It has not brought anything yet.
        case waiting
        /// The list is what its source said last.
        case fed
        /// The list stays as it was when that was so.
        case failing
    }

    package var list: ListName
    /// What its rows come from: `command`.
    package var source: String
    package var state = State.waiting
    /// Why it fails.
    package var message: String?
    /// In milliseconds since 1970.
    package var lastSuccess: Int?
    package var nextAttempt: Int?

    package init(list: ListName, source: String) {
        self.list = list
        self.source = source
    }

    package var item: Item { Item(id: list.asItemID, content: content) }

    private var content: Content {
        var members: [(String, Content)] = [
            ("text", .string("\(list)".utf8)), ("state", .string(state.rawValue.utf8)),
            ("source", .string(source.utf8)),
        ]
        if let message { members.append(("message", .string(message.utf8))) }
        if let lastSuccess { members.append(("lastSuccess", .number(lastSuccess))) }
        if let nextAttempt { members.append(("nextAttempt", .number(nextAttempt))) }
        return .object(members)
    }
}

extension ListName {
    /// Names of lists and ids of items keep the same rules.
    fileprivate var asItemID: ItemID {
        guard let id = try? ItemID(description) else { preconditionFailure("the name of a list is no id: \(self)") }
        return id
    }
}
