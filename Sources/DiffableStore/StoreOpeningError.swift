/// Why the store cannot be opened. The files stay unchanged.
package enum StoreOpeningError: Error, Sendable, Equatable {
    case directoryUnusable(path: String, reason: String)
    /// Another user owns files in the directory, and the daemon's user cannot open them.
    case notOwned(files: [String], directory: String)
    /// A check cannot create its temporary copy in this directory.
    case scratchUnusable(path: String, reason: String)
    case inUse(path: String)
    /// Another version of diffabled wrote the database.
    case otherSchema(path: String, version: Int, known: Int)
    /// The file is not a database of diffabled.
    case foreign(path: String)
    /// The database is missing, although something shows that lists existed.
    case missing(path: String, reason: String)
    case unreadable(path: String, reason: String)
    /// The stored parts of one list are inconsistent.
    case damaged(path: String, list: String, revision: Int, reason: String)
}

extension StoreOpeningError {
    /// Whether the cause is in the files, so that neither a restart nor another configuration helps. The daemon should
    /// then keep running and report it, because systemd stops the socket of a daemon that exits at every start.
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
