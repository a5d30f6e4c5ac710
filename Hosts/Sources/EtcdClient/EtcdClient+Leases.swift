import EtcdAPI
import GRPCCore
import SharedLog

/// The status of a member of etcd.
package struct MemberStatus: Hashable, Sendable {
    package var version: String
    package var databaseBytes: Int64
    package var hasLeader: Bool
    package var isLeader: Bool
}

extension EtcdClient: LeasingEngine {
    /// Grants a lease that expires this long after the last keep-alive, and returns its number.
    package nonisolated func grantLease(for time: Duration) async throws(EngineError) -> Int64 {
        var request = Etcdserverpb_LeaseGrantRequest()
        request.ttl = time.components.seconds
        let granted = request
        return try await call(deadlines.change) { client, options in
            try await Etcdserverpb_Lease.Client(wrapping: client).leaseGrant(granted, options: options).id
        }
    }

    /// Keeps a lease alive; returns false if it has ended.
    package nonisolated func keepAlive(_ lease: Int64) async throws(EngineError) -> Bool {
        var request = Etcdserverpb_LeaseKeepAliveRequest()
        request.id = lease
        let kept = request
        return try await call(deadlines.read) { client, options in
            try await Etcdserverpb_Lease.Client(wrapping: client).leaseKeepAlive(options: options) { writer in
                try await writer.write(kept)
            } onResponse: { response in
                for try await message in response.messages { return message.ttl > 0 }
                return false
            }
        }
    }

    /// Ends a lease, and deletes its keys. The request is sent even if the calling task is cancelled.
    package nonisolated func revoke(_ lease: Int64) async throws(EngineError) {
        var request = Etcdserverpb_LeaseRevokeRequest()
        request.id = lease
        let revoked = request
        let result = await Task { () async -> Result<Void, EngineError> in
            do throws(EngineError) {
                _ = try await call(deadlines.change) { client, options in
                    try await Etcdserverpb_Lease.Client(wrapping: client).leaseRevoke(revoked, options: options)
                }
                return .success(())
            } catch { return .failure(error) }
        }.value
        try result.get()
    }

    /// Returns the status of the connected member.
    package nonisolated func status() async throws(EngineError) -> MemberStatus {
        let status = try await call(deadlines.read) { client, options in
            try await Etcdserverpb_Maintenance.Client(wrapping: client)
                .status(Etcdserverpb_StatusRequest(), options: options)
        }
        return MemberStatus(
            version: status.version, databaseBytes: status.dbSize, hasLeader: status.leader != 0,
            isLeader: status.leader == status.header.memberID)
    }

    /// Discards etcd's history before one of its revisions. This is the job of etcd's operator; only tests call it.
    package nonisolated func compact(before revision: Int64) async throws(EngineError) {
        var request = Etcdserverpb_CompactionRequest()
        request.revision = revision
        let compaction = request
        _ = try await call(deadlines.change) { client, options in
            try await Etcdserverpb_KV.Client(wrapping: client).compact(compaction, options: options)
        }
    }
}
