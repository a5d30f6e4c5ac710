import Diffable
import DiffableJSON

// MARK: - Reply

extension Reply {
    /// A list that can be restored, as `lists` with `deleted` describes it.
    package struct DeletedList: Equatable, Sendable {
        package var summary: ListSummary
        /// The time of the deletion, in milliseconds since 1970.
        package var time: Int
        /// The client that deleted it: its own name for itself, its process and its user.
        package var name: String?
        package var processID: Int?
        package var userID: Int?

        package init(summary: ListSummary, time: Int, name: String?, processID: Int?, userID: Int?) {
            self.summary = summary
            self.time = time
            self.name = name
            self.processID = processID
            self.userID = userID
        }
    }
}

extension Reply.DeletedList {
    static func parts(_ lists: [Reply.DeletedList]) -> ReplyParts {
        var parts = ReplyParts()
        parts.append { $0.append(#""lists":["#) }
        parts.append(lists) { list, writer in
            list.summary.writeMembers(into: &writer)
            writer.appendMember("time", list.time)
            if let name = list.name { writer.appendMember("name", name) }
            if let processID = list.processID { writer.appendMember("pid", processID) }
            if let userID = list.userID { writer.appendMember("uid", userID) }
            writer.append(byte: UInt8(ascii: "}"))
        }
        parts.append { $0.append(byte: UInt8(ascii: "]")) }
        return parts
    }

    package static func all(json: [UInt8]) throws(DecodingError) -> [Reply.DeletedList] {
        try ListsResult(json: json).lists.map { list throws(DecodingError) in
            Reply.DeletedList(
                summary: list.summary, time: try ListsResult.needed(list.time, "time"), name: list.name,
                processID: list.processID, userID: list.userID)
        }
    }
}
