import Glibc

/// Runs code without root's rights, because root may read every file.
enum Nobody {
    private static let userID: uid_t = 65_534

    /// setfsuid(2), which Swift does not import. It affects only the calling thread.
    private static let setUser: (@convention(c) (uid_t) -> CInt)? = dlsym(nil, "setfsuid").map {
        unsafeBitCast($0, to: (@convention(c) (uid_t) -> CInt).self)
    }

    /// Whether this works. Without root's rights, the current user is unprivileged already.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return true }
        return act { setUser?(.max) == CInt(userID) }
    }()

    /// Runs the body without root's rights on files.
    static func act<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard geteuid() == 0 else { return try body() }
        _ = setUser?(userID)
        defer { _ = setUser?(0) }
        return try body()
    }
}
