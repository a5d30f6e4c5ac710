import Glibc
import Logging
import ServiceLifecycle
import Systemd
import UnixSignals

/// The daemon as a group of services that SIGTERM and SIGINT stop in good order.
struct Daemon {
    let startUp: StartUp
    let logger: Logger

    /// Returns after a signal, once everything that was acknowledged is on disk and what was said is sent.
    func run() async throws {
        for warning in startUp.warnings { logger.warning("\(warning)") }
        // A peer that has gone is an error of the write to it and nothing to die of.
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more (`ulimit -f`) is an error of the write to it, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        let service = ListService(startUp: startUp, notifier: Notifier(), watchdog: Watchdog(), logger: logger)
        var groupLogger = logger
        groupLogger.logLevel = max(logger.logLevel, .warning)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service)], gracefulShutdownSignals: [.sigterm, .sigint],
                logger: groupLogger))
        try await group.run()
    }
}
