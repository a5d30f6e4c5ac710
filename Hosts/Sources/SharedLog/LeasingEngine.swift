/// An engine with keys that go by themselves when nobody says for a while that they are to stay.
package protocol LeasingEngine: FollowedEngine {
    /// A lease that ends by itself so long after it was last kept alive; its number.
    func grantLease(for time: Duration) async throws(EngineError) -> Int64
    /// False if the lease has ended.
    func keepAlive(_ lease: Int64) async throws(EngineError) -> Bool
    /// Ends a lease, and with it the keys that are under it. It is sent although the task that asks is cancelled.
    func revoke(_ lease: Int64) async throws(EngineError)
}
