import Files
import Foundation
import SystemPackage

/// The files of a state directory.
struct StateFiles {
    let directory: String

    /// The names of the files that a daemon uses there. Directories are not the daemon's.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
            return attributes[.type] as? FileAttributeType == .typeRegular
        }.sorted()
    }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func copy(to other: String) throws {
        for name in try names() { try FileManager.default.copyItem(atPath: path(name), toPath: "\(other)/\(name)") }
    }

    /// Links every file into another directory of the same file system, under its own name.
    func link(to other: String) throws {
        for name in try names() {
            do {
                try FileManager.default.linkItem(atPath: path(name), toPath: "\(other)/\(name)")
            } catch {
                try FileManager.default.copyItem(atPath: path(name), toPath: "\(other)/\(name)")
            }
        }
    }

    /// Waits until it is on disk which files there are.
    func synchronize() throws(Errno) {
        try FileDescriptor.synchronize(directory: directory)
    }

    /// Gives a file to the owner of the directory if root has made it. `--repair` runs as root only in a directory that its
    /// owner cannot reach. A symbolic link is not followed.
    func adopt(_ name: String) {
        guard geteuid() == 0, let owner = try? Stat(directory) else { return }
        _ = lchown(path(name), owner.userID.rawValue, owner.groupID.rawValue)
    }
}
