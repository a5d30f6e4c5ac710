/// Why the store cannot be opened. The files are kept as they are.
package enum StoreOpeningError: Error, Sendable, Equatable {
    /// The state directory cannot be made or used.
    case directoryUnusable(path: String, reason: String)
    /// Another daemon has it open.
    case inUse(path: String)
    /// A later version wrote it.
    case schemaTooNew(path: String, version: Int, known: Int)
    /// An earlier version wrote it, one that was never released.
    case schemaTooOld(path: String, version: Int, known: Int)
    /// It is not a database of diffabled.
    case foreign(path: String)
    /// The database is missing, and something shows that there were lists.
    case missing(path: String, reason: String)
    case unreadable(path: String, reason: String)
    /// The stored parts of one list do not fit together.
    case damaged(path: String, list: String, revision: Int, reason: String)
}

extension StoreOpeningError {
    /// Whether the reason is in the files, so that neither another start nor another configuration helps. The daemon
    /// should stay then and say so, because systemd in the end stops the socket of a daemon that exits at each start.
    package var isAboutContents: Bool {
        switch self {
        case .directoryUnusable, .inUse: false
        case .schemaTooNew, .schemaTooOld, .foreign, .missing, .unreadable, .damaged: true
        }
    }
}

extension StoreOpeningError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .directoryUnusable(let path, let reason):
            "the state directory \(path) cannot be used: \(reason); name another with --state-directory"
        case .inUse(let path):
            "\(path) is in use by another diffabled; stop that one, or name another directory with --state-directory"
        case .schemaTooNew(let path, let version, let known):
            "\(path) was written by a later diffabled (schema \(version), this one knows \(known)); run that version"
        case .schemaTooOld(let path, let version, let known):
            """
            \(path) was written by a diffabled before its first release (schema \(version), this one knows \(known)) \
            and cannot be read any more; move it and the files beside it away and start the daemon again to start empty
            """
        case .foreign(let path):
            """
            \(path) is not a database of diffabled; move it away, with the files beside it, or name another directory with \
            --state-directory, and start the daemon again
            """
        case .missing(let path, let reason):
            """
            \(path) is missing: \(reason); nothing was changed: put it back, or the one of a backup; or, to go on without \
            those lists, have `diffabled --repair --state-directory \(directory(of: path))` make an empty one, which keeps \
            what there is; then start the daemon again
            """
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason); \(remedy(for: path))"
        case .damaged(let path, let list, let revision, let reason):
            """
            \(path) is damaged: the list \(list.debugDescription) cannot be restored at revision \(revision) \
            (\(reason)); \(remedy(for: path))
            """
        }
    }

    private func remedy(for path: String) -> String {
        """
        nothing was changed: `diffabled --check --state-directory \(directory(of: path))` says what is wrong, and \
        `diffabled --repair --state-directory \(directory(of: path))` saves what is good, and keeps these files; then start \
        the daemon again
        """
    }

    private func directory(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}
