import Diffable
import DiffableInput

/// An action on the item of a feed in the list `feeds`.
package enum FeedAction: String, CaseIterable, Sendable {
    case run, pause, resume

    var name: ActionName { ActionName(stringLiteral: rawValue) }

    var content: Content {
        .object([("id", .string(rawValue.utf8)), ("title", .string(title.utf8)), ("multiple", .true)])
    }

    private var title: String {
        switch self {
        case .run: "Run now"
        case .pause: "Pause"
        case .resume: "Resume"
        }
    }
}
