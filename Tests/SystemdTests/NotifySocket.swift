import Glibc

/// Plays the service manager for `Notifier`: a datagram socket in the abstract namespace, named in `NOTIFY_SOCKET`.
///
/// Sets the environment of the process it is made in, so it is made in exit tests only.
struct NotifySocket {
    private let descriptor: Int32

    init() {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        precondition(descriptor >= 0, "no datagram socket")
        let name = "diffabled-notify-test-\(getpid())"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: name.utf8) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        precondition(bound == 0, "cannot bind the notify socket")
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setenv("NOTIFY_SOCKET", "@" + name, 1)
    }

    /// The next datagram's lines, or nothing after five seconds.
    func received() -> [String] {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return [] }
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
