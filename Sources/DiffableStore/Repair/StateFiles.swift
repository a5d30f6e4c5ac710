import Foundation

/// The files of a state directory, as files.
struct StateFiles {
    let directory: String

    /// The names of those that a daemon made there; directories are others'.
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

    /// Gives every file another name in another directory of the same file system, beside its own.
    func link(to other: String) throws {
        for name in try names() {
            do {
                try FileManager.default.linkItem(atPath: path(name), toPath: "\(other)/\(name)")
            } catch {
                try FileManager.default.copyItem(atPath: path(name), toPath: "\(other)/\(name)")
            }
        }
    }

    /// Returns when it is on disk which files there are.
    func synchronize() throws {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Makes the file belong to whom the directory belongs, when root has made it for a daemon that is not root.
    func adopt(_ name: String) {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0 else { return }
        _ = chown(path(name), status.st_uid, status.st_gid)
    }
}
