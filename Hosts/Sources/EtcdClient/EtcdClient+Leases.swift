import EtcdAPI
import GRPCCore
import SharedLog

/// What a member of etcd says of itself.
package struct MemberStatus: Hashable, Sendable {
    package var version: String
    package var databaseBytes: Int64
    package var hasLeader: Bool
    package var isLeader: Bool
}

extension EtcdClient: LeasingEngine {
    /// A lease that ends by itself so long after it was last kept alive; its number.
    package nonisolated func grantLease(for time: Duration) async throws(EngineError) -> Int64 {
        var request = Etcdserverpb_LeaseGrantRequest()
        request.ttl = time.components.seconds
        let granted = request
        return try await call(deadlines.change) { client, options in
            try await Etcdserverpb_Lease.Client(wrapping: client).leaseGrant(granted, options: options).id
        }
    }

    /// False if the lease has ended.
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

    /// Ends a lease, and with it the keys that are under it. It is sent although the task that asks is cancelled.
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

    /// Of the member that is connected to.
    package nonisolated func status() async throws(EngineError) -> MemberStatus {
        let status = try await call(deadlines.read) { client, options in
            try await Etcdserverpb_Maintenance.Client(wrapping: client)
                .status(Etcdserverpb_StatusRequest(), options: options)
        }
        return MemberStatus(
            version: status.version, databaseBytes: status.dbSize, hasLeader: status.leader != 0,
            isLeader: status.leader == status.header.memberID)
    }

    /// Lets etcd forget what was before a revision of its own. It is for whoever runs etcd; tests call it.
    package nonisolated func compact(before revision: Int64) async throws(EngineError) {
        var request = Etcdserverpb_CompactionRequest()
        request.revision = revision
        let compaction = request
        _ = try await call(deadlines.change) { client, options in
            try await Etcdserverpb_KV.Client(wrapping: client).compact(compaction, options: options)
        }
    }
}
