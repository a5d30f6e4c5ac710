import Files
import Glibc
import Logging
import ServiceLifecycle
import Systemd
import UnixSignals

/// The daemon as a group of services that SIGTERM and SIGINT stop in order.
struct Daemon {
    let startUp: StartUp
    let threshold: LogThreshold
    let logger: Logger

    /// Returns after a signal, once everything acknowledged is on disk and all pending output is sent.
    func run() async throws {
        DescriptorLimit.raise()
        if let warning = startUp.descriptorWarning { logger.warning("\(warning)") }
        for warning in startUp.warnings { logger.warning("\(warning)") }
        // A write to a closed connection must be an error, and not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        // A write to a file that may not grow (`ulimit -f`) must be an error, like a full disk.
        signal(SIGXFSZ, SIG_IGN)
        // From now on, a signal that arrives before the lists are read waits until they are.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let notifier = Notifier()
        let reloading = ConfigurationReloader(of: startUp, threshold, notifier: notifier, logger: logger)
        let service = ListService(
            startUp: startUp, notifier: notifier, watchdog: Watchdog(), reloading: reloading, hangUps: hangUps,
            logger: logger)
        var groupLogger = logger
        groupLogger.logLevel = max(logger.logLevel, .warning)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service)], gracefulShutdownSignals: [.sigterm, .sigint],
                logger: groupLogger))
        try await group.run()
    }
}
