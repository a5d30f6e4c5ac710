import Files
import Foundation
import SystemPackage

struct StateFiles {
    let directory: String

    /// The names of the regular files. The daemon uses no directories.
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

    /// Links every file into another directory of the same file system.
    func link(to other: String) throws {
        for name in try names() {
            do {
                try FileManager.default.linkItem(atPath: path(name), toPath: "\(other)/\(name)")
            } catch {
                try FileManager.default.copyItem(atPath: path(name), toPath: "\(other)/\(name)")
            }
        }
    }

    /// Syncs the directory's entries to disk.
    func synchronize() throws(Errno) {
        try FileDescriptor.synchronize(directory: directory)
    }

    /// Gives a file that root created to the owner of the directory. `--repair` runs as root only in a directory that
    /// its owner cannot reach. Does not follow a symbolic link.
    func giveToDirectoryOwner(_ name: String) {
        guard geteuid() == 0, let owner = try? Stat(directory) else { return }
        _ = lchown(path(name), owner.userID.rawValue, owner.groupID.rawValue)
    }
}
