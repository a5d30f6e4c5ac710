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
    /// It is no database of this daemon.
    case foreign(path: String)
    case unreadable(path: String, reason: String)
    /// What is stored of one list does not fit together.
    case damaged(path: String, list: String, revision: Int, reason: String)
}

extension StoreOpeningError {
    /// Whether the reason lies in the files themselves, so that no other start and no other configuration mends it.
    /// A daemon had better stay then and say so: one that ends at each start takes its socket with it in the end.
    package var isAboutContents: Bool {
        switch self {
        case .directoryUnusable, .inUse: false
        case .schemaTooNew, .schemaTooOld, .foreign, .unreadable, .damaged: true
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
            and cannot be read any more; move it away and start the daemon again to start empty
            """
        case .foreign(let path):
            """
            \(path) is not a database of diffabled; move it away, or name another directory with --state-directory, and \
            start the daemon again
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
        let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return """
            nothing was changed: `diffabled --check --state-directory \(directory)` says what is wrong, and \
            `diffabled --repair --state-directory \(directory)` saves what is good, and keeps these files; then start the \
            daemon again
            """
    }
}
