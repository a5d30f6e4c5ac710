import Diffable
import DiffableJSON

extension Request {
    package struct Handle: Sendable, Equatable {
        package var list: ListName
        package var requests: Set<HandlerRequestKind>
        /// The actions to handle; nil: all.
        package var actions: [ActionName]?
        package var existing: ExistingHandler

        package init(
            list: ListName, requests: Set<HandlerRequestKind>, actions: [ActionName]? = nil,
            existing: ExistingHandler = .isError
        ) {
            self.list = list
            self.requests = requests
            self.actions = actions
            self.existing = existing
        }
    }
}

extension Request.Handle: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var requests: Set<HandlerRequestKind>?
        var actions: [ActionName]?
        var existing = ExistingHandler.isError
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .requests: requests = try decoder.handledKinds("requests")
            case .actions: actions = try decoder.actionNames()
            case .replace: existing = try decoder.boolean("replace") ? .isReplaced : .isError
            }
        }
        let handle = Self(
            list: try needed(list, .list), requests: try needed(requests, .requests), actions: actions,
            existing: existing)
        if handle.requests.isEmpty {
            throw .invalidRequest("requests must name at least one of \"perform\", \"propose\" and \"expand\"")
        }
        if actions != nil, !handle.requests.contains(.perform) {
            throw .invalidRequest("actions can be used only if requests contains \"perform\"")
        }
        if actions?.isEmpty == true {
            throw .invalidRequest("actions must name at least one action; leave it out to handle all")
        }
        return .handle(handle)
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameterName("requests")
        writer.appendArray(requests)
        if let actions {
            writer.appendParameterName("actions")
            writer.appendArray(actions)
        }
        if existing == .isReplaced { writer.appendParameter("replace", true) }
    }
}

// MARK: - Reply

extension Reply {
    package struct Handle: Equatable, Sendable {
        /// Counted from 1 on each connection.
        package var handler: Int
        package var list: ListName

        package init(handler: Int, list: ListName) {
            self.handler = handler
            self.list = list
        }
    }
}

extension Reply.Handle {
    func write(into writer: inout ByteWriter) {
        writer.append(#""handler":"#)
        writer.append(handler)
        writer.appendMember("list", list)
    }
}

extension Reply.Handle: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case handler, list

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var handler: Int?
        var list: ListName?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .handler: handler = try decoder.wholeNumber("a number")
            case .list: list = try decoder.identifier("list")
            }
        }
        self.init(handler: try Self.needed(handler, "handler"), list: try Self.needed(list, "list"))
    }
}
