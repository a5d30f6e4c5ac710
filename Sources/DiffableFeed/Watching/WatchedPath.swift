import Glibc

/// What can be watched for changes.
package enum WatchedPath {
    /// Why the kernel does not tell of changes below a path; nil where it does. A path that is not there yet is judged by the
    /// nearest directory above it.
    package static func objection(to path: String) -> String? {
        var status = stat()
        guard stat(existing(path), &status) == 0, let mounts = text(of: "/proc/self/mountinfo") else { return nil }
        // Linux's own way to put both into one number (makedev(3)).
        let device = UInt64(status.st_dev)
        let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
        let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
        guard let type = type(ofDevice: "\(major):\(minor)", in: mounts), let name = silent[type] else { return nil }
        return "is on \(name), where the kernel tells of no changes"
    }

    /// File systems that programs or other machines change without a call that this kernel sees.
    private static let silent = [
        "proc": "/proc", "sysfs": "/sys", "debugfs": "debugfs", "tracefs": "tracefs", "nfs": "NFS", "nfs4": "NFS",
        "cifs": "SMB", "smb3": "SMB", "9p": "9P", "ceph": "Ceph", "afs": "AFS", "fuse.sshfs": "sshfs",
    ]

    /// - Parameter mounts: as in proc_pid_mountinfo(5).
    static func type(ofDevice device: String, in mounts: String) -> String? {
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 2, words[2] == device, let mark = words.firstIndex(of: "-"), mark + 1 < words.count
            else {
                continue
            }
            return String(words[mark + 1])
        }
        return nil
    }

    private static func text(of file: String) -> String? {
        guard let stream = fopen(file, "re") else { return nil }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 14)
        while case let count = fread(&part, 1, part.count, stream), count > 0 { bytes += part[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The path, or the nearest directory above it that is there.
    package static func existing(_ path: String) -> String {
        var path = path
        while path != "/", access(path, F_OK) != 0 { path = directory(of: path) }
        return path
    }

    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
