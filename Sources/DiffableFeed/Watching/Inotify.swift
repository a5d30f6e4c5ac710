import Glibc

/// Instances of inotify(7), of which a user has a limited number.
enum Inotify {
    /// Makes an instance.
    ///
    /// - Throws: the reason, with the limit that has to be raised.
    static func descriptor(_ flags: Int32 = 0) throws(FeedError) -> Int32 {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | flags)
        if descriptor >= 0 { return descriptor }
        let error = errno
        guard error == EMFILE else {
            throw FeedError("the kernel watches no files for diffable-feed: \(Errno(number: error))")
        }
        // EMFILE stands for two limits. Opening a file tells them apart.
        let other = open("/", O_RDONLY | O_CLOEXEC)
        guard other >= 0 else {
            throw FeedError(
                "the kernel watches no files for diffable-feed, because it has as many files open as it may: raise that "
                    + "limit (ulimit -n, or LimitNOFILE= in its unit)")
        }
        close(other)
        throw FeedError(
            "the kernel watches no files for diffable-feed, because this user has as many inotify instances as allowed: "
                + "raise fs.inotify.max_user_instances (sysctl)")
    }

    /// Why the kernel does not watch one more file.
    static func limit(_ path: String) -> String {
        "the kernel reports no changes of \(path), because it watches as many files for this user as it may: raise "
            + "fs.inotify.max_user_watches (sysctl), or use `every`"
    }
}
