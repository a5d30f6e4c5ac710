import Diffable
import DiffableJSON

extension Request {
    package struct Snapshot: Sendable {
        package var list: ListName
        /// A kept revision; nil: the current one.
        package var revision: Int?
        package var view: View
        package var freshness: Freshness

        package init(list: ListName, revision: Int? = nil, view: View = View(), freshness: Freshness = .any) {
            self.list = list
            self.revision = revision
            self.view = view
            self.freshness = freshness
        }
    }
}

extension Request.Snapshot: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var revision: Int?
        var view: View?
        var freshness = FreshnessParameters()
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .at: revision = try decoder.wholeNumber("at")
            case .view: view = try decoder.view()
            case .mostRecent: freshness.isMostRecent = try decoder.boolean("mostRecent")
            case .notOlderThan: freshness.revision = try decoder.wholeNumber("notOlderThan")
            }
        }
        return .snapshot(
            Self(
                list: try needed(list, .list), revision: revision, view: view ?? View(),
                freshness: try freshness.freshness))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        if let revision { writer.appendParameter("at", revision) }
        writer.appendParameter(view)
        writer.appendParameter(freshness)
    }
}

// MARK: - Reply

/// The reply to `snapshot`, as a client decodes it; `SnapshotReplyWriter` writes it.
package struct SnapshotResult: Sendable {
    package var start: Reply.ListRevision
    package var list: WholeList
    /// The snapshot as it was received: canonical JSON.
    package var bytes: [UInt8]
}

extension SnapshotResult: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case list, epoch, revision, snapshot

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var epoch: String?
        var revision: Int?
        var snapshot: (list: WholeList, bytes: [UInt8])?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .epoch: epoch = try decoder.string("epoch").text
            case .revision: revision = try decoder.wholeNumber("a count")
            case .snapshot: snapshot = try decoder.snapshotWithBytes()
            }
        }
        self.start = Reply.ListRevision(
            list: try Self.needed(list, "list"), epoch: try Self.needed(epoch, "epoch"),
            revision: try Self.needed(revision, "revision"))
        (self.list, self.bytes) = try Self.needed(snapshot, "snapshot")
    }
}

extension Decoder {
    fileprivate mutating func snapshotWithBytes() throws(DecodingError) -> (list: WholeList, bytes: [UInt8]) {
        _ = scanner.peek()
        let start = scanner.offset
        let list = try snapshot()
        return (list, [UInt8](scanner.bytes[start..<scanner.offset]))
    }
}
