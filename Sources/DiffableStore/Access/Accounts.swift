import Glibc

/// The users and groups on this host.
package struct Accounts: Sendable {
    /// Nil for an unknown number or name. The same is true for the other members.
    var nameOfUser: @Sendable (UInt32) -> String?
    var nameOfGroup: @Sendable (UInt32) -> String?
    var user: @Sendable (String) -> UInt32?
    var group: @Sendable (String) -> UInt32?

    /// The accounts of the system (getpwnam(3)). A lookup may read files.
    package static let system = Accounts(
        nameOfUser: { getpwuid($0).map { String(cString: $0.pointee.pw_name) } },
        nameOfGroup: { getgrgid($0).map { String(cString: $0.pointee.gr_name) } },
        user: { getpwnam($0)?.pointee.pw_uid },
        group: { getgrnam($0)?.pointee.gr_gid })
}
