import Diffable
import DiffableJSON

/// One line of a daemon, as a client reads it.
package enum Message: Sendable {
    /// The result is JSON text, to be read by whoever knows what was asked.
    case result(id: RequestID, [UInt8])
    case failure(id: RequestID, WireError)
    case reset(Reset)
    case changes(Changes)
    case snapshot(Snapshot)
    case patch(Patch)
    case bookmark(Bookmark)
    case listDeleted(subscription: Int, list: ListName)
    /// By the daemon; `reason` is the name of an error, and the message is for people.
    case subscriptionEnded(subscription: Int, list: ListName, reason: String, message: String)
    /// Something that a handler of this client is asked.
    indirect case request(HandlerRequest)
    case requestCancelled(handler: Int, request: Int, list: ListName, reason: String)
    case handlerEnded(handler: Int, list: ListName, reason: String)
    /// A notification that this client does not know; a newer daemon sent it.
    case other(method: String)

    package struct Reset: Sendable {
        package var subscription: Int
        package var list: ListName
        package var epoch: String
        package var revision: Int
        /// As in `NotificationWriter.ResetReason`; a newer daemon may have others.
        package var reason: String
        package var operations: [ListOperation]
        package var part: Request.Part
        /// Where the window of the view lies, if it has one.
        package var extent: Window.Extent?
    }

    /// The whole state; instead of `reset` and `changes` where these were asked for.
    package struct Snapshot: Sendable {
        package var subscription: Int
        package var list: ListName
        package var epoch: String
        package var revision: Int
        /// As of a `reset`; nil when it follows what was sent before.
        package var reason: String?
        package var snapshot: WholeList
    }

    package struct Patch: Sendable {
        package var subscription: Int
        package var list: ListName
        package var from: Int
        package var revision: Int
        /// RFC 6902, on the JSON of the snapshot at `from`: an array, as it came.
        package var patch: [UInt8]
    }

    package struct Bookmark: Sendable {
        package var subscription: Int
        package var list: ListName
        /// Nil when there is no such list.
        package var epoch: String?
        /// Everything up to it was sent.
        package var revision: Int?
        /// Nil for an ordinary list.
        package var liveness: Liveness?
    }

    package struct Changes: Sendable {
        package var subscription: Int
        package var list: ListName
        package var from: Int
        package var revision: Int
        package var operations: [ListOperation]
        package var part: Request.Part
        /// Where the window of the view lies, if it has one.
        package var extent: Window.Extent?
    }
}
