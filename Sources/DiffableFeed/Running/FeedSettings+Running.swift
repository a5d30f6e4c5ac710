import Diffable
import DiffableClient
import DiffableInput
import Synchronization

extension FeedSettings {
    /// `environment` has `NAME=value`, `watcher` reports changes of files, and `complain` takes the standard error of commands.
    package func makeSource(
        environment: [String], watcher: FileWatcher, complain: @escaping @Sendable ([UInt8]) -> Void
    ) -> any FeedSource {
        switch source {
        case .command(let settings):
            CommandSource(
                settings, rows, complete: complete, environment: environment, complain: complain)
        case .url(let settings): HTTPSource(settings, rows, complete: complete, environment: environment)
        case .sqlite(let settings): DatabaseSource(settings, RowStates(rows, complete: complete), watcher: watcher)
        case .directory(let settings): DirectorySource(settings, watcher: watcher)
        case .systemd(let settings): UnitSource(settings)
        }
    }

    var complete: RowStates.CompleteContent {
        { (content, id) throws(FeedError) in try completed(content, of: id) }
    }

    /// Brings the list up to date once, with the source's first state. Returns the changes that a dry run would make. Throws
    /// `FeedError` if the source delivers nothing, and `ClientError`.
    package func once(
        _ source: any FeedSource, socket: String?, isDryRun: Bool
    ) async throws -> [ListOperation]? {
        let input = try await firstState(of: source)
        let (whole, changes): (Whole?, [StreamedChange]) =
            switch input {
            case .whole(let input), .incomplete(let input, _): (.input(input), [])
            case .snapshot(let snapshot): (.snapshot(snapshot), [])
            case .change(let change): (nil, [change])
            case .failure(let error): throw error
            case .blindness: (nil, [])
            }
        return try await Connection.withConnection(to: try .find(socket), name: "diffable-feed") { connection in
            guard isDryRun else {
                // Reads the list first and makes the change conditional, so that a concurrent change is not lost.
                while true {
                    let known = try await ensureList(over: connection)
                    let operations = try allowedDifference(from: known.snapshot, whole, changes)
                    if operations.isEmpty { return nil }
                    do {
                        try await connection.transact(list, operations, ifRevision: known.revision)
                        return nil
                    } catch ClientError.refused(let refusal) where refusal.code == .revisionMismatch {}
                }
            }
            _ = try await usableList(over: connection)
            var known = Snapshot()
            do { known = try await connection.state(of: list).snapshot } catch ClientError.refused(let refusal)
                where refusal.code == .noSuchList
            {}
            try checkOwnership(of: known)
            return try allowedDifference(from: known, whole, changes)
        }
    }

    private func allowedDifference(
        from known: Snapshot, _ whole: Whole?, _ changes: [StreamedChange]
    ) throws -> [ListOperation] {
        let new = try marked(state(from: known, whole: whole, changes: changes), after: known)
        let operations = new.difference(from: known)
        do throws(DeletionRefusal) { try checkDeletions(operations, from: known, to: new) } catch {
            throw FeedError(error.description)
        }
        return operations
    }

    private func firstState(of source: any FeedSource) async throws -> FeedState {
        let (states, writer) = AsyncStream.makeStream(of: FeedState.self, bufferingPolicy: .bufferingOldest(1))
        return try await withThrowingTaskGroup(of: FeedState?.self) { group in
            group.addTask {
                try await source.run { state in
                    // A single state needs no notice of changes.
                    if case .blindness = state { return }
                    writer.yield(state)
                }
                writer.finish()
                return nil
            }
            group.addTask {
                var states = states.makeAsyncIterator()
                return await states.next()
            }
            defer { group.cancelAll() }
            while let state = try await group.next() {
                if case .failure(let error)? = state { throw error }
                if let state { return state }
            }
            throw FeedError("the source ended without any data, so the list stays as it is")
        }
    }
}
