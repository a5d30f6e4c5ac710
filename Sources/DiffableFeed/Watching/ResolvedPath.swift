import Glibc

/// A path as the kernel resolves it at one moment, component by component and through symbolic links.
struct ResolvedPath: Equatable {
    struct Step: Hashable {
        /// Its path has no symbolic links.
        var directory: String
        var name: String
        /// The file with that name, which may be a symbolic link or the root of a mount; nil if there is none.
        var file: FileStatus.Identity?
        var isLink = false
        /// Whether the file exists and is not a link, and the path continues below it.
        var isPassed = false
    }

    /// In the order of resolution. It ends with the first name that leads nowhere.
    private(set) var steps: [Step] = []
    /// The path without symbolic links. It also names the place of a file that does not exist yet.
    private(set) var path: String

    /// The kernel's own limit (path_resolution(7)).
    private static let linksMax = 40

    init(_ path: String) {
        /// The components that are still to be resolved, the next one last.
        var rest = Array(path.split(separator: "/").reversed())
        /// The directory that has been reached, without a slash at its end.
        var here = ""
        var links = 0
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                here = String(here[..<(here.lastIndex(of: "/") ?? here.startIndex)])
                continue
            }
            let next = "\(here)/\(name)"
            var step = Step(directory: here.isEmpty ? "/" : here, name: String(name))
            let status = FileStatus(of: Array(next.utf8), in: AT_FDCWD)
            step.file = status?.identity
            step.isLink = status?.type == .link
            step.isPassed = status != nil && !step.isLink && !rest.isEmpty
            steps.append(step)
            links += step.isLink ? 1 : 0
            guard status != nil, links <= Self.linksMax else {
                here = ([next[...]] + rest.reversed()).joined(separator: "/")
                break
            }
            if step.isLink {
                let target = String(decoding: status?.target ?? [], as: UTF8.self)
                if target.hasPrefix("/") { here = "" }
                rest += target.split(separator: "/").reversed()
            } else {
                here = next
            }
        }
        self.path = here.isEmpty ? "/" : here
    }

    /// The devices of the path's links and of its last existing file or directory. Their file systems decide which file the path
    /// names.
    var devices: Set<UInt64> {
        var devices = Set(steps.lazy.filter(\.isLink).compactMap(\.file?.device))
        if let end = steps.last(where: { $0.file != nil && !$0.isLink }) ?? nil, let device = end.file?.device {
            devices.insert(device)
        }
        return devices
    }
}
