import Diffable
import DiffableJSON

extension Reply {
    /// Where a list is. The reply to `createList` has nothing more; others begin with it.
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
