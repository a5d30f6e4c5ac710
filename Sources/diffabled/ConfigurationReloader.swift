import DiffableProtocol
import DiffableServer
import Dispatch
import Logging
import Synchronization
import Systemd

/// Reads the configuration again, for SIGHUP and for a client's `reload`, one after the other. Either all of it is applied or
/// nothing. The file is read on a queue of its own, because a disk may be slow, and applied on the loop in one step.
final class ConfigurationReloader: Sendable {
    private let notifier: Notifier
    private let threshold: LogThreshold
    private let logger: Logger
    private let queue = DispatchQueue(label: "diffabled.configuration")
    private let state: Mutex<State>

    typealias Apply = @Sendable (ServerSettings, @escaping @Sendable () -> Void) -> Void
    typealias WhenDone = @Sendable (Result<Reply.Reload, ReloadError>) -> Void

    private struct State {
        var startUp: StartUp
        /// Nil before the server runs.
        var take: Apply?
        /// Requests from before that: the first client can be faster than the code that starts the server.
        var waiting: [WhenDone] = []
    }

    init(of startUp: StartUp, _ threshold: LogThreshold, notifier: Notifier, logger: Logger) {
        self.notifier = notifier
        self.threshold = threshold
        self.logger = logger
        state = Mutex(State(startUp: startUp))
    }

    func attach(_ take: @escaping Apply) {
        let waiting = state.withLock { state in
            state.take = take
            defer { state.waiting = [] }
            return state.waiting
        }
        for whenDone in waiting { reload(whenDone) }
    }

    /// Calls back when all settings are in force, or when none could be applied.
    func reload(_ whenDone: @escaping WhenDone) {
        let take = state.withLock { state in
            if state.take == nil { state.waiting.append(whenDone) }
            return state.take
        }
        guard let take else { return }
        queue.async { self.reread(take, whenDone) }
    }

    private func reread(_ take: Apply, _ whenDone: @escaping WhenDone) {
        let old = state.withLock { $0.startUp }
        notifier.notify(.reloading)
        do throws(ConfigurationError) {
            let new = try old.reread()
            let reloaded = Reply.Reload(from: old, to: new)
            state.withLock { $0.startUp = old.applying(new) }
            threshold.level = new.configuration.logLevel
            take(new.serverSettings) { [notifier, logger] in
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

extension Reply.Reload {
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
        let rest = needRestart.isEmpty ? "" : "; restart the daemon to apply \(needRestart.joined(separator: ", "))"
        return "read \(file ?? "the configuration") again; \(what)\(rest)"
    }
}
