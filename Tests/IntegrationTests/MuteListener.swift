import Foundation
import TestSupport

/// Takes connections, and never says anything on them.
final class MuteListener {
    private let descriptor: Int32
    private let path: String

    init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = withUnixAddress(path) { [descriptor] in bind(descriptor, $0, $1) }
        guard result == 0, listen(descriptor, 8) == 0 else { throw Failure("cannot listen at \(path)") }
    }

    /// Reads a little from the first connection, and is gone.
    func hangUp() {
        let connection = accept(descriptor, nil, nil)
        var byte: UInt8 = 0
        _ = recv(connection, &byte, 1, 0)
        close(connection)
        close(descriptor)
        unlink(path)
    }
}
