import Glibc

enum UserNames {
    static func user(_ number: UInt32) -> String {
        getpwuid(number).map { String(cString: $0.pointee.pw_name) } ?? "\(number)"
    }

    static func group(_ number: UInt32) -> String {
        getgrgid(number).map { String(cString: $0.pointee.gr_name) } ?? "\(number)"
    }

    /// Takes a name or a number. As in chown(1), a number is a name if there is a user with that name.
    static func userNumber(_ text: String) -> UInt32? { getpwnam(text)?.pointee.pw_uid ?? number(text) }
    static func groupNumber(_ text: String) -> UInt32? { getgrnam(text)?.pointee.gr_gid ?? number(text) }

    /// The greatest number means "none" in system calls.
    private static func number(_ text: String) -> UInt32? { UInt32(text).flatMap { $0 < .max ? $0 : nil } }
}
