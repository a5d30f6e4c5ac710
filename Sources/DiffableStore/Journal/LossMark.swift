import Files
import Glibc
import SystemPackage

/// A file next to the database that records a loss of acknowledged changes. It stays until a user deletes it, and thereby
/// acknowledges the loss.
package struct LossMark {
    private let path: String

    package init(in directory: String) { path = directory + "/loss" }

    /// Creates the file. Without it, the loss is only in the log.
    func create() {
        let file = try? FileDescriptor.opened(path, .readWrite, [.create, .noFollow], permissions: .ownerReadWrite)
        try? file?.close()
    }

    /// The loss and the way to acknowledge it; nil if there was none.
    package var sentence: String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        var (seconds, parts) = (status.st_mtim.tv_sec, tm())
        gmtime_r(&seconds, &parts)
        var bytes = [CChar](repeating: 0, count: 32)
        strftime(&bytes, bytes.count, "%Y-%m-%d %H:%M UTC", &parts)
        let time = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "acknowledged changes were lost before \(time); check the disk and the lists, then delete \(path)"
    }
}
