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
        // A viewer that has room for one line would show the half of why a feed fails.
        let text = message.map { "\(list): \($0)" } ?? "\(list)"
        var members: [(String, Content)] = [
            ("text", .string(text.utf8)), ("lines", .number(0)), ("state", .string(state.rawValue.utf8)),
            ("source", .string(source.utf8)), ("badge", badge),
        ]
        if state == .failing { members.append(("tint", Self.red)) }
        if let message { members.append(("message", .string(message.utf8))) }
        if let lastSuccess { members.append(("lastSuccess", .number(lastSuccess))) }
        if let nextAttempt { members.append(("nextAttempt", .number(nextAttempt))) }
        return .object(members)
    }

    private var badge: Content {
        let text = Content.string(state.rawValue.utf8)
        return switch state {
        case .waiting: text
        case .fed: .object([("text", text), ("tint", .string("green".utf8))])
        case .failing: .object([("text", text), ("tint", Self.red)])
        }
    }

    private static let red = Content.string("red".utf8)
}

extension ListName {
    /// Names of lists and ids of items keep the same rules.
    fileprivate var asItemID: ItemID {
        guard let id = try? ItemID(description) else { preconditionFailure("the name of a list is no id: \(self)") }
        return id
    }
}
