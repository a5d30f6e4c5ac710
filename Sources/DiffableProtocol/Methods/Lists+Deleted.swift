import Diffable
import DiffableJSON

// MARK: - Reply

extension Reply {
    /// A list that can be brought back, as `lists` with `deleted` tells of it.
    package struct DeletedList: Equatable, Sendable {
        /// As it was when it was deleted.
        package var summary: ListSummary
        /// When it was deleted, in milliseconds since 1970 began.
        package var time: Int
        /// By whom: what the client called itself, its process and its user.
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
    static func write(_ lists: [Reply.DeletedList], into writer: inout ByteWriter) {
        writer.append(#""lists":"#)
        writer.appendArray(lists) { list, writer in
            list.summary.writeMembers(into: &writer)
            writer.appendMember("time", list.time)
            if let name = list.name { writer.appendMember("name", name) }
            if let processID = list.processID { writer.appendMember("pid", processID) }
            if let userID = list.userID { writer.appendMember("uid", userID) }
            writer.append(byte: UInt8(ascii: "}"))
        }
    }

    /// Reads the reply to `lists` with `deleted`.
    package static func all(json: [UInt8]) throws(DecodingError) -> [Reply.DeletedList] {
        try ListsResult(json: json).lists.map { list throws(DecodingError) in
            Reply.DeletedList(
                summary: list.summary, time: try ListsResult.needed(list.time, "time"), name: list.name,
                processID: list.processID, userID: list.userID)
        }
    }
}
