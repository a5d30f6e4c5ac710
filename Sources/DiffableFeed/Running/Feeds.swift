import Diffable
import DiffableClient
import DiffableInput
import Synchronization

/// All feeds of a process. A reload replaces them in one step; feeds with unchanged settings continue.
package actor Feeds {
    private struct Running {
        var settings: FeedSettings
        var feed: Feed
        var task: Task<Void, Never>
    }

    package typealias MakeSource = @Sendable (FeedSettings, FileWatcher) -> any FeedSource

    private let link: DaemonLink
    private let board: StatusBoard
    private let watcher: FileWatcher
    private let makeSource: MakeSource
    private let say: @Sendable (String) -> Void
    private var running: [ListName: Running] = [:]

    /// `board` is the name of the list with the statuses of the feeds; `say` logs a sentence about an event.
    package init(
        link: DaemonLink, board: ListName, makeSource: @escaping MakeSource,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.link = link
        self.board = StatusBoard(board, over: link, say: say)
        self.makeSource = makeSource
        self.say = say
        watcher = FileWatcher()
    }

    /// Runs until the task is cancelled, and returns when everything that the feeds started has ended.
    package func run(_ settings: [FeedSettings]) async {
        watcher.start()
        await apply(settings)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.link.run() }
            group.addTask { await self.board.run() }
            group.addTask { await self.board.handleActions { try await self.perform($0, on: $1) } }
        }
        await apply([])
    }

    /// Replaces the feeds. Failing feeds that stay run again at once.
    @discardableResult
    package func apply(_ settings: [FeedSettings]) async -> (started: Int, ended: Int) {
        let ended = running.values.filter { !settings.contains($0.settings) }
        for feed in ended { feed.task.cancel() }
        // A list never has more than one feed.
        for feed in ended {
            await feed.task.value
            running[feed.settings.list] = nil
        }
        board.show(settings.map { FeedStatus(list: $0.list, source: $0.source.kind) })
        for kept in running.values { kept.feed.retry() }
        let new = settings.filter { running[$0.list] == nil }
        for settings in new {
            let feed = Feed(
                settings, makeSource(settings, watcher), over: link, board: board, watcher: watcher, say: say)
            running[settings.list] = Running(settings: settings, feed: feed, task: Task { await feed.run() })
        }
        return (new.count, ended.count)
    }

    /// Performs an action on feeds, all at the same time. Throws `RequestRefusal` with all reasons.
    private func perform(_ action: FeedAction, on lists: [ListName]) async throws {
        let unknown = lists.filter { running[$0] == nil }.map(quoted)
        guard unknown.isEmpty else {
            throw RequestRefusal(
                "\(unknown.joined(separator: ", ")) \(unknown.count == 1 ? "is not a feed" : "are not feeds") of the diffable-feed that "
                    + "handles this list, so nothing was done")
        }
        let feeds = lists.compactMap { running[$0]?.feed }
        let problems = await withTaskGroup(of: String?.self) { group in
            for feed in feeds {
                group.addTask {
                    do {
                        try await feed.perform(action)
                        return nil
                    } catch {
                        return "the feed \(quoted(feed.settings.list)): \(feed.settings.names.text(of: error))"
                    }
                }
            }
            return await group.reduce(into: []) { problems, problem in problem.map { problems.append($0) } }
        }
        try Task.checkCancellation()
        guard problems.isEmpty else { throw RequestRefusal(problems.sorted().joined(separator: "; ")) }
    }
}
