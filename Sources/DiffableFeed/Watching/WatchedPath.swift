import Glibc

package enum WatchedPath {
    /// Why the kernel does not report changes of a path; nil where it does. A path that does not exist yet is judged by the
    /// nearest directory above it.
    package static func objection(to path: String) -> String? { Mounts.now()?.objection(to: ResolvedPath(path)) }

    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}

/// The mounts that this process sees (proc_pid_mountinfo(5)).
struct Mounts {
    static let file = "/proc/self/mountinfo"
    private let lines: [[Substring]]

    init(_ text: String) { lines = text.split(separator: "\n").map { $0.split(separator: " ") } }

    /// Nil if the mounts cannot be read.
    static func now() -> Mounts? {
        guard let stream = fopen(file, "re") else { return nil }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 14)
        while case let count = fread(&part, 1, part.count, stream), count > 0 { bytes += part[..<count] }
        return Mounts(String(decoding: bytes, as: UTF8.self))
    }

    /// Why the kernel does not report changes of a path; nil if it does.
    func objection(to path: ResolvedPath) -> String? { path.devices.lazy.compactMap(objection(toDevice:)).first }

    func objection(toDevice device: UInt64) -> String? {
        // Linux's encoding of both numbers (makedev(3)).
        let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
        let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
        guard let name = type(ofDevice: "\(major):\(minor)").flatMap({ Self.silent[$0] }) else { return nil }
        return "is on \(name), where the kernel does not report changes"
    }

    /// File systems that programs or other machines change without a call that this kernel sees.
    private static let silent = [
        "proc": "/proc", "sysfs": "/sys", "debugfs": "debugfs", "tracefs": "tracefs", "nfs": "NFS", "nfs4": "NFS",
        "cifs": "SMB", "smb3": "SMB", "9p": "9P", "ceph": "Ceph", "afs": "AFS", "fuse.sshfs": "sshfs",
    ]

    func type(ofDevice device: String) -> String? {
        for words in lines {
            guard words.count > 2, words[2] == device, let mark = words.firstIndex(of: "-"), mark + 1 < words.count
            else {
                continue
            }
            return String(words[mark + 1])
        }
        return nil
    }

    /// The mounts below a directory, whose path has no symbolic links.
    func mountPoints(below path: String) -> [String] {
        var start = path
        for (sign, code) in [("\\", "\\134"), (" ", "\\040"), ("\t", "\\011"), ("\n", "\\012")] {
            start = start.replacing(sign, with: code)
        }
        if !start.hasSuffix("/") { start += "/" }
        // Without the fields after the mount point: a mount that is remounted with other options is the same.
        return lines.filter { $0.count > 4 && $0[4].hasPrefix(start) && $0[4] != "/" }
            .map { $0[..<5].joined(separator: " ") }
    }
}
