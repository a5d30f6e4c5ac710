import Diffable
import DiffableClient
import DiffableInput
import Synchronization

/// Lists a directory as an outline. Folders are filled to the configured depth, and further when a user opens them.
package final class DirectorySource: FeedSource {
    private let settings: DirectorySettings
    private let watcher: FileWatcher
    private let filesMax: Int
    private let openings = FolderOpenings()

    static let pause = Duration.milliseconds(250)
    static let retryMin = Duration.seconds(1)

    package convenience init(_ settings: DirectorySettings, watcher: FileWatcher) {
        self.init(settings, watcher: watcher, filesMax: FeedLimits.filesMax)
    }

    init(_ settings: DirectorySettings, watcher: FileWatcher, filesMax: Int) {
        self.settings = settings
        self.watcher = watcher
        self.filesMax = filesMax
    }

    package var runMode: FeedSchedule.RunMode { .runs(every: nil) }
    package var watchedPaths: [String] { [] }
    package var isEndless: Bool { true }

    package var handler: ListHandler? {
        var handler = ListHandler()
        handler.expand { try await self.open($0.item) }
        return handler
    }

    /// Lists a folder's content. Returns when a state with it has been delivered.
    func open(_ folder: ItemID) async throws {
        if let refusal = await openings.open([folder]) { throw RequestRefusal(refusal.description) }
    }

    /// Lists the folders again that the list showed before, so that viewers keep seeing them.
    package func resume(_ list: Snapshot) async {
        let kind = Kind(stringLiteral: FileStatus.FileType.directory.rawValue)
        let folders = list.itemIdentifiers.filter { id in
            guard let item = list.itemAlone(id), item.kind == kind, let content = item.content else { return false }
            return JSONReader(content).member("hasChildren") == nil
        }
        if !folders.isEmpty { _ = await openings.open(folders) }
    }

    package func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws {
        let wakeSignal = WakeSignal()
        openings.begin(wakeSignal)
        defer { openings.end() }
        let reading = try DirectoryReading(settings, filesMax: filesMax) { wakeSignal.signal() }
        // Set when the path, or a path in the directory, leads to a different directory.
        let isMoved = Atomic(false)
        let ticket = watcher.watchPlaces(of: [settings.path]) {
            isMoved.store(true, ordering: .relaxed)
            wakeSignal.signal()
        }
        defer { watcher.stop(ticket) }
        var lastBlindness: String?
        var retry = Self.retryMin
        var rescan: ContinuousClock.Instant?
        while true {
            try Task.checkCancellation()
            let start = ContinuousClock.now
            let isRescan = rescan.map { $0 <= start } ?? false
            let asked = openings.take()
            let isOther = isMoved.exchange(false, ordering: .relaxed)
            let outcome = await reading.readChanges(opening: asked.flatMap(\.folders), isRescan: isRescan || isOther)
            let end = ContinuousClock.now
            if let state = outcome.state { deliver(state) }
            for opening in asked {
                opening.answer(opening.folders.lazy.compactMap { outcome.refusals[$0] }.first)
            }
            // A slow look may use at most a fifth of the time.
            let rest = end + max((end - start) * FeedSchedule.restPerRun, outcome.state == nil ? .zero : Self.pause)
            if let every = settings.every { rescan = isRescan || rescan == nil ? max(start + every, rest) : rescan }
            var next = rescan
            if outcome.isToBeTriedAgain {
                next = min(next ?? end + retry, end + retry)
                retry = min(retry * 2, FeedSchedule.pauseMax)
            } else {
                retry = Self.retryMin
            }
            let blindness = settings.every == nil ? watcher.problem(of: ticket) : nil
            if blindness != lastBlindness {
                lastBlindness = blindness
                deliver(.blindness(blindness))
            }
            await wakeSignal.wait(until: FileWatcher.nextCheck(next, isBlind: blindness != nil))
            while rest > .now, openings.isEmpty, !Task.isCancelled { await wakeSignal.wait(until: rest) }
        }
    }
}

private final class FolderOpenings: Sendable {
    struct Opening: Sendable {
        /// Parents first.
        var folders: [ItemID]
        /// Takes the reason why one of them could not be opened; nil if all were.
        var answer: @Sendable (FeedError?) -> Void
    }

    private struct State {
        var wakeSignal: WakeSignal?
        var waiting: [Opening] = []
    }

    private let state = Mutex(State())

    func begin(_ wakeSignal: WakeSignal) { state.withLock { $0.wakeSignal = wakeSignal } }

    func end() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for opening in waiting { opening.answer(Self.isOver) }
    }

    var isEmpty: Bool { state.withLock(\.waiting.isEmpty) }

    func take() -> [Opening] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    func open(_ folders: [ItemID]) async -> FeedError? {
        await withCheckedContinuation { continuation in
            let opening = Opening(folders: folders) { continuation.resume(returning: $0) }
            let wakeSignal = state.withLock { state in
                if state.wakeSignal != nil { state.waiting.append(opening) }
                return state.wakeSignal
            }
            guard let wakeSignal else { return opening.answer(Self.isOver) }
            wakeSignal.signal()
        }
    }

    private static let isOver = FeedError(
        "the directory cannot be read at the moment, so nothing was opened; try again later")
}
