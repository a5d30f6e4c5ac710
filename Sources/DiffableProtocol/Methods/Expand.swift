import Diffable
import DiffableJSON

extension Request {
    package struct Expand: Sendable, Equatable {
        package var list: ListName
        package var item: ItemID
        /// Milliseconds in `timeoutRange`; nil: `timeoutUsual`.
        package var timeout: Int?

        package init(list: ListName, item: ItemID, timeout: Int? = nil) {
            self.list = list
            self.item = item
            self.timeout = timeout
        }
    }
}

extension Request.Expand: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var item: ItemID?
        var timeout: Int?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .item: item = try decoder.identifier("item")
            case .timeout: timeout = try decoder.timeout()
            }
        }
        return .expand(Self(list: try needed(list, .list), item: try needed(item, .item), timeout: timeout))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameter("item", item)
        if let timeout { writer.appendParameter("timeout", timeout) }
    }
}

// MARK: - Reply

extension Reply {
    package struct Expand: Equatable, Sendable {
        package var list: ListName
        package var item: ItemID
        /// The list's revision; nil for a caller without the right to read the list.
        package var revision: Int?

        package init(list: ListName, item: ItemID, revision: Int?) {
            self.list = list
            self.item = item
            self.revision = revision
        }
    }
}

extension Reply.Expand {
    func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        writer.appendMember("item", item)
        if let revision { writer.appendMember("revision", revision) }
    }
}

extension Reply.Expand: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case list, item, revision

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var item: ItemID?
        var revision: Int?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .item: item = try decoder.identifier("item")
            case .revision: revision = try decoder.wholeNumber("a count")
            }
        }
        self.init(list: try Self.needed(list, "list"), item: try Self.needed(item, "item"), revision: revision)
    }
}
