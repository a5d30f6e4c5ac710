import Glibc

/// Instances of inotify(7), of which a user has a limited number.
enum Inotify {
    /// Creates an instance. Throws the reason, with the limit to raise.
    static func descriptor(_ flags: Int32 = 0) throws(FeedError) -> Int32 {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | flags)
        if descriptor >= 0 { return descriptor }
        let error = errno
        guard error == EMFILE else {
            throw FeedError(
                "cannot watch files for changes: \(Errno(number: error)); set `every` (or use --every) to read them periodically"
            )
        }
        // EMFILE means too many open files of this process, or too many inotify instances of this user. Only with the first no
        // file can be opened either.
        let other = open("/", O_RDONLY | O_CLOEXEC)
        guard other >= 0 else {
            throw FeedError(
                "cannot watch files for changes, because diffable-feed has reached its limit of open files: raise it "
                    + "(ulimit -n, or LimitNOFILE= in its unit) and restart diffable-feed")
        }
        close(other)
        throw FeedError(
            "cannot watch files for changes, because this user has reached the limit of inotify instances: "
                + "raise fs.inotify.max_user_instances (sysctl)")
    }

    static func limit(_ path: String) -> String {
        "cannot watch \(path) for changes, because this user has reached the limit of watched files: raise "
            + "fs.inotify.max_user_watches (sysctl), or set `every` (or use --every) to read it periodically"
    }
}
