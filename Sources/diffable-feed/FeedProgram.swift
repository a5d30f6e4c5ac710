import CResidentMemory
import Diffable
import DiffableClient
import DiffableFeed
import DiffableInput
import DiffableJSON
import DiffableProtocol
import Glibc
import Logging
import ProcessArguments
import Systemd
import UnixSignals

/// Runs feeds until a signal ends the program, or runs one feed once.
struct FeedProgram {
    let socket: String?
    let board: ListName
    private let logger: Logger

    /// The time after which memory that only startup needed is released. A database is checked for some seconds first.
    private static let startMax = DatabaseWatch.span + .seconds(1)

    init(socket: String?, board: ListName) {
        self.socket = socket
        self.board = board
        QueryGuard.limitMemory()
        let destination = LogDestination.detect()
        logger = Logger(label: "diffable-feed") { _ in
            switch destination {
            case .journal: SystemLogHandler(identifier: "diffable-feed")
            case .standardError: StandardErrorLogHandler()
            }
        }
    }

    /// `again` reads the file again for SIGHUP; it returns nil without a file.
    func run(_ settings: [FeedSettings], _ again: @escaping @Sendable () throws -> [FeedSettings]?) async throws {
        let logger = logger
        let notifier = Notifier()
        let say: @Sendable (String) -> Void = { logger.notice("\($0)") }
        let feeds = Feeds(
            link: DaemonLink(socket: socket, say: say), board: board, makeSource: { source($0, $1) }, say: say)
        let signals = await UnixSignalsSequence(trapping: .sighup, .sigterm, .sigint)
        let release = Task {
            try await Task.sleep(for: Self.startMax)
            resident_memory_release()
        }
        defer { release.cancel() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await feeds.run(settings) }
            group.addTask {
                notifier.notify(.ready, .status(counted(settings.count, "feed")))
                for await signal in signals {
                    guard signal == .sighup else { break }
                    await reload(feeds, notifier, again)
                }
                notifier.notify(.stopping)
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Reloads the file completely or not at all.
    private func reload(_ feeds: Feeds, _ notifier: Notifier, _ again: () throws -> [FeedSettings]?) async {
        notifier.notify(.reloading)
        do {
            if let settings = try again() {
                let change = await feeds.apply(settings)
                let count = counted(settings.count, "feed")
                logger.notice(
                    "read the configuration again: \(count); \(change.started) started, \(change.ended) ended")
                notifier.notify(.status(count))
            }
        } catch let error as FeedExit {
            logger.error("the feeds are unchanged: \(error.message)")
        } catch {
            logger.error("the feeds are unchanged: \(error)")
        }
        notifier.notify(.ready)
    }

    /// `complain` takes a command's standard error.
    @Sendable private func source(
        _ settings: FeedSettings, _ watcher: FileWatcher, complain: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) -> any FeedSource {
        var variables = ProcessEnvironment.given()
        // systemd's notification socket is for this process only.
        variables["NOTIFY_SOCKET"] = nil
        variables["DIFFABLE_LIST"] = "\(settings.list)"
        // The command's own diffable programs use the same daemon.
        if let socket { variables["DIFFABLED_SOCKET"] = socket }
        return settings.makeSource(
            environment: variables.map { "\($0.key)=\($0.value)" }, watcher: watcher, complain: complain)
    }
}

// MARK: - Once

extension FeedProgram {
    func once(_ settings: [FeedSettings], _ list: ListName, isDryRun: Bool) async throws {
        guard let feed = settings.first(where: { $0.list == list }) else {
            let names = settings.isEmpty ? "no list" : settings.map { "\($0.list)" }.joined(separator: ", ")
            throw FeedExit(
                status: FeedExit.configuration,
                message: "the file has no feed for the list \(quoted(list)); it has feeds for \(names)"
            )
        }
        do {
            let watcher = FileWatcher()
            if let operations = try await feed.once(
                source(feed, watcher) { report($0, to: STDERR_FILENO) }, socket: socket, isDryRun: isDryRun)
            {
                for operation in operations {
                    let json = OperationsWriter.array([operation]).dropFirst().dropLast()
                    report(json + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
                }
            }
        } catch let error where error is FeedError || error is InputError {
            throw FeedExit(status: FeedExit.failed, message: harmless(feed.names.text(of: error)))
        } catch let error as ClientError {
            var status = FeedExit.unavailable
            if case .refused = error { status = FeedExit.failed }
            throw FeedExit(status: status, message: error.sentence(socket: "--socket", system: "--system"))
        }
    }
}
