import Glibc

/// The user's terminal, as an open descriptor.
///
/// Normally this is `/dev/tty`. A program that `su -c` or `setsid` started has no `/dev/tty`: it uses standard input, output or
/// error, whichever is a terminal.
package struct UserTerminal {
    /// The descriptor, open for reading and writing. The caller closes it.
    package let descriptor: Int32
    package let path: String
    /// Whether other processes share the open file and with it the status flags.
    let isShared: Bool
    /// Whether the kernel sends this program the terminal's signals, such as for a new size.
    let isControlling: Bool

    /// - Parameter blocks: whether reading waits for input.
    package init(blocks: Bool) throws(TerminalError) {
        let flags = O_RDWR | O_NOCTTY | O_CLOEXEC | (blocks ? 0 : O_NONBLOCK)
        let controlling = open("/dev/tty", flags)
        if controlling >= 0 {
            (descriptor, path, isShared, isControlling) = (controlling, "/dev/tty", false, true)
            return
        }
        let error = errno
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where isatty(stream) == 1 {
            let path = "/proc/self/fd/\(stream)"
            let own = open(path, flags)
            if own >= 0 {
                (descriptor, self.path, isShared, isControlling) = (own, path, false, false)
                return
            }
            // After `su`, the terminal belongs to another user.
            guard fcntl(stream, F_GETFL) & O_ACCMODE == O_RDWR else { continue }
            let copy = fcntl(stream, F_DUPFD_CLOEXEC, 3)
            if copy >= 0 {
                (descriptor, self.path, isShared, isControlling) = (copy, path, true, false)
                return
            }
        }
        throw .unavailable(path: "/dev/tty", error)
    }
}
