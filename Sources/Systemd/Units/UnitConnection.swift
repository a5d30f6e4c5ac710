/// A connection to a service manager, for following its units.
///
/// News arrives in the service manager's order: an answer includes all changes reported before it, and later reports are newer.
package protocol UnitConnection: Sendable {
    /// Performs an action, and waits until its job has ended.
    ///
    /// - Returns: the job's result: `done`, `skipped`, `failed`, `timeout`, `dependency` and others.
    func perform(_ action: UnitAction, on unit: String) async throws(UnitFailure) -> String
    /// Ends the connection soon. No news follows.
    func close()
}

/// Receives a service manager's news, on one thread, and returns the questions to ask next.
package typealias UnitListener = @Sendable (UnitEvent) -> [UnitQuery]

/// A signal or an answer of a service manager.
package enum UnitEvent: Sendable {
    /// All changes are reported from now on. Repeated when another process replaces the service manager.
    case subscribed
    /// The unit with this name was loaded. Ask for its state.
    case loaded(String)
    /// The unit was unloaded.
    case unloaded(String)
    case changed(String, UnitState)
    /// The service manager is reading its files again, and reports all units as unloaded during that.
    case reloading
    /// The service manager has read its files. All known states may be outdated.
    case reloaded
    /// The answer to `list`.
    case listed([Unit])
    /// The answer to `look`: the existing units.
    case looked(at: [String], [Unit])
    /// The answer to `files`.
    case files([UnitFile])
    /// A unit file was enabled, disabled, masked or the like.
    case filesChanged
    /// The answer to `since`.
    case since(String, Int?)
    /// The connection is lost or was never made. This is the last news.
    case ended(UnitFailure)
}

/// A question to a service manager.
package enum UnitQuery: Equatable, Sendable {
    /// The loaded units with names that match one of these patterns (fnmatch(3)).
    case list([String])
    /// The states of these units. This loads none of them.
    case look([String])
    /// The unit files with names that match one of these patterns, even of units that are not loaded.
    case files([String])
    /// The time since which a unit is in its state. This loads the unit, so ask only for loaded ones.
    case since(String)
}

/// The reason why a service manager did not do something.
package enum UnitFailure: Error, Equatable, Sendable {
    /// Not connected, with the reason.
    case disconnected(String)
    /// The user is not allowed to do that.
    case denied(String)
    /// The service manager refused, and did nothing.
    case refused(String)
    /// The answer is missing, so the action may have been performed.
    case unanswered(String)
    case cancelled
}
