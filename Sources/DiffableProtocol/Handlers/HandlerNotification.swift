import Diffable
import DiffableJSON

/// What a handler is told beside what it is asked.
package enum HandlerNotification: Equatable, Sendable {
    case requestCancelled(handler: Int, request: Int, list: ListName, CancelReason)
    case handlerEnded(handler: Int, list: ListName, EndReason)

    /// Why nobody waits for an answer any more.
    package enum CancelReason: String, Sendable {
        /// The time is over for all who asked.
        case timedOut
        /// The connections of all who asked have ended.
        case askerLost
    }

    /// Why a handler has ended that its connection did not end.
    package enum EndReason: String, Sendable {
        case replaced
        case listDeleted
        case permissionDenied
    }
}

extension HandlerNotification {
    /// Writes one whole line.
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
