import Diffable
import DiffableJSON

extension Request {
    package struct Perform: Sendable, Equatable {
        package var list: ListName
        package var action: ActionName
        package var target: ActionTarget
        /// JSON that the daemon does not interpret.
        package var arguments: [UInt8]?
        package var ifRevision: Int?
        /// Milliseconds in `timeoutRange`; nil: `timeoutUsual`.
        package var timeout: Int?

        package init(
            list: ListName, action: ActionName, target: ActionTarget = .list, arguments: [UInt8]? = nil,
            ifRevision: Int? = nil, timeout: Int? = nil
        ) {
            self.list = list
            self.action = action
            self.target = target
            self.arguments = arguments
            self.ifRevision = ifRevision
            self.timeout = timeout
        }
    }
}

extension Request.Perform: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var action: ActionName?
        var items: [ItemID]?
        var section: SectionID?
        var arguments: [UInt8]?
        var (ifRevision, timeout): (Int?, Int?)
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .action: action = try decoder.identifier("action")
            case .items: items = try decoder.itemIDs()
            case .section: section = try decoder.identifier("section")
            case .arguments: arguments = try decoder.arguments()
            case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
            case .timeout: timeout = try decoder.timeout()
            }
        }
        let target: ActionTarget
        switch (items, section) {
        case (nil, nil): target = .list
        case (let items?, nil): target = .items(items)
        case (nil, let section?): target = .section(section)
        case (_?, _?): throw .invalidRequest("perform takes items or section, not both")
        }
        return .perform(
            Self(
                list: try needed(list, .list), action: try needed(action, .action), target: target,
                arguments: arguments, ifRevision: ifRevision, timeout: timeout))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameter("action", action)
        writer.appendParameter(target)
        if let arguments { writer.appendParameter("arguments", json: arguments) }
        if let ifRevision { writer.appendParameter("ifRevision", ifRevision) }
        if let timeout { writer.appendParameter("timeout", timeout) }
    }
}

// MARK: - Reply

extension Reply {
    package struct Perform: Equatable, Sendable {
        package var list: ListName
        /// Nil for a caller that may not read the list.
        package var revision: Int?
        /// The handler's result as JSON; nil if it gave none.
        package var result: [UInt8]?

        package init(list: ListName, revision: Int?, result: [UInt8]?) {
            self.list = list
            self.revision = revision
            self.result = result
        }
    }
}

extension Reply.Perform {
    /// Always writes a result, for clients that do not check for it: `null` if the handler gave none.
    func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        if let revision { writer.appendMember("revision", revision) }
        writer.append(#","result":"#)
        if let result { writer.append(result) } else { writer.append("null") }
    }
}

extension Reply.Perform: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case list, revision, result

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var revision: Int?
        var result: [UInt8]?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .revision: revision = try decoder.wholeNumber("a count")
            case .result: result = try decoder.uninterpreted(limit: "", max: .max)
            }
        }
        self.init(list: try Self.needed(list, "list"), revision: revision, result: result)
    }
}
