import Files
import Glibc
import SystemPackage

/// The directory of `--pages`: the user's own files for this server.
package struct UserPages: Sendable {
    let directory: FileDescriptor

    package init(directory: String) throws(UntrustedPath) {
        let trusted = try TrustedPath(directory: directory)
        do throws(Errno) { self.directory = try FileDescriptor.opened(trusted.path, .readOnly, .directory) } catch {
            throw .failed(directory, error)
        }
    }

    /// An open file, which the caller closes.
    struct File {
        let descriptor: Int32
        let name: String
        let length: Int
        let tag: String
    }

    /// Opens a file below the directory, or `index.html` for a path that ends with a slash. Nil if there is none.
    ///
    /// Each name is opened in the directory that was opened before it, and no symbolic link is followed. So no path, and no
    /// change of a path at the same time, leads out of the directory.
    func open(_ path: [String]) -> File? {
        var path = path.map { $0.isEmpty ? "index.html" : $0 }
        guard let name = path.popLast(), !([name] + path).contains(where: { $0.hasPrefix(".") }) else { return nil }
        var here = dup(directory.rawValue)
        defer { close(here) }
        for folder in path {
            let next = openat(here, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { return nil }
            close(here)
            here = next
        }
        // Opening a pipe would wait for its writer.
        let file = openat(here, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            return nil
        }
        let time = status.st_mtim
        return File(
            descriptor: file, name: name, length: Int(status.st_size),
            tag: "\"\(status.st_ino)-\(status.st_size)-\(time.tv_sec)-\(time.tv_nsec)\"")
    }
}

/// The media type of a file, by the ending of its name.
func mediaType(of name: String) -> String {
    switch name.split(separator: ".").last.map({ $0.lowercased() }) {
    case "html": "text/html; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "json", "map": "application/json"
    case "txt", "md", "csv": "text/plain; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "jpg", "jpeg": "image/jpeg"
    case "gif": "image/gif"
    case "webp": "image/webp"
    case "ico": "image/x-icon"
    case "woff2": "font/woff2"
    case "wasm": "application/wasm"
    default: "application/octet-stream"
    }
}
