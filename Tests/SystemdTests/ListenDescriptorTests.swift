import Glibc
import Systemd
import Testing

@Suite struct ListenDescriptorTests {
    @Test func `a process that was started by hand receives nothing`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("LISTEN_FDS")
            let received = try ListenDescriptor.received()
            #expect(received.isEmpty)
        }
    }

    @Test func `a listening stream socket is received with its name, once`() async {
        await #expect(processExitsWith: .success) {
            let (received, flags, receivedAgain) = try withHandedOver(type: SOCK_STREAM, listening: true) {
                (try ListenDescriptor.received(), fcntl(3, F_GETFD), try ListenDescriptor.received())
            }
            #expect(received.map(\.descriptor) == [3])
            #expect(received.map(\.name) == ["lists"])
            #expect(flags & FD_CLOEXEC != 0)
            #expect(getenv("LISTEN_FDS") == nil)
            #expect(receivedAgain.isEmpty)
        }
    }

    @Test func `a datagram socket is refused by name`() async {
        await #expect(processExitsWith: .success) {
            let result = try withHandedOver(type: SOCK_DGRAM, listening: false) {
                Result { try ListenDescriptor.received() }
            }
            #expect(throws: ListenDescriptorError.notAListeningStream(name: "lists")) { try result.get() }
        }
    }

    @Test func `a stream socket that does not listen is refused by name`() async {
        await #expect(processExitsWith: .success) {
            let result = try withHandedOver(type: SOCK_STREAM, listening: false) {
                Result { try ListenDescriptor.received() }
            }
            #expect(throws: ListenDescriptorError.notAListeningStream(name: "lists")) { try result.get() }
        }
    }
}

/// Makes a socket descriptor 3 of this process and sets the environment, as systemd does for a service.
///
/// The testing library may use descriptor 3 to talk to its parent process. It is restored before any expectation, which would be
/// reported there. Another thread of the library may also close it during the body; then the body is repeated.
private func withHandedOver<R>(type: __socket_type, listening: Bool, _ body: () throws -> R) throws -> R {
    let descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
    if listening {
        // For an address without a name, the kernel chooses one.
        var address = sockaddr(sa_family: sa_family_t(AF_UNIX), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        precondition(bind(descriptor, &address, socklen_t(MemoryLayout<sa_family_t>.size)) == 0)
        precondition(listen(descriptor, 1) == 0)
    }
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
    for _ in 0..<100 {
        let before = fcntl(3, F_DUPFD_CLOEXEC, 10)
        precondition(dup2(own, 3) == 3)
        setenv("LISTEN_FDS", "1", 1)
        setenv("LISTEN_PID", "\(getpid())", 1)
        setenv("LISTEN_FDNAMES", "lists", 1)
        let result = Result { try body() }
        let isStillThere = socketNumber(3) == socketNumber(own)
        if before >= 0 { dup2(before, 3) }
        if isStillThere { return try result.get() }
    }
    throw AlwaysTaken()
}

private func socketNumber(_ descriptor: Int32) -> ino_t? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_ino : nil
}

/// Another thread closes descriptor 3 each time.
private struct AlwaysTaken: Error {}
