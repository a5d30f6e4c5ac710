import Diffable
import DiffableJSON

/// The position of a shared list's replica in the list's log.
package struct SharedReplica: Equatable, Sendable {
    package var list: ListName
    package var epoch: String
    package var revision: Int
    package var batch: Int
    /// A text of the daemon that identifies these batches.
    package var chain: String

    package init(list: ListName, epoch: String, revision: Int, batch: Int, chain: String) {
        self.list = list
        self.epoch = epoch
        self.revision = revision
        self.batch = batch
        self.chain = chain
    }

    func writeMembers(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        writer.appendMember("epoch", epoch)
        writer.appendMember("revision", revision)
        writer.appendMember("batch", batch)
        writer.appendMember("chain", chain)
    }
}

/// Calls to the connector. Each is settled by one `settle`.
package enum ConnectorNotification: Equatable, Sendable {
    /// `after` is the required position of the log's head, `next` the new one; the text is a batch as JSON. `absent` are hosts
    /// that must not be connected.
    case append(call: Int, after: SharedReplica, next: SharedReplica, text: [UInt8], absent: [String])
    case confirm(call: Int, SharedReplica)
    case share(call: Int, ListName, epoch: String, access: String)
    case remove(call: Int, ListName, epoch: String, absent: [String])
    /// Not a call: everything after the replica's position has to be reported again.
    case behind(SharedReplica)
    case detached
}

extension ConnectorNotification {
    package func write(into writer: inout ByteWriter) {
        switch self {
        case .append(let call, let after, let next, let text, let absent):
            begin("append", call, into: &writer)
            writer.appendMember("list", after.list)
            writer.appendMember("epoch", after.epoch)
            writer.appendMember("after", after.batch)
            writer.appendMember("afterChain", after.chain)
            writer.appendMember("revision", next.revision)
            writer.appendMember("chain", next.chain)
            writer.append(#","text":"#)
            text.withUnsafeBytes { writer.appendString(utf8: $0) }
            append(absent, to: &writer)
        case .confirm(let call, let replica):
            begin("confirm", call, into: &writer)
            writer.append(byte: UInt8(ascii: ","))
            replica.writeMembers(into: &writer)
        case .share(let call, let list, let epoch, let access):
            begin("share", call, into: &writer)
            writer.appendMember("list", list)
            writer.appendMember("epoch", epoch)
            writer.appendMember("access", access)
        case .remove(let call, let list, let epoch, let absent):
            begin("remove", call, into: &writer)
            writer.appendMember("list", list)
            writer.appendMember("epoch", epoch)
            append(absent, to: &writer)
        case .behind(let replica):
            writer.append(#"{"jsonrpc":"2.0","method":"behind","params":{"#)
            replica.writeMembers(into: &writer)
        case .detached: writer.append(#"{"jsonrpc":"2.0","method":"detached","params":{"#)
        }
        writer.append("}}\n")
    }

    private func append(_ absent: [String], to writer: inout ByteWriter) {
        if absent.isEmpty { return }
        writer.append(#","absent":"#)
        writer.appendArray(absent) { host, writer in writer.appendString(host) }
    }

    private func begin(_ method: StaticString, _ call: Int, into writer: inout ByteWriter) {
        writer.append(#"{"jsonrpc":"2.0","method":""#)
        writer.append(method)
        writer.append(#"","params":{"call":"#)
        writer.append(call)
    }
}

extension Liveness {
    /// `,"shared":{"live":true}`
    func writeSharedMember(into writer: inout ByteWriter) {
        writer.append(#","shared":{"live":"#)
        switch self {
        case .live: writer.append("true")
        case .notLive(let since):
            writer.append("false")
            if let since { writer.appendMember("time", since) }
        }
        writer.append(byte: UInt8(ascii: "}"))
    }
}

struct SharedLiveness: DecodableReply {
    let liveness: Liveness

    private enum Member: UInt8, IndexedMemberName {
        case live, time

        static let names = MemberNames(Member.self)
    }

    init(from decoder: inout Decoder) throws(DecodingError) {
        var isLive: Bool?
        var time: Int?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .live: isLive = try decoder.boolean("live")
            case .time: time = try decoder.wholeNumber("a time")
            }
        }
        liveness = Liveness(isLive: try Self.needed(isLive, "live"), time: time)
    }
}
