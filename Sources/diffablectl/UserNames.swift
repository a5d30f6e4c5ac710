#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The names of users and groups, and their numbers where they have none.
enum UserNames {
    static func user(_ number: UInt32) -> String {
        getpwuid(number).map { String(cString: $0.pointee.pw_name) } ?? "\(number)"
    }

    static func group(_ number: UInt32) -> String {
        getgrgid(number).map { String(cString: $0.pointee.gr_name) } ?? "\(number)"
    }

    /// A name that is there, or a number, wins as in chown(1): the name.
    static func userNumber(_ text: String) -> UInt32? { getpwnam(text)?.pointee.pw_uid ?? number(text) }
    static func groupNumber(_ text: String) -> UInt32? { getgrnam(text)?.pointee.gr_gid ?? number(text) }

    /// The greatest number means "none" to the system.
    private static func number(_ text: String) -> UInt32? { UInt32(text).flatMap { $0 < .max ? $0 : nil } }
}
