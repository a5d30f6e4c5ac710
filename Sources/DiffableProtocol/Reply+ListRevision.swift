import Diffable
import DiffableJSON

extension Reply {
    /// A list's epoch and revision. It is the reply to `createList`, and the beginning of others.
    package struct ListRevision: Equatable, Sendable {
        package var list: ListName
        package var epoch: String
        package var revision: Int

        package init(list: ListName, epoch: String, revision: Int) {
            self.list = list
            self.epoch = epoch
            self.revision = revision
        }
    }
}

extension Reply.ListRevision {
    func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        writer.appendMember("epoch", epoch)
        writer.appendMember("revision", revision)
    }
}

extension Reply.ListRevision: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case list, epoch, revision

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var epoch: String?
        var revision: Int?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .epoch: epoch = try decoder.string("epoch").text
            case .revision: revision = try decoder.wholeNumber("revision")
            }
        }
        self.init(
            list: try Self.needed(list, "list"), epoch: try Self.needed(epoch, "epoch"),
            revision: try Self.needed(revision, "revision"))
    }
}
