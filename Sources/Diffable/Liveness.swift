/// Whether a mirror or a shared list has the current state of its source.
public enum Liveness: Sendable, Equatable {
    /// It has every change of its source, except those in transit.
    case live
    /// The connection to the source is lost, and the list may be out of date.
    /// - Parameter since: in milliseconds since 1970. Nil if unknown, for example after the daemon started.
    case notLive(since: Int?)
}
