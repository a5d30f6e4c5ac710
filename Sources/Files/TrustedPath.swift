import Glibc
import Synchronization
import SystemPackage

/// A path that only trusted users can redirect: root and the user of this process.
///
/// Every directory on the way belongs to a trusted user, and no other user can write to it. In a directory with the sticky
/// bit, like /tmp, others can create files but not replace trusted users' files. Symbolic links belong to trusted users.
///
/// The checks go from the root directory down. Once a directory is known to be trusted, only trusted users can change its
/// entries. So the path leads to the same file after the checks, and no other user can win a race against them.
package struct TrustedPath {
    /// The path without symbolic links.
    package private(set) var path = ""
    /// Whether it names a file that this process has open.
    private var isOpen = false
    private let users = TrustedUsers()

    /// Trusts one more user in this process: the owner of a state directory that root repairs.
    package static func alsoTrust(_ userID: uid_t) { TrustedUsers.other.store(userID, ordering: .relaxed) }

    /// The handling of missing directories.
    package enum Missing {
        case refused
        case lastMade(mode_t)
        case allMade(mode_t)
    }

    /// Checks the path of a directory and the directory itself.
    ///
    /// - Parameters:
    ///   - isShared: whether others may write to the directory if it has the sticky bit.
    ///   - missing: whether to make missing directories.
    package init(
        directory path: String, isShared: Bool = true, missing: Missing = .refused
    ) throws(UntrustedPath) {
        let users = self.users
        try follow(path, missing, isFile: false) { next, status throws(UntrustedPath) in
            guard status.isDirectory else { throw .failed(next, .notDirectory) }
            try users.check(directory: next, status, isShared: isShared)
        }
    }

    /// Reads a file with settings. It may be a pipe or a device.
    ///
    /// Names in /proc, such as the target of /dev/stdin, are files that the caller has open. They are not checked.
    package static func contents(ofFile path: String) throws(UntrustedPath) -> [UInt8] {
        let checked = try TrustedPath(file: path)
        let bytes: [UInt8]?
        do throws(Errno) {
            let file = try FileDescriptor.opened(checked.path, .readOnly, checked.isOpen ? [] : .noFollow)
            defer { try? file.close() }
            bytes = try file.readWhole(lengthMax: lengthMax)
        } catch { throw .failed(path, error) }
        guard let bytes else {
            throw .untrusted(
                "\(path) is longer than \(lengthMax >> 20) MiB, the most for a file with settings; shorten it")
        }
        return bytes
    }

    /// Reads a regular file with secrets, which no other user can read or write.
    package static func contents(ofPrivateFile path: String) throws(UntrustedPath) -> [UInt8] {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .failed(path, .last) }
        // Opening a pipe would wait for its other end.
        try requireRegular(path, status)
        guard status.st_mode & 0o077 == 0 else {
            throw .untrusted("other users can read or write \(path); run `chmod 600 \(path)`")
        }
        return try contents(ofFile: path)
    }

    /// Bytes of the longest file with settings (16 MiB).
    private static let lengthMax = 16 << 20

    private init(file path: String) throws(UntrustedPath) {
        let users = self.users
        try follow(path, .refused, isFile: true, users.check(file:_:))
    }

    /// Checks a file in this directory if it exists. It must be a regular file.
    package func check(file name: String) throws(UntrustedPath) {
        let path = "\(self.path)/\(name)"
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .failed(path, .last)
        }
        try users.check(file: path, status)
        try Self.requireRegular(path, status)
    }

    private static func requireRegular(_ path: String, _ status: stat) throws(UntrustedPath) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .untrusted("\(path) is not a regular file; move it away")
        }
    }

    /// - Parameter checkLast: checks the file at the end of the path.
    private mutating func follow(
        _ path: String, _ missing: Missing, isFile: Bool,
        _ checkLast: (String, stat) throws(UntrustedPath) -> Void
    ) throws(UntrustedPath) {
        guard !path.isEmpty else { throw .failed(path, .noSuchFileOrDirectory) }
        var rest = Self.names(path)
        if !Self.isAbsolute(path) {
            guard let here = getcwd(nil, 0) else { throw .failed(path, .last) }
            rest += Self.names(String(cString: here))
            free(here)
        }
        var links = 0
        try check(directory: "/")
        while let name = rest.popLast() {
            if name == ".." {
                self.path = String(self.path[..<(self.path.utf8.lastIndex(of: Self.slash) ?? self.path.startIndex)])
                continue
            }
            let next = "\(self.path)/\(name)"
            if isFile, self.path == "/proc" {
                self.path = ([next[...]] + rest.reversed()).joined(separator: "/")
                isOpen = true
                return
            }
            let status = try Self.status(of: next, missing, isLast: rest.isEmpty)
            if status.isLink {
                links += 1
                guard links <= Self.linksMax else { throw .failed(next, .tooManySymbolicLinkLevels) }
                let target = try users.target(ofLink: next, status)
                if Self.isAbsolute(target) { self.path = "" }
                rest += Self.names(target)
                continue
            }
            self.path = next
            if rest.isEmpty { return try checkLast(next, status) }
            guard status.isDirectory else { throw .failed(next, .notDirectory) }
            try users.check(directory: next, status, isShared: true)
        }
        // The path ends with "..", or is the root directory.
        if self.path.isEmpty { self.path = "/" }
        try checkLast(self.path, Self.status(of: self.path, .refused, isLast: true))
    }

    private func check(directory path: String) throws(UntrustedPath) {
        try users.check(directory: path, Self.status(of: path, .refused, isLast: false), isShared: true)
    }

    /// The most links followed in a path, as in the kernel (path_resolution(7)).
    static let linksMax = 40

    // Paths are bytes. A slash and a combining character after it are one `Character`.
    private static let slash = UInt8(ascii: "/")

    private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }

    /// Returns the names in reverse order.
    private static func names(_ path: String) -> [Substring] {
        path.utf8.split(separator: slash).map { Substring($0) }.filter { $0 != "." }.reversed()
    }

    /// Splits the path of a file into directory and name.
    package static func parts(of path: String) -> (directory: String, name: String) {
        guard let last = path.utf8.lastIndex(of: slash) else { return (".", path) }
        return (last == path.startIndex ? "/" : String(path[..<last]), String(path[path.utf8.index(after: last)...]))
    }

    private static func status(of path: String, _ missing: Missing, isLast: Bool) throws(UntrustedPath) -> stat {
        var status = stat()
        if lstat(path, &status) == 0 { return status }
        let error = Errno.last
        switch missing {
        case .allMade(let mode) where error == .noSuchFileOrDirectory,
            .lastMade(let mode) where error == .noSuchFileOrDirectory && isLast:
            guard mkdir(path, mode) == 0 || errno == EEXIST else { throw .failed(path, .last) }
            guard lstat(path, &status) == 0 else { throw .failed(path, .last) }
            return status
        default: throw .failed(path, error)
        }
    }
}

/// The reason why a file is not used.
package enum UntrustedPath: Error, Equatable, CustomStringConvertible {
    case failed(String, Errno)
    /// An error message with a remedy.
    case untrusted(String)

    package var description: String {
        switch self {
        case .failed(let path, let error): "\(path): \(error)"
        case .untrusted(let reason): reason
        }
    }

    /// The error number of a system call (errno(3)).
    package var number: Int32? {
        if case .failed(_, let error) = self { error.rawValue } else { nil }
    }

    /// Whether a directory has the name of the file.
    package var isDirectory: Bool {
        if case .failed(_, let error) = self { return error == .isDirectory }
        return false
    }

    /// Returns the reason without the path, for a message that already names it.
    package func reason(for path: String) -> String {
        if case .failed(path, let error) = self { return "\(error)" }
        return description
    }
}

/// Root, the user of this process, and the owner of the root directory. In a user namespace without root, that owner
/// represents root.
struct TrustedUsers {
    private let userIDs: Set<uid_t>

    static let other = Atomic<uid_t>(0)

    init() {
        var root = stat()
        userIDs = [0, geteuid(), lstat("/", &root) == 0 ? root.st_uid : 0, Self.other.load(ordering: .relaxed)]
    }

    private var trustedNames: String { geteuid() == 0 ? "root" : "root or the user \(userName(geteuid()))" }

    func check(directory path: String, _ status: stat, isShared: Bool) throws(UntrustedPath) {
        guard userIDs.contains(status.st_uid) else {
            throw .untrusted(
                "the directory \(path) belongs to the user \(userName(status.st_uid)), who could replace files in it, "
                    + "and not to \(trustedNames); use a path outside that directory")
        }
        let isSticky = status.st_mode & 0o1000 != 0
        if isShared, isSticky { return }
        try checkWriters(of: path, status)
    }

    func check(file path: String, _ status: stat) throws(UntrustedPath) {
        if status.isLink {
            throw .untrusted("\(path) is a symbolic link, which is not followed; replace the link with the file itself")
        }
        guard userIDs.contains(status.st_uid) else {
            throw .untrusted(
                "\(path) belongs to the user \(userName(status.st_uid)), and not to \(trustedNames); "
                    + "if you trust its contents, run `chown \(geteuid()) \(path)` as root")
        }
        // The mode of a device says nothing about its contents.
        if status.st_mode & S_IFMT == S_IFREG { try checkWriters(of: path, status) }
    }

    func check(open file: FileDescriptor, _ path: String) throws(UntrustedPath) {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { throw .failed(path, .last) }
        if status.st_mode & S_IFMT == S_IFREG { try check(file: path, status) }
    }

    /// Checks a file that may be a pipe or a device. Another user could keep its reader waiting.
    func check(input file: FileDescriptor, _ path: String) throws(UntrustedPath) {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { throw .failed(path, .last) }
        if [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) || userIDs.contains(status.st_uid) { return }
        // `cat items | sudo diffablectl apply tasks /dev/stdin`
        if isOpen(status, besides: file) { return }
        throw .untrusted(
            "it is a FIFO, socket or device of the user \(userName(status.st_uid)), who could keep this command waiting; "
                + "use a regular file, or pass the data on standard input")
    }

    func check(link path: String, _ status: stat) throws(UntrustedPath) {
        guard userIDs.contains(status.st_uid) else {
            throw .untrusted(
                "the symbolic link \(path) belongs to the user \(userName(status.st_uid)), who could change its target, "
                    + "and not to \(trustedNames); use the path of its target")
        }
    }

    fileprivate func target(ofLink path: String, _ status: stat) throws(UntrustedPath) -> String {
        try check(link: path, status)
        do { return try FilePath(path).linkTarget() } catch { throw .failed(path, error) }
    }

    private func checkWriters(of path: String, _ status: stat) throws(UntrustedPath) {
        if status.st_mode & S_IWOTH == 0 {
            if status.st_mode & S_IWGRP == 0 { return }
            if isPrivate(group: status.st_gid, of: status.st_uid), !hasAccessList(path) { return }
        }
        throw .untrusted(
            "other users can write to \(path) (mode \(String(status.st_mode & 0o7777, radix: 8))); run `chmod go-w \(path)`"
        )
    }
}

extension FilePath {
    fileprivate func linkTarget() throws(Errno) -> String {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard readlink(string, &target, target.count - 1) >= 0 else { throw .last }
        return String(decoding: target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension stat {
    fileprivate var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
}

/// Returns the name and the number of a user, for a message.
package func userName(_ userID: uid_t) -> String {
    getpwuid(userID).map { "\(String(cString: $0.pointee.pw_name)) (\(userID))" } ?? "\(userID)"
}

/// Whether its owner is the only member of a group. Many systems give each user such a group, and a umask of 002.
private func isPrivate(group groupID: gid_t, of userID: uid_t) -> Bool {
    guard let user = getpwuid(userID), user.pointee.pw_gid == groupID else { return false }
    let name = String(cString: user.pointee.pw_name)
    guard let group = getgrgid(groupID), String(cString: group.pointee.gr_name) == name else { return false }
    var member = group.pointee.gr_mem
    while let each = member?.pointee {
        if String(cString: each) != name { return false }
        member = member?.successor()
    }
    return true
}

/// Whether an access control list grants rights to more users or groups.
private func hasAccessList(_ path: String) -> Bool {
    // Swift's module of the C library lacks <sys/xattr.h>.
    typealias Call = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
    guard let address = dlsym(nil, "lgetxattr") else { return true }
    return unsafeBitCast(address, to: Call.self)(path, "system.posix_acl_access", nil, 0) >= 0
}

/// Whether this process has a file open by another descriptor.
private func isOpen(_ file: stat, besides found: FileDescriptor) -> Bool {
    (0..<min(getdtablesize(), 1_024)).contains(where: { descriptor in
        var other = stat()
        return descriptor != found.rawValue && fstat(descriptor, &other) == 0 && other.st_dev == file.st_dev
            && other.st_ino == file.st_ino
    })
}

extension FileDescriptor {
    /// Throws if another user may have written this file. Does not check pipes and devices.
    ///
    /// - Parameter path: for the message.
    package func checkWriters(path: String) throws(UntrustedPath) {
        try TrustedUsers().check(open: self, path)
    }

    /// Opens a file for reading. Refuses another user's pipe or device without opening it, unless this process already has it
    /// open, as /dev/stdin.
    package static func openedInput(_ path: String) throws(UntrustedPath) -> FileDescriptor {
        let place: FileDescriptor
        // The descriptor stays with this file, so no other user can replace it after the check.
        do throws(Errno) { place = try opened(path, .readOnly, .pathOnly) } catch { throw .failed(path, error) }
        defer { try? place.close() }
        try TrustedUsers().check(input: place, path)
        do throws(Errno) { return try opened("/proc/self/fd/\(place.rawValue)", .readOnly) } catch {
            throw .failed(path, error)
        }
    }

    /// Reads all bytes of a file; nil if there are more than `lengthMax`.
    fileprivate func readWhole(lengthMax: Int) throws(Errno) -> [UInt8]? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = part.withUnsafeMutableBytes { Glibc.read(rawValue, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            if count == 0 { return bytes }
            bytes += part[..<count]
            if bytes.count > lengthMax { return nil }
        }
    }
}
