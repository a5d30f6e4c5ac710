import Diffable
import DiffableInput
import Dispatch
import Glibc

/// Reads the folders of one feed. File systems may take long to answer, so it has a queue of its own.
actor DirectoryReading {
    /// What one look brought.
    struct Outcome: Sendable {
        /// Nil when nothing is different.
        var state: FeedState?
        /// Whether it is to be tried again, because nobody tells when it can be read.
        var isToBeTriedAgain = false
        /// Why folders were not opened.
        var refusals: [ItemID: FeedError] = [:]
    }

    private let executor = QueueExecutor(label: "directory")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let settings: DirectorySettings
    private let events: FolderEvents
    private let source: (any DispatchSourceRead)?
    private var tree: FolderTree?
    /// Whether the directory was there once.
    private var wasThere = false
    /// The folders that were listed in the directory that was there before, those above first.
    private var listedBefore: [ItemID] = []
    /// What was brought last, if it was a failure.
    private var failure: FeedError?

    /// - Parameter tell: is called when there is something to look at.
    init(_ settings: DirectorySettings, _ tell: @escaping @Sendable () -> Void) throws(FeedError) {
        self.settings = settings
        events = try FolderEvents(isOptional: settings.every != nil)
        source = events.start(tell)
    }

    isolated deinit { source?.cancel() }

    /// Looks at what has changed.
    ///
    /// - Parameters:
    ///   - opened: folders that somebody wants to see.
    ///   - isRescan: whether to look at all that is listed.
    func look(opening opened: [ItemID], isRescan: Bool) -> Outcome {
        var outcome = Outcome()
        do throws(FeedError) {
            let descriptor = try Folder.open(path: settings.path)
            defer { close(descriptor) }
            // Whoever opens a folder means the one that has this name now.
            if !opened.isEmpty { events.gather() }
            let tree = try self.tree(descriptor, isRescan: isRescan)
            for id in opened {
                do throws(FeedError) { try tree.open(id, descriptor) } catch { outcome.refusals[id] = error }
            }
            let problem = tree.problem
            if let items = tree.takeItems(failure != problem) {
                outcome.state = problem.map { .incomplete(Self.input(items), $0) } ?? .whole(Self.input(items))
            }
            failure = problem
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

    /// The tree as it is now.
    private func tree(_ descriptor: Int32, isRescan: Bool) throws(FeedError) -> FolderTree {
        let changes = events.take()
        if let tree, tree.root.identity == FileStatus(of: descriptor)?.identity,
            tree.root.watch.map({ !changes.ended.contains($0) }) ?? true
        {
            if !changes.isEmpty { tree.update(changes, descriptor) }
            if isRescan { tree.rescan(descriptor) }
            if tree.isSearching {
                events.gather()
                tree.update(events.take(), descriptor)
            }
            return tree
        }
        // Another directory has come to its place.
        endTree()
        if settings.every == nil, let objection = WatchedPath.objection(to: settings.path) {
            throw FeedError("\(settings.path) \(objection): use `every`")
        }
        let new = try FolderTree(settings, events, descriptor)
        (tree, wasThere) = (new, true)
        // The list has shown what is in them all the time. Those that are not in this one are left out.
        for id in listedBefore { try? new.open(id, descriptor) }
        return new
    }

    private static func input(_ items: [Item]) -> Input {
        .whole(WholeList(sections: items.isEmpty ? [] : [Section(id: Arrangement.defaultSection, items: items)]))
    }
}

extension FeedError {
    fileprivate func isOfMissing(_ path: String) -> Bool { self == .unreadable(path, ENOENT) }
}

/// Runs what an actor does on a queue, which may wait for disks: those of Swift's own are for all.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
