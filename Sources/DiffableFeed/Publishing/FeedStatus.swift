import Diffable
import DiffableInput

package struct FeedStatus: Equatable, Sendable {
    package enum State: String, Sendable {
        case waiting
        case fed
        /// The list keeps its last state because the source or the list failed.
        case failing
        /// The feed does not run until a user resumes it, or diffable-feed restarts.
        case paused
    }

    package var list: ListName
    package var source: String
    package var state = State.waiting
    package var message: String?
    /// The time of the last success, in milliseconds since 1970.
    package var lastSuccess: Int?
    package var nextAttempt: Int?
    package var hasActions = false

    package init(list: ListName, source: String) {
        self.list = list
        self.source = source
    }

    package var item: Item { Item(id: list.asItemID, content: content) }

    private var content: Content {
        // With `lines` 0 the text takes as many lines as it needs: a failure's message needs more than one.
        let text = message.map { "\(list): \($0)" } ?? "\(list)"
        var members: [(String, Content)] = [
            ("text", .string(text.utf8)), ("lines", .number(0)), ("state", .string(state.rawValue.utf8)),
            ("source", .string(source.utf8)), ("badge", badge),
        ]
        if state == .failing { members.append(("tint", Self.red)) }
        if let message { members.append(("message", .string(message.utf8))) }
        if let lastSuccess { members.append(("lastSuccess", .number(lastSuccess))) }
        if let nextAttempt {
            members.append(("nextAttempt", .number(nextAttempt)))
            members.append(
                ("secondaryText", .object([("value", .number(nextAttempt)), ("format", .string("age".utf8))])))
        }
        if hasActions {
            let actions: [FeedAction] = state == .paused ? [.resume] : [.run, .pause]
            members.append(("actions", .array(actions.map(\.content))))
        }
        return .object(members)
    }

    private var badge: Content {
        let text = Content.string(state.rawValue.utf8)
        return switch state {
        case .waiting: text
        case .fed: .object([("text", text), ("tint", .string("green".utf8))])
        case .failing: .object([("text", text), ("tint", Self.red)])
        case .paused: .object([("text", text), ("tint", .string("yellow".utf8))])
        }
    }

    private static let red = Content.string("red".utf8)
}

extension ListName {
    /// Names of lists and ids of items follow the same rules.
    fileprivate var asItemID: ItemID {
        guard let id = try? ItemID(description) else { preconditionFailure("the name of a list is no id: \(self)") }
        return id
    }
}
