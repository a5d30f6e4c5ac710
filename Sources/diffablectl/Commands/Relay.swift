import ArgumentParser
import DiffableClient
import Glibc

struct Relay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Connect standard input and output to the daemon.",
        discussion: """
            Programs on other hosts start relay by ssh or a similar program, and speak the daemon's protocol with it, \
            as diffablectl mirror does. relay ends when the daemon closes the connection. At the end of the input, the \
            daemon closes it after the last reply.
            """)

    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let socket = try daemon.path().connected()
        defer { close(socket) }
        var loop = RelayLoop(socket: socket)
        try loop.run()
    }
}

/// Copies in both directions, with one buffer each: while a buffer cannot be written, nothing is read.
private struct RelayLoop {
    let socket: CInt
    private var up = Direction(from: STDIN_FILENO)
    private var down: Direction

    init(socket: CInt) {
        self.socket = socket
        down = Direction(from: socket)
    }

    private struct Direction {
        let source: CInt
        var bytes: [UInt8] = []
        var hasEnded = false

        init(from source: CInt) { self.source = source }

        var wantsBytes: Bool { bytes.isEmpty && !hasEnded }
    }

    mutating func run() throws {
        while !(down.hasEnded && down.bytes.isEmpty) {
            var polled = [
                pollfd(fd: up.wantsBytes ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: up.bytes.isEmpty ? -1 : socket, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: down.wantsBytes ? socket : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: down.bytes.isEmpty ? -1 : STDOUT_FILENO, events: Int16(POLLOUT), revents: 0),
            ]
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 else {
                if errno == EINTR { continue }
                throw failure("waiting")
            }
            if polled[0].revents != 0, try read(&up) { _ = shutdown(socket, CInt(SHUT_WR)) }
            if polled[1].revents != 0 { try write(&up, to: socket) }
            if polled[2].revents != 0 { _ = try read(&down) }
            if polled[3].revents != 0 { try write(&down, to: STDOUT_FILENO) }
        }
    }

    /// Returns true at the end of the source.
    private func read(_ direction: inout Direction) throws -> Bool {
        let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
            let count = Glibc.read(direction.source, buffer.baseAddress, buffer.count)
            if count > 0 { direction.bytes = Array(buffer[..<count]) }
            return count
        }
        if count < 0, errno != EINTR, errno != EAGAIN, errno != ECONNRESET { throw failure("reading") }
        if count == 0 || count < 0 && errno == ECONNRESET { direction.hasEnded = true }
        return direction.hasEnded
    }

    private func write(_ direction: inout Direction, to target: CInt) throws {
        let count = direction.bytes.withUnsafeBytes { Glibc.write(target, $0.baseAddress, $0.count) }
        if count < 0, errno == EPIPE, target == socket {
            // The daemon sends its reason and closes.
            return direction.bytes = []
        }
        if count < 0, errno != EINTR, errno != EAGAIN { throw failure("writing") }
        if count > 0 { direction.bytes.removeFirst(count) }
    }

    private func failure(_ what: String) -> CommandError {
        CommandError(.unwritable, "the relay has ended, because \(what) failed: \(String(cString: strerror(errno)))")
    }
}
