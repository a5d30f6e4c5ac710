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
            and cannot be read any more; move it away to start empty
            """
        case .foreign(let path):
            "\(path) is not a database of diffabled; move it away, or name another directory with --state-directory"
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .damaged(let path, let list, let revision, let reason):
            """
            \(path) is damaged: the list \(list.debugDescription) cannot be restored at revision \(revision) \
            (\(reason)); nothing was changed: restore the file from a backup, or move it away to start empty
            """
        }
    }
}
