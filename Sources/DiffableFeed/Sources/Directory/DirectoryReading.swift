import Diffable
import DiffableInput
import Dispatch
import Glibc

/// Reads the folders of one feed on a queue of its own, because file systems may be slow.
actor DirectoryReading {
    struct Outcome: Sendable {
        /// Nil if nothing changed.
        var state: FeedState?
        /// Whether to try again later, because the kernel does not report when a folder becomes readable.
        var isToBeTriedAgain = false
        var refusals: [ItemID: FeedError] = [:]
    }

    private let executor = QueueExecutor(label: "directory")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let settings: DirectorySettings
    private let filesMax: Int
    private let events: FolderEvents
    private let source: (any DispatchSourceRead)?
    private var tree: FolderTree?
    private var wasThere = false
    /// The folders that were listed in the earlier directory at this path, parents first.
    private var listedBefore: [ItemID] = []
    private var failure: FeedError?

    init(
        _ settings: DirectorySettings, filesMax: Int, _ tell: @escaping @Sendable () -> Void
    ) throws(FeedError) {
        self.settings = settings
        self.filesMax = filesMax
        events = try FolderEvents(isOptional: settings.every != nil)
        source = events.start(tell)
    }

    isolated deinit { source?.cancel() }

    /// Reads everything that has changed, lists the `opened` folders on request, and for a rescan reads all listed folders.
    func readChanges(opening opened: [ItemID], isRescan: Bool) -> Outcome {
        var outcome = Outcome()
        do throws(FeedError) {
            let descriptor = try Folder.open(path: settings.path)
            defer { close(descriptor) }
            // A request to open a folder means the folder that has this name now.
            if !opened.isEmpty { events.readEvents() }
            let tree = try self.tree(descriptor, isRescan: isRescan)
            for id in opened {
                do throws(FeedError) { try tree.open(id, descriptor) } catch { outcome.refusals[id] = error }
            }
            let problem = tree.problem
            if let items = tree.takeItems(failure != problem) {
                outcome.state = problem.map { .incomplete(Self.input(items), $0) } ?? .whole(Self.input(items))
            }
            failure = problem
            outcome.isToBeTriedAgain = tree.isFull
        } catch {
            endTree()
            let isMissing = error.isOfMissing(settings.path)
            let problem = isMissing && wasThere ? FeedError.gone(settings.path) : error
            for id in opened { outcome.refusals[id] = problem }
            if failure != problem { outcome.state = .failure(problem) }
            failure = problem
            outcome.isToBeTriedAgain = !isMissing
        }
        return outcome
    }

    private func endTree() {
        guard let tree else { return }
        listedBefore = tree.listedFolders
        tree.end()
        self.tree = nil
    }

    private func tree(_ descriptor: Int32, isRescan: Bool) throws(FeedError) -> FolderTree {
        let changes = events.takeChanges()
        if let tree, tree.root.identity == FileStatus(of: descriptor)?.identity,
            tree.root.watch.map({ !changes.ended.contains($0) }) ?? true
        {
            if !changes.isEmpty || tree.isFull { tree.update(changes, descriptor) }
            if isRescan { tree.rescan(descriptor) }
            if tree.isSearching {
                events.readEvents()
                tree.update(events.takeChanges(), descriptor)
            }
            return tree
        }
        endTree()
        if settings.every == nil, let objection = WatchedPath.objection(to: settings.path) {
            throw FeedError("\(settings.path) \(objection): set `every` to read it periodically")
        }
        let new = try FolderTree(settings, events, descriptor, filesMax: filesMax)
        (tree, wasThere) = (new, true)
        // Folders that were open stay open, except folders that the new directory lacks.
        for id in listedBefore { try? new.open(id, descriptor) }
        return new
    }

    private static func input(_ items: [Item]) -> Input {
        .whole(WholeList(sections: items.isEmpty ? [] : [Section(id: ItemBuilder.defaultSection, items: items)]))
    }
}

extension FeedError {
    fileprivate func isOfMissing(_ path: String) -> Bool { self == .unreadable(path, ENOENT) }
}

/// Runs an actor's jobs on a queue that may block on disks. Swift's shared threads must not block.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
