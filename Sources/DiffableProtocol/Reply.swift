import Diffable
import DiffableJSON

/// The result of a request, as the daemon writes it. `SnapshotReplyWriter` writes a snapshot in pages, and `LongReplyWriter`
/// every reply of many elements.
package enum Reply: Sendable {
    case hello(Hello)
    case ping
    case help
    case status(Status)
    case clients([Client])
    case reload(Reload)
    case lists([ListSummary])
    case followLists(FollowLists)
    case deletedLists([DeletedList])
    /// Also the reply to `undeleteList`, `renameList`, `mirror` and `setSchemas`.
    case createList(ListRevision)
    case deleteList(ListName)
    /// A part of a transaction that has an id of its own.
    case staged(ListName)
    /// Also the reply to `propose`.
    case change(Change)
    case perform(Perform)
    case expand(Expand)
    case handle(Handle)
    case unhandle(handler: Int)
    case answer(request: Int)
    case subscribe(Subscribe)
    case setView(subscription: Int)
    case unsubscribe(subscription: Int)
    case history(History)
    case difference(Difference)
    case setAccess(ListAccess)
    case schemas(Schemas)
    /// The positions of the replicas of all shared lists.
    case attach([SharedReplica])
    /// The replica's new position, and whether all batches were next and could be applied.
    case replicate(SharedReplica, fits: Bool)
    case settle(call: Int)
    /// The number of reported hosts.
    case hosts(Int)
    case checkpoint(Checkpoint)

    /// Writes one whole line; nothing if the request had no id.
    package func write(id: RequestID, into writer: inout ByteWriter) {
        if id == .absent { return }
        writer.beginReply(id)
        writer.append(#","result":{"#)
        switch self {
        case .hello(let hello): hello.write(into: &writer)
        case .ping: break
        case .help: Help.write(into: &writer)
        case .status(let status): status.write(into: &writer)
        case .reload(let reload): reload.write(into: &writer)
        case .createList(let list): list.write(into: &writer)
        case .deleteList(let list):
            writer.append(#""list":"#)
            writer.appendString(list)
        case .staged(let list):
            writer.append(#""list":"#)
            writer.appendString(list)
            writer.append(#","staged":true"#)
        case .change(let change): change.write(into: &writer)
        case .perform(let perform): perform.write(into: &writer)
        case .expand(let expand): expand.write(into: &writer)
        case .handle(let handle): handle.write(into: &writer)
        case .unhandle(let handler):
            writer.append(#""handler":"#)
            writer.append(handler)
        case .answer(let request):
            writer.append(#""request":"#)
            writer.append(request)
        case .subscribe(let subscribe): subscribe.write(into: &writer)
        case .setView(let subscription), .unsubscribe(let subscription):
            writer.append(#""subscription":"#)
            writer.append(subscription)
        case .difference(let difference): difference.write(into: &writer)
        case .setAccess(let access): access.write(into: &writer)
        case .schemas(let schemas): schemas.write(into: &writer)
        case .attach(let replicas):
            writer.append(#""lists":"#)
            writer.appendArray(replicas) { replica, writer in
                writer.append(byte: UInt8(ascii: "{"))
                replica.writeMembers(into: &writer)
                writer.append(byte: UInt8(ascii: "}"))
            }
        case .replicate(let replica, let fits):
            replica.writeMembers(into: &writer)
            if !fits { writer.append(#","fits":false"#) }
        case .settle(let call):
            writer.append(#""call":"#)
            writer.append(call)
        case .hosts(let count):
            writer.append(#""hosts":"#)
            writer.append(count)
        case .checkpoint(let checkpoint): checkpoint.write(into: &writer)
        case .clients, .lists, .followLists, .deletedLists, .history:
            var parts = self.parts ?? ReplyParts()
            while parts.writeNext(into: &writer) {}
        }
        writer.append("}}\n")
    }
}
