import Logging
import Synchronization

/// The least serious level that is logged by all loggers of the process, which a reload may change.
final class LogThreshold: Sendable {
    private let current: Mutex<Logger.Level>

    init(_ level: Logger.Level) { current = Mutex(level) }

    var level: Logger.Level {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}

struct AdjustableLogHandler: LogHandler {
    var handler: any LogHandler
    let threshold: LogThreshold
    private var ownLevel: Logger.Level?

    init(_ handler: any LogHandler, _ threshold: LogThreshold) {
        self.handler = handler
        self.threshold = threshold
        // The wrapped handler lets everything pass; messages below the level are dropped here.
        self.handler.logLevel = .trace
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { handler.metadataProvider }
        set { handler.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { handler.log(event: event) }
}
