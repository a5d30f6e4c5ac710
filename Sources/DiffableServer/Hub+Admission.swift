import DiffableJSON
import DiffableProtocol
import DiffableStore
import Glibc
import NIOCore

/// Thrown after a client was notified of the reason for its refusal.
struct NotAdmitted: Error {}

extension Hub {
    /// Admits a client or refuses it. A refused client gets the reason in a line that is written directly to its
    /// socket. The socket is closed soon after, or at once, by throwing, if many clients are being refused.
    func admit(_ channel: any Channel) throws {
        let descriptor = Connection.descriptor(of: channel)
        let credentials = descriptor.flatMap(PeerCredentials.init)
        let quota = quota(of: credentials?.userID)
        let peer = Peer(credentials, daemonUserID: options.userID)
        if let refusal = reasonNotToAdmit(peer, quota) {
            if let descriptor { Self.send(refusal, to: descriptor) }
            refusalLog.note(refusal, of: nil, by: peer, credentials?.metadata ?? [:])
            guard numberOfRefusedClients < RefusedClient.countMax else { throw NotAdmitted() }
            return try channel.pipeline.syncOperations.addHandler(RefusedClient(hub: self))
        }
        try channel.pipeline.syncOperations.addHandler(
            Connection(hub: self, quota: quota, descriptor: descriptor, credentials: credentials))
    }

    private func reasonNotToAdmit(_ peer: Peer, _ quota: UserQuota) -> WireError? {
        if let refusal = options.clients.refusal(of: peer, daemonUserID: options.userID) { return refusal }
        guard hasRoom(for: peer, quota) else { return .tooManyConnections(max: limits.connectionsMax) }
        guard quota.numberOfConnections < limits.connectionsPerUserMax else {
            return .tooManyConnections(of: quota.userID, max: limits.connectionsPerUserMax)
        }
        return nil
    }

    private func hasRoom(for peer: Peer, _ quota: UserQuota) -> Bool {
        let max = limits.connectionsMax
        if numberOfConnections < max { return true }
        let kept = ServerLimits.connectionsKept
        if peer.isPrivileged {
            let own = numberOfConnections(of: [0, options.userID])
            return own + min(numberOfConnections - own, max) < max + kept
        }
        return quota.numberOfConnections == 0
            && numberOfConnections < max + kept + ServerLimits.firstConnectionsKept
    }

    /// Sends an error without waiting: a new socket has room for a line.
    private static func send(_ error: WireError, to descriptor: CInt) {
        var line = ByteWriter()
        error.write(id: .null, into: &line)
        line.withUnsafeBytes { bytes in
            _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
    }
}
