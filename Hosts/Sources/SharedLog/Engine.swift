/// What keeps the shared lists: ordered keys, and transactions that compare before they change. etcd is one; tests have
/// a model of it that fails as they say.
package protocol Engine: Sendable {
    /// Carries out one transaction, wholly or not at all, in one order for all hosts. One that only reads sees
    /// everything that was answered before it began.
    func run(_ transaction: Transaction) async throws(EngineError) -> TransactionResult
}

/// Why there is no result.
package enum EngineError: Error, Equatable, CustomStringConvertible {
    /// Nothing was changed by it, and nothing will be.
    case refused(String)
    /// No answer came. It may have been carried out, or may be yet.
    case unknown(String)

    package var description: String {
        switch self {
        case .refused(let reason), .unknown(let reason): reason
        }
    }
}

package struct Transaction: Hashable, Sendable {
    package var comparisons: [Comparison] = []
    /// What is done if all comparisons hold.
    package var operations: [EngineOperation]
    /// What is done otherwise.
    package var otherwise: [EngineOperation] = []

    package init(
        if comparisons: [Comparison] = [], _ operations: [EngineOperation], otherwise: [EngineOperation] = []
    ) {
        self.comparisons = comparisons
        self.operations = operations
        self.otherwise = otherwise
    }
}

/// That a key was last changed at a revision of the engine; 0: that there is no such key.
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
    ///   - limit: 0 is none.
    ///   - revision: of the engine, at which to read; 0 is now.
    case get(KeyRange, limit: Int = 0, revision: Int64 = 0)
    /// - Parameter lease: with whose end the key goes; 0 is none.
    case put(key: String, value: String, lease: Int64 = 0)
    case delete(KeyRange)
}

package enum KeyRange: Hashable, Sendable {
    case key(String)
    case prefix(String)
    /// The first is in it, the second is not.
    case between(String, String)

    /// The first key that is behind all keys with a prefix. Keys are compared by their bytes.
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

/// What a watch of the engine tells.
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
    /// Of the engine, after the transaction.
    package var revision: Int64
    /// Whether all comparisons held.
    package var succeeded: Bool
    /// What each `get` found, in their order.
    package var found: [[StoredValue]]

    package init(revision: Int64, succeeded: Bool, found: [[StoredValue]]) {
        self.revision = revision
        self.succeeded = succeeded
        self.found = found
    }
}
