import DiffableJSON
import DiffableProtocol
import Glibc
import Logging
import NIOCore
import NIOPosix

/// A client was told why it is not let in.
struct NotAdmitted: Error {}

extension Hub {
    /// Lets a client in. One too many is told so, in a line that goes straight to its socket, which is closed soon after,
    /// or at once, by throwing, when many are told so.
    func admit(_ channel: any Channel) throws {
        let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        let userID = descriptor.flatMap(PeerCredentials.init).map { Int($0.userID) }
        let account = account(of: userID)
        if let refusal = reasonNotToAdmit(account) {
            if let descriptor { Self.send(refusal, to: descriptor) }
            noteNotAdmitted(because: refusal)
            guard numberOfRefusedClients < RefusedClient.countMax else { throw NotAdmitted() }
            return try channel.pipeline.syncOperations.addHandler(RefusedClient(hub: self))
        }
        try channel.pipeline.syncOperations.addHandler(Connection(hub: self, account: account))
    }

    private func reasonNotToAdmit(_ account: Account) -> WireError? {
        let kept = account.isAdministrators ? ServerLimits.connectionsKept : 0
        if numberOfConnections >= limits.connectionsMax + kept {
            return .tooManyConnections(max: limits.connectionsMax)
        }
        guard account.numberOfConnections < limits.connectionsPerUserMax else {
            return .tooManyConnections(of: account.userID, max: limits.connectionsPerUserMax)
        }
        return nil
    }

    /// A new socket has room for a line.
    private static func send(_ error: WireError, to descriptor: CInt) {
        var line = ByteWriter()
        error.write(id: .null, into: &line)
        line.withUnsafeBytes { bytes in
            _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
    }

    // MARK: The log

    private func noteNotAdmitted(because refusal: WireError) {
        noteRarely("a client was not let in: \(refusal.message)")
    }

    /// Nothing is wrong with those who are connected.
    func noteWithoutDescriptors(_ error: IOError) {
        noteRarely(
            "no file descriptor is left for new clients, who wait until one is closed: raise LimitNOFILE= of the unit, "
                + "`ulimit -n`, or fs.file-max (\(error))")
    }

    /// At most one such message in ten seconds, for those who connect again and again.
    private func noteRarely(_ message: String) {
        guard .now() >= nextNote else { return }
        nextNote = .now() + .seconds(10)
        logger.warning("\(message)")
    }
}

extension Account {
    /// Root's, or that of the user whose daemon this is.
    var isAdministrators: Bool { userID == 0 || userID == Int(geteuid()) }
}
