/// An engine with keys that expire without keep-alives.
package protocol LeasingEngine: FollowedEngine {
    /// Grants a lease that expires this long after the last keep-alive, and returns its number.
    func grantLease(for time: Duration) async throws(EngineError) -> Int64
    /// Keeps a lease alive; returns false if it has ended.
    func keepAlive(_ lease: Int64) async throws(EngineError) -> Bool
    /// Ends a lease, and deletes its keys. The request is sent even if the calling task is cancelled.
    func revoke(_ lease: Int64) async throws(EngineError)
}
