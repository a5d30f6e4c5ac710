import Glibc

/// Somebody who may read no more than others let him: root may read everything, whatever the mode of a file is.
enum Nobody {
    private static let userID: uid_t = 65_534

    /// setfsuid(2), which Swift does not import. It is of the thread alone.
    private static let setUser: (@convention(c) (uid_t) -> CInt)? = dlsym(nil, "setfsuid").map {
        unsafeBitCast($0, to: (@convention(c) (uid_t) -> CInt).self)
    }

    /// Without root's rights that is who runs the tests.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return true }
        return act { setUser?(.max) == CInt(userID) }
    }()

    /// Does it with no rights of root's on files.
    static func act<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard geteuid() == 0 else { return try body() }
        _ = setUser?(userID)
        defer { _ = setUser?(0) }
        return try body()
    }
}
