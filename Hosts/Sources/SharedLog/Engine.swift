/// The store of shared lists: ordered keys with compare-and-swap transactions. etcd is one; tests have a model with injected
/// failures.
package protocol Engine: Sendable {
    /// Executes one transaction, completely or not at all, in one order for all hosts. A read-only transaction sees everything
    /// that was answered before it began.
    func run(_ transaction: Transaction) async throws(EngineError) -> TransactionResult
}

/// The reason why a transaction has no result.
package enum EngineError: Error, Equatable, CustomStringConvertible {
    /// The transaction changed nothing, and will not.
    case refused(String)
    /// The transaction changed nothing, because etcd has no space.
    case full
    /// The answer is missing. The transaction may have been executed, or may yet be.
    case unknown(String)

    package var description: String {
        switch self {
        case .refused(let reason), .unknown(let reason): reason
        case .full:
            """
            etcd has used up its space (--quota-backend-bytes): compact and defragment each of its members, and then clear the \
            alarm with `etcdctl alarm disarm`
            """
        }
    }
}

package struct Transaction: Hashable, Sendable {
    package var comparisons: [Comparison] = []
    /// The operations to execute if all comparisons hold.
    package var operations: [EngineOperation]
    /// The operations to execute otherwise.
    package var otherwise: [EngineOperation] = []

    package init(
        if comparisons: [Comparison] = [], _ operations: [EngineOperation], otherwise: [EngineOperation] = []
    ) {
        self.comparisons = comparisons
        self.operations = operations
        self.otherwise = otherwise
    }
}

/// Checks that a key was last changed at a revision of etcd; 0 means that the key is missing.
package struct Comparison: Hashable, Sendable {
    package var key: String
    package var modRevision: Int64

    package init(_ key: String, changedAt modRevision: Int64) {
        self.key = key
        self.modRevision = modRevision
    }

    package static func absent(_ key: String) -> Comparison { Comparison(key, changedAt: 0) }
}

package enum EngineOperation: Hashable, Sendable {
    /// - Parameters:
    ///   - limit: the most keys; 0 for no limit.
    ///   - revision: the revision of etcd to read; 0 for the current one.
    case get(KeyRange, limit: Int = 0, revision: Int64 = 0)
    /// - Parameter lease: the lease that keeps the key: etcd deletes the key when the lease ends. 0 for none.
    case put(key: String, value: String, lease: Int64 = 0)
    case delete(KeyRange)
}

package enum KeyRange: Hashable, Sendable {
    case key(String)
    case prefix(String)
    /// A half-open range: it includes the first key, but not the second.
    case between(String, String)

    /// Returns the first key after all keys with a prefix. Keys are compared by their bytes.
    package static func end(ofPrefix prefix: String) -> [UInt8] {
        var bytes = Array(prefix.utf8)
        while let last = bytes.popLast() {
            // UTF-8 has no byte 0xFF, so there is a next one.
            if last < 0xFF { return bytes + [last + 1] }
        }
        return [0]
    }
}

package struct StoredValue: Hashable, Sendable {
    package var key: String
    package var value: String
    package var createRevision: Int64
    package var modRevision: Int64
    package var lease: Int64

    package init(key: String, value: String, createRevision: Int64, modRevision: Int64, lease: Int64 = 0) {
        self.key = key
        self.value = value
        self.createRevision = createRevision
        self.modRevision = modRevision
        self.lease = lease
    }
}

/// An event of a watch.
package enum EngineEvent: Hashable, Sendable {
    case put(StoredValue)
    case deleted(key: String, revision: Int64)

    package var key: String {
        switch self {
        case .put(let stored): stored.key
        case .deleted(let key, _): key
        }
    }
}

package struct TransactionResult: Hashable, Sendable {
    /// The revision of etcd after the transaction.
    package var revision: Int64
    /// Whether all comparisons held.
    package var succeeded: Bool
    /// The results of each `get`, in order.
    package var found: [[StoredValue]]

    package init(revision: Int64, succeeded: Bool, found: [[StoredValue]]) {
        self.revision = revision
        self.succeeded = succeeded
        self.found = found
    }
}
