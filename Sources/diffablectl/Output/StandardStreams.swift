import Dispatch
import Glibc

enum StandardStreams {
    /// Opens the descriptors that were closed (`>&-`). Otherwise a socket could get such a number, and output would be written
    /// to it. Each is opened in the wrong direction, so that using it fails as if it were closed.
    static func fillClosedDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one, because those below it are taken.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Ends the program when standard output has no reader any more, because the reader of a pipe ended or a terminal was
    /// closed. It is for commands that wait, and would not notice it by writing.
    static func exitWhenOutputCloses() {
        // It blocks as long as the program runs, so it has a thread of its own.
        DispatchQueue(label: "reader of standard output").async {
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while true {
                let count = poll(&output, 1, -1)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0, output.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
                endByBrokenPipe()
            }
        }
    }
}
