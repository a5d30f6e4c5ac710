import Glibc

/// The names of users and groups on this host.
package struct Accounts: Sendable {
    /// Nil for a number without a name, or a name that nobody has.
    var nameOfUser: @Sendable (UInt32) -> String?
    var nameOfGroup: @Sendable (UInt32) -> String?
    var user: @Sendable (String) -> UInt32?
    var group: @Sendable (String) -> UInt32?

    /// Those of the system (getpwnam(3)), which may take the time of a look into files.
    package static let system = Accounts(
        nameOfUser: { getpwuid($0).map { String(cString: $0.pointee.pw_name) } },
        nameOfGroup: { getgrgid($0).map { String(cString: $0.pointee.gr_name) } },
        user: { getpwnam($0)?.pointee.pw_uid },
        group: { getgrnam($0)?.pointee.gr_gid })
}
