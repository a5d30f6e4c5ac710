import Glibc
import TestSupport

/// A service manager for `NOTIFY_SOCKET`: a datagram socket in the abstract namespace.
final class NotifySocket {
    /// The value of the variable for a process that reports here.
    let name: String
    private let descriptor: Int32

    init() {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        precondition(descriptor >= 0, "no datagram socket")
        let name = "diffabled-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        self.name = "@" + name
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: name.utf8) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        precondition(bound == 0, "cannot bind the notify socket")
        var timeOut = timeval(tv_sec: time_t(patience.components.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeOut, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Sets the variable in this process; only for exit tests, because all threads share the environment.
    func becomeOurs() {
        setenv("NOTIFY_SOCKET", name, 1)
    }

    /// Returns the next datagram's lines, or nothing without one.
    func received() -> [String] {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return [] }
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Skips datagrams until this line is in one.
    func waits(for line: String) -> Bool {
        while true {
            let lines = received()
            if lines.contains(line) { return true }
            if lines.isEmpty { return false }
        }
    }
}
