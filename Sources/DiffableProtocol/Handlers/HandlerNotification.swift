import Diffable
import DiffableJSON

package enum HandlerNotification: Equatable, Sendable {
    case requestCancelled(handler: Int, request: Int, list: ListName, CancelReason)
    case handlerEnded(handler: Int, list: ListName, EndReason)

    package enum CancelReason: String, Sendable {
        /// All callers have timed out.
        case timedOut
        /// The connections of all callers have ended.
        case askerLost
    }

    package enum EndReason: String, Sendable {
        case replaced
        case listDeleted
        case permissionDenied
    }
}

extension HandlerNotification {
    package func write(into writer: inout ByteWriter) {
        switch self {
        case .requestCancelled(let handler, let request, let list, let reason):
            writer.append(#"{"jsonrpc":"2.0","method":"requestCancelled","params":{"handler":"#)
            writer.append(handler)
            writer.appendMember("request", request)
            writer.appendMember("list", list)
            writer.appendMember("reason", reason.rawValue)
        case .handlerEnded(let handler, let list, let reason):
            writer.append(#"{"jsonrpc":"2.0","method":"handlerEnded","params":{"handler":"#)
            writer.append(handler)
            writer.appendMember("list", list)
            writer.appendMember("reason", reason.rawValue)
        }
        writer.append("}}\n")
    }
}
