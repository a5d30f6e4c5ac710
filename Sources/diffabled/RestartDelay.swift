import DiffableServer
import DiffableStore
import Glibc
import Systemd

/// Delays the exit after a startup that failed because of the machine, since the next one would fail as well. A start
/// limit of the unit would not help: when it is reached, systemd stops the socket too, and every client is refused
/// until an administrator acts. Waiting before the exit works with every version of systemd.
enum RestartDelay {
    static let pause = Duration.seconds(10)

    /// Waits a while if a service manager will start the daemon again, and reports the reason there. A signal ends the wait.
    static func wait(because error: any Error, notifier: Notifier = Notifier()) async {
        switch error {
        // A later failure of the storage needs no wait: the next startup reads the intact part.
        case is StoreOpeningError, is ServerError: break
        default: return
        }
        let seconds = pause.components.seconds
        guard notifier.notify(.status("Retrying in \(seconds) seconds: \(error)")) == .sent else { return }
        signal(SIGTERM, SIG_DFL)
        signal(SIGINT, SIG_DFL)
        try? await Task.sleep(for: pause)
    }
}
