import CResidentMemory
import DiffableServer
import DiffableStore
import Dispatch
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Systemd
import UnixSignals

/// Opens the lists, serves them, and closes both in the reverse order. If the lists cannot be read, it refuses each request
/// with the reason and the remedy.
struct ListService: Service {
    let startUp: StartUp
    let notifier: Notifier
    let watchdog: Watchdog?
    let reloading: ConfigurationReloader
    let hangUps: UnixSignalsSequence
    let logger: Logger

    /// The time that clients have to read pending output when the daemon stops.
    private var drainMax: Duration { .seconds(5) }

    func run() async throws {
        // One thread: the loop is the store's queue, and all connections run on it.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await serve(on: group)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func serve(on group: MultiThreadedEventLoopGroup) async throws {
        let (failures, failed) = AsyncStream.makeStream(of: StoreFailure.self, bufferingPolicy: .bufferingOldest(1))
        let executor = EventLoopStoreExecutor(eventLoop: group.next())
        let store = try await open(on: executor) { reason in failed.yield(StoreFailure(reason: reason)) }
        let server: Server
        do {
            server = try await Server.start(
                store: store, options: serverOptions, eventLoopGroup: group, logger: logger)
        } catch {
            await store.shutDown()
            throw error
        }
        reloading.attach(server.apply)
        logger.notice("serving", metadata: ["socket": "\(server.socketPath ?? "from systemd")"])
        // Only now: a service that waits for this unit may connect and must find every list.
        notifier.notify(.ready, .status(await status(of: store, server)))
        resident_memory_release()
        let failure = await firstFailure(of: failures, while: store)
        notifier.notify(.stopping, .status(failure?.description ?? "Stopping"))
        await server.shutDown(within: drainMax)
        await store.shutDown()
        // Includes a failure after the signal, for which no task waited.
        if let reason = await store.failure { throw StoreFailure(reason: reason) }
        logger.notice("stopped")
    }

    /// Opens the store. If the lists cannot be read, the daemon keeps running: under systemd its exit would eventually stop the
    /// socket as well.
    private func open(
        on executor: EventLoopStoreExecutor, onFailure: @escaping @Sendable (String) -> Void
    ) async throws -> Store {
        let reading = "Reading the lists in \(startUp.stateDirectory)"
        notifier.notify(.status(reading))
        do {
            return try await Store.open(
                directory: startUp.stateDirectory, executor: executor, limits: startUp.limits.store,
                accessRules: startUp.accessRules, logger: logger,
                onProgress: { [notifier] percent in notifier.notify(.status("\(reading): \(percent) %")) },
                onFailure: onFailure)
        } catch {
            guard error.isAboutContents else { throw error }
            logger.critical("refusing every request about lists: \(error)")
            return await Store.refusing(because: error, executor: executor, logger: logger)
        }
    }

    private var serverOptions: ServerOptions {
        // Not on the loop: a service manager that hangs must not delay the lists.
        let queue = DispatchQueue(label: "diffabled.status")
        return startUp.serverOptions(
            reload: reloading.reload,
            onNews: { [notifier] text in queue.async { notifier.notify(.status(text)) } })
    }

    private func status(of store: Store, _ server: Server) async -> String {
        guard let error = await store.unreadable else { return await server.sentence() }
        return "Refusing every request about lists: \(error)"
    }

    /// Waits until the store fails, and returns the failure; nil after a signal to stop.
    private func firstFailure(of failures: AsyncStream<StoreFailure>, while store: Store) async -> StoreFailure? {
        await withTaskGroup { tasks in
            if let watchdog { tasks.addTask { await sendHeartbeats(of: store, to: watchdog) } }
            tasks.addTask { for await _ in hangUps { reloading.reload { _ in } } }
            let failure = await cancelWhenGracefulShutdown { await failures.first { _ in true } }
            tasks.cancelAll()
            return failure
        }
    }

    /// Sends heartbeats to the watchdog. A heartbeat proves that the queue of all changes runs, and that writing to the disk
    /// makes progress. Disks may be slow: only a standstill as long as the watchdog's timeout suppresses a heartbeat, so the
    /// process is killed after at most twice that time.
    private func sendHeartbeats(of store: Store, to watchdog: Watchdog) async {
        var isStorageStill = false
        while !Task.isCancelled {
            await store.ping()
            let standstill = store.standstill
            if standstill < watchdog.timeout {
                notifier.notify(.watchdog)
                if isStorageStill { logger.notice("disk writes complete again") }
                isStorageStill = false
            } else if !isStorageStill {
                logger.critical(
                    """
                    no disk write has completed for a while, so changes wait; check the disk. If this continues, systemd will \
                    kill and restart diffabled
                    """,
                    metadata: ["seconds": "\(standstill.components.seconds)"])
                isStorageStill = true
            }
            try? await Task.sleep(for: watchdog.interval)
        }
    }
}

/// The journal cannot be written any more. Acknowledged changes are on disk; the next startup reads them.
struct StoreFailure: Error, CustomStringConvertible {
    let reason: String

    var description: String {
        "the lists cannot be written: \(reason); acknowledged changes are safe. Check the disk, then start diffabled again"
    }
}
