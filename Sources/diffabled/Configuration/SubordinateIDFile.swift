import DiffableStore
import Glibc

enum SubordinateIDFile {
    static let path = "/etc/subuid"
    /// Bytes. The rest of a longer file is ignored.
    private static let lengthMax = 1 << 20

    /// Reads the ranges. An unreadable file counts as empty.
    static func users(in path: String, daemonUserID: UInt32) -> SubordinateUsers {
        SubordinateUsers(text(of: path), daemonUserID: daemonUserID) { getpwnam($0)?.pointee.pw_uid }
    }

    private static func text(of path: String) -> String {
        // Opening a pipe does not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return "" }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while text.count < lengthMax {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
