import Foundation
import TestSupport

/// Accepts connections, and never writes to them.
final class MuteListener {
    private let descriptor: Int32
    private let path: String

    init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let result = withUnixAddress(path) { [descriptor] in bind(descriptor, $0, $1) }
        guard result == 0, listen(descriptor, Int32(Self.queueLength) - 1) == 0 else {
            throw Failure("cannot listen at \(path)")
        }
    }

    /// The number of connections in the queue until the kernel refuses more.
    static let queueLength = 9

    /// Returns the first waiting connection; the caller closes it.
    func take() -> Int32 { accept(descriptor, nil, nil) }

    /// Reads a little from the first connection, and closes it.
    func hangUp() {
        let connection = accept(descriptor, nil, nil)
        var byte: UInt8 = 0
        _ = recv(connection, &byte, 1, 0)
        close(connection)
        close(descriptor)
        unlink(path)
    }
}
