import Files
import Glibc

/// The user that owns a state directory. Root becomes that user to check or repair the lists. So nothing that this user puts
/// into the directory can make root read or write another file, and new files have the right owner.
enum DirectoryOwner {
    /// Does nothing if this process is not root. If only root can reach the directory, root stays root and trusts the owner:
    /// systemd keeps the state of a dynamic user in such a place (/var/lib/private).
    static func become(ofDirectory path: String) throws(Failure) {
        var owner = stat()
        guard geteuid() == 0, stat(path, &owner) == 0, owner.st_uid != 0 else { return }
        var groups = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
        let count = getgroups(CInt(groups.count), &groups)
        try check(setgroups(0, nil))
        try check(setegid(owner.st_gid))
        try check(seteuid(owner.st_uid))
        var reached = stat()
        let isReachable = stat(path, &reached) == 0
        try check(seteuid(0))
        try check(setegid(getgid()))
        guard isReachable else {
            try check(setgroups(max(Int(count), 0), groups))
            return TrustedPath.alsoTrust(owner.st_uid)
        }
        try check(setgid(owner.st_gid))
        try check(setuid(owner.st_uid))
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static func check(_ result: CInt) throws(Failure) {
        guard result == 0 else {
            throw Failure(
                description:
                    "cannot become the owner of the state directory: \(String(cString: strerror(errno))); nothing was "
                    + "checked or repaired. Run this command as the directory's owner"
            )
        }
    }
}
