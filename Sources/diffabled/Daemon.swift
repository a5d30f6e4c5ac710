import Glibc
import Logging
import ServiceLifecycle
import Systemd
import UnixSignals

/// The daemon as a group of services that SIGTERM and SIGINT stop in good order.
struct Daemon {
    let startUp: StartUp
    let threshold: LogThreshold
    let logger: Logger

    /// Returns after a signal, once everything that was acknowledged is on disk and what was said is sent.
    func run() async throws {
        StartUp.raiseDescriptorLimit()
        if let warning = startUp.descriptorWarning { logger.warning("\(warning)") }
        for warning in startUp.warnings { logger.warning("\(warning)") }
        // A peer that has gone is an error of the write to it and nothing to die of.
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more (`ulimit -f`) is an error of the write to it, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        // From here on; one that comes before the lists are read is kept until they are.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let notifier = Notifier()
        let reloading = Reloading(of: startUp, threshold, notifier: notifier, logger: logger)
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
