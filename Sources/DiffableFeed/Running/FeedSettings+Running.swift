import Diffable
import DiffableClient
import DiffableInput
import Synchronization

extension FeedSettings {
    /// - Parameters:
    ///   - environment: of what it runs, as `NAME=value`.
    ///   - watcher: for sources that follow files.
    ///   - complain: takes what that writes to its standard error.
    package func makeSource(
        environment: [String], watcher: FileWatcher, complain: @escaping @Sendable ([UInt8]) -> Void
    ) -> any FeedSource {
        switch source {
        case .command(let settings):
            CommandSource(
                settings, rows, complete: complete, environment: environment, complain: complain)
        case .sqlite(let settings): DatabaseSource(settings, RowStates(rows, complete: complete), watcher: watcher)
        case .directory(let settings): DirectorySource(settings, watcher: watcher)
        case .systemd(let settings): UnitSource(settings)
        }
    }

    var complete: RowStates.Complete {
        { (content, id) throws(FeedError) in try completed(content, of: id) }
    }

    /// Brings the list up to date once: with the first state of the source.
    ///
    /// - Parameter isDryRun: whether nothing is changed.
    /// - Returns: what would be changed in a dry run.
    /// - Throws: `FeedError` for what the source does not bring, and `ClientError`.
    package func once(
        _ source: any FeedSource, socket: String?, isDryRun: Bool
    ) async throws -> [ListOperation]? {
        let input = try await firstState(of: source)
        let (whole, items): (Whole?, [Input]) =
            switch input {
            case .whole(let input), .incomplete(let input, _): (.input(input), [])
            case .snapshot(let snapshot): (.snapshot(snapshot), [])
            case .items(let input): (nil, [input])
            case .failure(let error): throw error
            case .blindness: (nil, [])
            }
        return try await Connection.withConnection(to: try .find(socket), name: "diffable-feed") { connection in
            guard isDryRun else {
                // What is there is read, so that somebody else's change between that and ours is not lost.
                while true {
                    let known = try await look(over: connection)
                    let operations = try allowedDifference(from: known.snapshot, whole, items)
                    if operations.isEmpty { return nil }
                    do {
                        try await connection.transact(list, operations, ifRevision: known.revision)
                        return nil
                    } catch ClientError.refused(let refusal) where refusal.name == "revisionMismatch" {}
                }
            }
            var known = Snapshot()
            do { known = try await connection.state(of: list).snapshot } catch ClientError.refused(let refusal)
                where refusal.name == "noSuchList"
            {}
            try checkOwnership(of: known)
            return try allowedDifference(from: known, whole, items)
        }
    }

    private func allowedDifference(
        from known: Snapshot, _ whole: Whole?, _ items: [Input]
    ) throws -> [ListOperation] {
        let new = try marked(state(from: known, whole: whole, items: items), after: known)
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
                    // What brings one state needs to hear of no change.
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
            throw FeedError("it brought nothing")
        }
    }
}
