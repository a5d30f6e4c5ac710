import Glibc
import SystemPackage

/// A path that may lead through directories of other users.
///
/// A symbolic link is followed only if it belongs to root or to the user of this process. Otherwise the owner of the link could
/// lead this process to files that only the process can read. The kernel has a similar rule for directories with the sticky bit
/// (`fs.protected_symlinks` in proc_sys_fs(5)).
///
/// Each name is looked up in the directory that was opened before. So other users cannot win a race against the checks.
package struct FollowedPath {
    /// The path without symbolic links.
    package let path: String
    /// A descriptor of the file or directory that can neither be read nor written (`O_PATH`). The caller closes it.
    package let descriptor: Int32

    /// - Parameter path: an absolute path.
    package init(_ path: String) throws(UntrustedPath) {
        let users = TrustedUsers()
        var here = openat(AT_FDCWD, "/", Self.pathOnly | O_DIRECTORY)
        guard here >= 0 else { throw .failed(path, .last) }
        var names: [[UInt8]] = []
        do throws(UntrustedPath) {
            var rest = Self.names(Array(path.utf8))
            var links = 0
            while let name = rest.popLast() {
                let next = Self.opened(name, in: here)
                guard next >= 0 else { throw .failed(path, .last) }
                var (old, status) = (next, stat())
                defer { close(old) }
                guard fstat(next, &status) == 0 else { throw .failed(path, .last) }
                if status.isLink {
                    links += 1
                    guard links <= TrustedPath.linksMax else { throw .failed(path, .tooManySymbolicLinkLevels) }
                    try users.check(link: Self.path(names + [name]), status)
                    let target = try Self.target(ofLink: next, path)
                    if target.first == Self.slash {
                        let root = openat(AT_FDCWD, "/", Self.pathOnly | O_DIRECTORY)
                        guard root >= 0 else { throw .failed(path, .last) }
                        close(here)
                        (here, names) = (root, [])
                    }
                    rest += Self.names(target)
                    continue
                }
                (old, here) = (here, next)
                if name == Array("..".utf8) { _ = names.popLast() } else { names.append(name) }
            }
        } catch {
            close(here)
            throw error
        }
        self.path = Self.path(names)
        descriptor = here
    }

    private static let slash = UInt8(ascii: "/")
    private static let pathOnly = FileDescriptor.OpenOptions.pathOnly.rawValue | O_NOFOLLOW | O_CLOEXEC

    private static func opened(_ name: [UInt8], in directory: Int32) -> Int32 {
        let name = name.map { CChar(bitPattern: $0) } + [0]
        // O_DIRECTORY also mounts a directory that autofs(5) mounts on demand.
        let descriptor = openat(directory, name, pathOnly | O_DIRECTORY)
        return descriptor < 0 && errno == ENOTDIR ? openat(directory, name, pathOnly) : descriptor
    }

    private static func target(ofLink link: Int32, _ path: String) throws(UntrustedPath) -> [UInt8] {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = target.withUnsafeMutableBytes { readlinkat(link, "", $0.baseAddress!, $0.count) }
        guard length > 0 else { throw .failed(path, .last) }
        return Array(target[..<length])
    }

    /// The names in a path, the last one first.
    private static func names(_ path: [UInt8]) -> [[UInt8]] {
        path.split(separator: slash).map(Array.init).filter { $0 != [UInt8(ascii: ".")] }.reversed()
    }

    private static func path(_ names: [[UInt8]]) -> String {
        "/" + names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }
}
