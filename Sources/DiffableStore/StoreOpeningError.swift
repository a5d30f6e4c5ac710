/// Why the store cannot be opened. The files are kept as they are.
package enum StoreOpeningError: Error, Sendable, Equatable {
    /// The state directory cannot be made or used.
    case directoryUnusable(path: String, reason: String)
    /// Another user owns files in the directory, and the daemon's user cannot open them.
    case notOwned(files: [String], directory: String)
    /// A check cannot make its temporary copy in this directory.
    case scratchUnusable(path: String, reason: String)
    /// Another daemon has it open.
    case inUse(path: String)
    /// Another version of diffabled wrote it.
    case otherSchema(path: String, version: Int, known: Int)
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
        case .directoryUnusable, .scratchUnusable, .inUse: false
        case .notOwned, .otherSchema, .foreign, .missing, .unreadable, .damaged: true
        }
    }
}

extension StoreOpeningError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .directoryUnusable(let path, let reason):
            "the state directory \(path) cannot be used: \(reason); correct that, or name another directory with --state-directory"
        case .notOwned(let files, let directory):
            "the daemon's user cannot open \(files.joined(separator: " and ")), because another user owns \(files.count == 1 ? "it" : "them"); "
                + "nothing was changed: as root, run `chown --reference=\(directory) \(files.joined(separator: " "))`, then restart "
                + "the daemon"
        case .scratchUnusable(let path, let reason):
            "nothing was checked, because a check needs a temporary copy of the lists, which cannot be made in \(path): \(reason); "
                + "set TMPDIR to another directory"
        case .inUse(let path):
            "\(path) is in use by another diffabled; stop that one, or name another directory with --state-directory"
        case .otherSchema(let path, let version, let known):
            """
            \(path) was written by another version of diffabled (schema \(version), and this one reads schema \(known)); \
            nothing was changed: run that version, or, to start empty, move the file and the files beside it away
            """
        case .foreign(let path):
            """
            \(path) is not a database of diffabled; move it away, with the files beside it, or name another directory with \
            --state-directory, and start the daemon again
            """
        case .missing(let path, let reason):
            """
            \(path) is missing: \(reason); nothing was changed: put it back, or one from a backup; or, to go on without \
            its lists, make an empty one with `diffabled --repair --state-directory \(directory(of: path))`, which keeps \
            the other files; then start the daemon again
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
        `diffabled --repair --state-directory \(directory(of: path))` makes a new database of all that is undamaged, and keeps \
        the old files; then start the daemon again
        """
    }

    private func directory(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}
