import Diffable
import DiffableJSON

package struct HandlerRequest: Sendable {
    /// The handler's number on its connection.
    package var handler: Int
    /// Unique until the daemon restarts.
    package var request: Int
    package var list: ListName
    package var content: Content
    /// The list's revision at the time of the request. Nil for a handler that may not read the list.
    package var revision: Int?
    package var from: ClientIdentity

    package enum Content: Sendable {
        case perform(ActionName, ActionTarget, arguments: [UInt8]?)
        /// The proposed operations, with counts of their effects.
        case propose([ListOperation], DifferenceSummary?)
        case expand(ItemID)

        package var kind: HandlerRequestKind {
            switch self {
            case .perform: .perform
            case .propose: .propose
            case .expand: .expand
            }
        }
    }

    package init(
        handler: Int, request: Int, list: ListName, content: Content, revision: Int?, from: ClientIdentity
    ) {
        self.handler = handler
        self.request = request
        self.list = list
        self.content = content
        self.revision = revision
        self.from = from
    }
}

extension HandlerRequest {
    package func write(into writer: inout ByteWriter) {
        writer.append(#"{"jsonrpc":"2.0","method":"request","params":{"handler":"#)
        writer.append(handler)
        writer.appendMember("request", request)
        writer.appendMember("list", list)
        writer.appendMember("kind", content.kind.rawValue)
        switch content {
        case .perform(let action, let target, let arguments):
            writer.appendMember("action", action)
            writer.appendParameter(target)
            if let arguments { writer.appendParameter("arguments", json: arguments) }
        case .propose(let operations, let summary):
            writer.appendParameter("operations", operations: operations, expansion: .asSaid)
            if let summary { writer.appendMember("summary", summary) }
        case .expand(let item): writer.appendMember("item", item)
        }
        if let revision { writer.appendMember("revision", revision) }
        writer.appendMember("from", from)
        writer.append("}}\n")
    }
}

extension ByteWriter {
    mutating func appendParameter(_ target: ActionTarget) {
        switch target {
        case .list: break
        case .items(let items):
            appendParameterName("items")
            appendArray(items) { item, writer in writer.appendString(item) }
        case .section(let section): appendParameter("section", section)
        }
    }

    mutating func appendParameter(_ name: StaticString, json: [UInt8]) {
        appendParameterName(name)
        append(json)
    }
}
