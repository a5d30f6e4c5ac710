import DiffableServer
import Dispatch
import Logging
import Synchronization
import Systemd

/// Reads the configuration again, for SIGHUP and for the `reload` of a client, one after the other: all of it is taken
/// or nothing.
///
/// The file is read on a queue of its own, because a disk may take its time, and taken on the loop in one step.
final class Reloading: Sendable {
    private let notifier: Notifier
    private let threshold: LogThreshold
    private let logger: Logger
    private let queue = DispatchQueue(label: "diffabled.configuration")
    private let state: Mutex<State>

    private struct State {
        /// What is in force.
        var startUp: StartUp
        /// Nil before it serves.
        var server: Server?
    }

    init(of startUp: StartUp, _ threshold: LogThreshold, notifier: Notifier, logger: Logger) {
        self.notifier = notifier
        self.threshold = threshold
        self.logger = logger
        state = Mutex(State(startUp: startUp))
    }

    /// The server that is to have the settings.
    func attach(_ server: Server) { state.withLock { $0.server = server } }

    /// Calls back when the settings are in force, or nothing of them is.
    func reload(_ whenDone: @escaping @Sendable (Result<Reloaded, ReloadError>) -> Void) {
        queue.async { self.readAgain(whenDone) }
    }

    private func readAgain(_ whenDone: @escaping @Sendable (Result<Reloaded, ReloadError>) -> Void) {
        let (old, server) = state.withLock { ($0.startUp, $0.server) }
        guard let server else { preconditionFailure("only who serves is asked to reload") }
        notifier.notify(.reloading)
        do throws(ConfigurationError) {
            let new = try old.again()
            let reloaded = Reloaded(from: old, to: new)
            state.withLock { $0.startUp = old.taking(new) }
            threshold.level = new.configuration.logLevel
            server.take(new.serverSettings) { [notifier, logger] in
                notifier.notify(.ready)
                logger.notice("\(reloaded.sentence)")
                whenDone(.success(reloaded))
            }
        } catch {
            notifier.notify(.ready)
            let reason = "the configuration stays as it was: \(error)"
            logger.error("\(reason)")
            whenDone(.failure(ReloadError(reason: reason)))
        }
    }
}

extension Reloaded {
    fileprivate init(from old: StartUp, to new: StartUp) {
        var needRestart: [Setting] = []
        if new.socket != old.socket { needRestart.append(.socket) }
        if new.stateDirectory != old.stateDirectory { needRestart.append(.stateDirectory) }
        if new.clients != old.clients { needRestart.append(.clients) }
        let applied = new.configuration.changes(from: old.configuration)
        self.init(file: new.file, applied: applied.map(\.key), needRestart: needRestart.map(\.key))
    }

    fileprivate var sentence: String {
        let what = applied.isEmpty ? "nothing has changed" : "changed: \(applied.joined(separator: ", "))"
        let rest = needRestart.isEmpty ? "" : "; a restart is needed for \(needRestart.joined(separator: ", "))"
        return "read \(file ?? "the configuration") again; \(what)\(rest)"
    }
}
