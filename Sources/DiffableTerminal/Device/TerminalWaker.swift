import Glibc

/// Wakes a loop that waits for its terminal, from any thread. Several calls before the loop checks give one event.
package final class TerminalWaker: Sendable {
    /// A pipe; the loop reads the first end. It stays open as long as `wake` may be called.
    let ends: [Int32]

    init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.ends = ends
    }

    package func wake() {
        // A write to a full pipe fails, and the pipe wakes the loop anyway.
        _ = write(ends[1], [1], 1)
    }

    /// - Returns: whether `wake` was called.
    func takeCalls() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        return read(ends[0], &bytes, bytes.count) > 0
    }

    deinit { for end in ends { close(end) } }
}
