import Diffable
import DiffableJSON

package enum Message: Sendable {
    /// The result is JSON text, which only the sender of the request can interpret.
    case result(id: RequestID, [UInt8])
    case failure(id: RequestID, WireError)
    case reset(Reset)
    case changes(Changes)
    case snapshot(Snapshot)
    case patch(Patch)
    case bookmark(Bookmark)
    case listsChanged(subscription: Int, listed: [Reply.ListSummary], unlisted: [ListName])
    case listDeleted(subscription: Int, list: ListName)
    /// Ended by the daemon; `reason` is the name of an error, and the message is for users.
    case subscriptionEnded(subscription: Int, list: ListName, reason: String, message: String)
    /// A request to a handler of this client.
    indirect case request(HandlerRequest)
    case requestCancelled(handler: Int, request: Int, list: ListName, reason: String)
    case handlerEnded(handler: Int, list: ListName, reason: String)
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
        /// The position of the view's window, if it has one.
        package var extent: Window.Extent?
    }

    /// The whole state, instead of `reset` and `changes` if the client requested it.
    package struct Snapshot: Sendable {
        package var subscription: Int
        package var list: ListName
        package var epoch: String
        package var revision: Int
        /// As in a `reset`; nil for an ordinary update.
        package var reason: String?
        package var snapshot: WholeList
    }

    package struct Patch: Sendable {
        package var subscription: Int
        package var list: ListName
        package var from: Int
        package var revision: Int
        /// RFC 6902, on the JSON of the snapshot at `from`: the array as it was received.
        package var patch: [UInt8]
    }

    package struct Bookmark: Sendable {
        package var subscription: Int
        package var list: ListName
        /// Nil if the list does not exist.
        package var epoch: String?
        /// All updates up to this revision were sent.
        package var revision: Int?
        /// Nil for an ordinary list.
        package var liveness: Liveness?
        package var news = CapabilitiesChange()
    }

    package struct Changes: Sendable {
        package var subscription: Int
        package var list: ListName
        package var from: Int
        package var revision: Int
        package var operations: [ListOperation]
        package var part: Request.Part
        /// The position of the view's window, if it has one.
        package var extent: Window.Extent?
    }
}
