/// Whether a mirror shows what the list that it is a mirror of is like now.
public enum Liveness: Sendable, Equatable {
    /// Nothing that has happened there is missing here, but for what is on its way.
    case live
    /// Whoever mirrors it has no connection to that list, or is gone: it is as it was then.
    ///
    /// - Parameter since: in milliseconds since 1970 began; nil where the daemon does not know, as after its start.
    case notLive(since: Int?)
}
