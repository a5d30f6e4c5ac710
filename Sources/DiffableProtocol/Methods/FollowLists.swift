import Diffable
import DiffableJSON

extension Request {
    package struct FollowLists: Sendable, Equatable {
        /// Whether each list is sent with its own content.
        package var includesContent: Bool
        /// The minimal pause between two updates in milliseconds, in `minIntervalRange`; nil: no pause.
        package var minInterval: Int?

        package init(includesContent: Bool = false, minInterval: Int? = nil) {
            self.includesContent = includesContent
            self.minInterval = minInterval
        }
    }
}

extension Request.FollowLists: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var follow = Self()
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .content: follow.includesContent = try decoder.boolean("content")
            case .minInterval: follow.minInterval = try decoder.milliseconds("minInterval", in: minIntervalRange)
            }
        }
        return .followLists(follow)
    }

    func write(into writer: inout ByteWriter) {
        if includesContent { writer.appendParameter("content", true) }
        if let minInterval { writer.appendParameter("minInterval", minInterval) }
    }
}

// MARK: - Reply

extension Reply {
    package struct FollowLists: Equatable, Sendable {
        package var subscription: Int
        package var lists: [ListSummary]

        package init(subscription: Int, lists: [ListSummary]) {
            self.subscription = subscription
            self.lists = lists
        }
    }
}

extension Reply.FollowLists {
    var parts: ReplyParts {
        var parts = ReplyParts()
        parts.append { [subscription] writer in
            writer.append(#""subscription":"#)
            writer.append(subscription)
            writer.append(#","lists":["#)
        }
        parts.append(lists) { list, writer in list.write(into: &writer) }
        parts.append { $0.append(byte: UInt8(ascii: "]")) }
        return parts
    }
}

extension Reply.FollowLists: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case subscription, lists

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var subscription: Int?
        var lists: [Reply.ListSummary] = []
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .subscription: subscription = try decoder.wholeNumber("a count")
            case .lists: lists = try decoder.listSummaries("lists")
            }
        }
        self.init(subscription: try Self.needed(subscription, "subscription"), lists: lists)
    }
}

extension Decoder {
    mutating func listSummaries(_ what: StaticString) throws(DecodingError) -> [Reply.ListSummary] {
        try elements(what) { decoder throws(DecodingError) in try ListResult(from: &decoder).summary }
    }
}

// MARK: - Notification

/// Collects the changes that fit into one `listsChanged` line.
package struct ListsChangedWriter {
    private var listed = ByteWriter()
    private var unlisted = ByteWriter()
    private let lengthMax: Int

    /// Bytes of a line without its elements.
    private static let lengthOfFrame = 256

    package init(lineLengthMax: Int) { lengthMax = lineLengthMax - Self.lengthOfFrame }

    package var isEmpty: Bool { listed.count == 0 && unlisted.count == 0 }

    /// Adds a list that is new or different. A content that is too long for a line is left out.
    ///
    /// - Returns: false if the line has no room for it.
    package mutating func add(_ list: Reply.ListSummary) -> Bool {
        var element = ByteWriter()
        list.write(into: &element)
        if element.count > lengthMax, list.content != nil {
            var list = list
            list.content = nil
            element = ByteWriter()
            list.write(into: &element)
        }
        guard isEmpty || length + element.count < lengthMax else { return false }
        if listed.count > 0 { listed.append(byte: UInt8(ascii: ",")) }
        listed.append(element)
        return true
    }

    /// Adds a list that is no longer in the set.
    ///
    /// - Returns: false if the line has no room for it.
    package mutating func add(unlisted list: ListName) -> Bool {
        var element = ByteWriter()
        element.appendString(list)
        guard isEmpty || length + element.count < lengthMax else { return false }
        if unlisted.count > 0 { unlisted.append(byte: UInt8(ascii: ",")) }
        unlisted.append(element)
        return true
    }

    private var length: Int { listed.count + unlisted.count + 2 }

    /// The whole line.
    package func line(subscription: Int) -> ByteWriter {
        var line = ByteWriter()
        line.append(#"{"jsonrpc":"2.0","method":"listsChanged","params":{"subscription":"#)
        line.append(subscription)
        line.append(#","listed":["#)
        line.append(listed)
        line.append(#"],"unlisted":["#)
        line.append(unlisted)
        line.append("]}}\n")
        return line
    }
}
