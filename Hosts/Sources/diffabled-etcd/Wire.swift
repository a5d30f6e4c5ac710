import Foundation
import SharedLog

/// The connector's requests as JSON; docs/sharing-protocol.md explains each member.
struct WireRequest<Parameters: Encodable>: Encodable {
    var id: Int
    var method: String
    var params: Parameters
}

struct AttachParameters: Encodable {
    var host: String
    var space: String
}

struct SettleParameters: Encodable {
    var call: Int
    var outcome: String
}

struct HostsParameters: Encodable {
    var hosts: [String]
}

struct ListParameters: Encodable {
    var list: String
}

struct ReplicateParameters: Encodable {
    var list: String
    var epoch: String
    var access: String?
    var batches: [String]?
    var state: String?
    var more: Bool?
    var batch: Int?
    var revision: Int?
    var chain: String?
    var live: Bool?
    var gone: Bool?

    init(_ replication: Replication) {
        (list, epoch, access) = (replication.list, replication.epoch, replication.access)
        batches = replication.batches.isEmpty ? nil : replication.batches
        live = replication.isLive
        gone = replication.isGone ? true : nil
        guard let part = replication.state else { return }
        state = part.text
        guard let position = part.position else {
            more = true
            return
        }
        (batch, revision, chain) = (position.batch, position.revision, position.chain)
    }
}

/// A message of the daemon: an answer if it has an `id`, otherwise a notification.
struct WireMessage: Decodable {
    var id: Int?
    var result: WireResult?
    var error: WireRefusal?
    var method: String?
    var params: WireCall?
}

struct WireRefusal: Decodable {
    struct Details: Decodable {
        var name: String?
    }

    var message: String
    var data: Details?
}

/// The members of all answers; each has some.
struct WireResult: Decodable {
    var list: String?
    var epoch: String?
    var batch: Int?
    var revision: Int?
    var chain: String?
    var fits: Bool?
    var parts: [String]?
    var lists: [WireResult]?

    var replica: Replica? {
        guard let batch, let revision else { return nil }
        return Replica(batch: batch, revision: revision, chain: chain)
    }
}

/// The members of all notifications.
struct WireCall: Decodable {
    var call: Int?
    var list: String?
    var epoch: String?
    var after: Int?
    var afterChain: String?
    var batch: Int?
    var revision: Int?
    var chain: String?
    var text: String?
    var access: String?
    var absent: [String]?

    /// Returns nil for a method that is not a call, or that only a later version has.
    func call(_ method: String) -> DaemonCall? {
        guard let call, let list, let epoch else { return nil }
        return request(method).map { DaemonCall(call, list, epoch, $0) }
    }

    private func request(_ method: String) -> DaemonCall.Request? {
        switch method {
        case "append":
            guard let after, let afterChain, let revision, let chain, let text else { return nil }
            let position = Position(batch: after + 1, revision: revision, chain: chain)
            return .append(text: text, to: position, after: after, afterChain: afterChain, absent: absent ?? [])
        case "confirm":
            guard let batch, let chain else { return nil }
            return .confirm(batch: batch, chain: chain)
        case "share": return access.map { .share(access: $0) }
        case "remove": return .remove(absent: absent ?? [])
        default: return nil
        }
    }
}
