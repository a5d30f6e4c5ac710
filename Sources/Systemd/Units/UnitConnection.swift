/// A connection to a service manager, for who follows its units.
///
/// What is heard has one order, that of the service manager: an answer has all that was told before it, and what is told after it is
/// newer.
package protocol UnitConnection: Sendable {
    /// Has something done, and waits until that has ended.
    ///
    /// - Returns: how its job ended: `done`, `skipped`, `failed`, `timeout`, `dependency` and others.
    func perform(_ action: UnitAction, on unit: String) async throws(UnitFailure) -> String
    /// Ends it soon. Nothing is heard any more.
    func close()
}

/// Hears what a service manager tells, on one thread, and says what it is to be asked next.
package typealias UnitListener = @Sendable (UnitNews) -> [UnitQuestion]

/// What a service manager tells, or answers.
package enum UnitNews: Sendable {
    /// All changes are told from now on. Comes again when another process takes the service manager's place.
    case subscribed
    /// The unit of this name was loaded. What it is like has to be asked.
    case loaded(String)
    /// It is forgotten.
    case unloaded(String)
    case changed(String, UnitState)
    /// The service manager reads its files again, and tells meanwhile that all units are forgotten.
    case reloading
    /// It has read them. What was known before may be otherwise.
    case reloaded
    /// The answer to `list`.
    case listed([Unit])
    /// The answer to `look`: those that there are.
    case looked(at: [String], [Unit])
    /// The answer to `since`.
    case since(String, Int?)
    /// The connection is lost, or was never made. It is the last that is heard.
    case ended(UnitFailure)
}

/// What a service manager is asked.
package enum UnitQuestion: Equatable, Sendable {
    /// Which units are loaded whose names are like one of these patterns (fnmatch(3)).
    case list([String])
    /// What these units are like. It loads none of them.
    case look([String])
    /// Since when a unit is in its state. A unit that is not loaded is loaded for that, so only one that is should be asked for.
    case since(String)
}

/// Why a service manager did not do something.
package enum UnitFailure: Error, Equatable, Sendable {
    /// There is no connection, with the reason.
    case disconnected(String)
    /// This user may not do that.
    case denied(String)
    /// It said no, and did nothing.
    case refused(String)
    /// It did not say, so it may have been done.
    case unanswered(String)
    case cancelled
}
