import EtcdAPI
import Foundation
import GRPCCore
import SharedLog

/// Converts keys and values, which are strings here.
enum EtcdText {
    static func bytes(_ text: String) -> Data { Data(text.utf8) }
    static func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension EtcdClient: Engine {
    package nonisolated func run(_ transaction: Transaction) async throws(EngineError) -> TransactionResult {
        let changes = transaction.operations.contains { !$0.isGet } || transaction.otherwise.contains { !$0.isGet }
        let response = try await call(changes ? deadlines.change : deadlines.read) { client, options in
            try await Etcdserverpb_KV.Client(wrapping: client).txn(
                Etcdserverpb_TxnRequest(transaction), options: options)
        }
        return TransactionResult(response)
    }

    /// Makes one call over the current connection. A failure of the member closes the connection; a cancelled call does not.
    nonisolated func call<Response: Sendable>(
        _ deadline: Duration,
        _ body: @Sendable @escaping (Client, CallOptions) async throws -> Response
    ) async throws(EngineError) -> Response {
        let link = try await current()
        do { return try await body(link.client, options(deadline)) } catch {
            let failure = CallFailure(error)
            if failure.isOfMember, !Task.isCancelled { await lose(link.number, "\(failure.error)") }
            throw failure.error
        }
    }
}

/// The effect and the cause of a gRPC error.
struct CallFailure {
    var error: EngineError
    /// Whether the member failed, so that another member may succeed.
    var isOfMember: Bool

    init(_ error: any Error) {
        guard let error = error as? RPCError else {
            (self.error, isOfMember) = (.unknown("\(error)"), true)
            return
        }
        let sentence = CallFailure.sentence(for: error)
        switch error.code {
        case .resourceExhausted where error.message.contains("database space exceeded"):
            (self.error, isOfMember) = (.full, false)
        // etcd refused it: too large, no permission, no such lease.
        case .notFound, .invalidArgument, .permissionDenied, .unauthenticated, .unimplemented, .outOfRange,
            .failedPrecondition, .resourceExhausted:
            (self.error, isOfMember) = (.refused(sentence), false)
        // A member without a leader answers `unavailable`, even after it has forwarded a call.
        default: (self.error, isOfMember) = (.unknown(sentence), true)
        }
    }

    /// Returns the cause and the remedy of an error, for the log.
    static func sentence(for error: RPCError) -> String {
        let message = error.message
        let reach = """
            check that etcd runs there, that its --listen-client-urls has this address, and that no firewall is between
            """
        return switch error.code {
        case .deadlineExceeded: "no reply in time: \(reach)"
        case .unavailable where message.contains("no leader") || message.contains("leader changed"):
            "this member of etcd has no leader: check that most members run and reach each other"
        case .unavailable: "the connection failed: \(reach) (\(message))"
        case .permissionDenied, .unauthenticated,
            .invalidArgument where message.contains("user name is empty"):
            """
            etcd does not permit this: the common name (CN) of --cert has to be a user of etcd with the permission readwrite \
            for the prefix /diffabled/SPACE/ (\(message))
            """
        default: message.isEmpty ? "\(error.code)" : "\(message) (\(error.code))"
        }
    }
}

extension EngineOperation {
    var isGet: Bool {
        if case .get = self { true } else { false }
    }
}

extension Etcdserverpb_TxnRequest {
    init(_ transaction: Transaction) {
        self.init()
        compare = transaction.comparisons.map { comparison in
            var compare = Etcdserverpb_Compare()
            compare.key = EtcdText.bytes(comparison.key)
            compare.target = .mod
            compare.result = .equal
            compare.modRevision = comparison.modRevision
            return compare
        }
        success = transaction.operations.map(Etcdserverpb_RequestOp.init)
        failure = transaction.otherwise.map(Etcdserverpb_RequestOp.init)
    }
}

extension Etcdserverpb_RequestOp {
    init(_ operation: EngineOperation) {
        self.init()
        switch operation {
        case .get(let range, let limit, let revision):
            var request = Etcdserverpb_RangeRequest()
            (request.key, request.rangeEnd) = range.bounds
            request.limit = Int64(limit)
            request.revision = revision
            requestRange = request
        case .put(let key, let value, let lease):
            var request = Etcdserverpb_PutRequest()
            request.key = EtcdText.bytes(key)
            request.value = EtcdText.bytes(value)
            request.lease = lease
            requestPut = request
        case .delete(let range):
            var request = Etcdserverpb_DeleteRangeRequest()
            (request.key, request.rangeEnd) = range.bounds
            requestDeleteRange = request
        }
    }
}

extension KeyRange {
    /// The first key and the key after the last; for a single key, the second one is empty.
    var bounds: (Data, Data) {
        switch self {
        case .key(let key): (EtcdText.bytes(key), Data())
        case .prefix(let prefix): (EtcdText.bytes(prefix), Data(KeyRange.end(ofPrefix: prefix)))
        case .between(let first, let end): (EtcdText.bytes(first), EtcdText.bytes(end))
        }
    }
}

extension TransactionResult {
    init(_ response: Etcdserverpb_TxnResponse) {
        let found = response.responses.compactMap { response -> [StoredValue]? in
            guard case .responseRange(let range) = response.response else { return nil }
            return range.kvs.map(StoredValue.init)
        }
        self.init(revision: response.header.revision, succeeded: response.succeeded, found: found)
    }
}

extension StoredValue {
    init(_ stored: Etcdserverpb_KeyValue) {
        self.init(
            key: EtcdText.text(stored.key), value: EtcdText.text(stored.value), createRevision: stored.createRevision,
            modRevision: stored.modRevision, lease: stored.lease)
    }
}
