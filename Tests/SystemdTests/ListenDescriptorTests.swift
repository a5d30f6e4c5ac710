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
            handOver(type: SOCK_STREAM, listening: true)
            let received = try ListenDescriptor.received()
            #expect(received.map(\.descriptor) == [3])
            #expect(received.map(\.name) == ["lists"])
            #expect(fcntl(3, F_GETFD) & FD_CLOEXEC != 0)
            #expect(getenv("LISTEN_FDS") == nil)
            let receivedAgain = try ListenDescriptor.received()
            #expect(receivedAgain.isEmpty)
        }
    }

    @Test func `a datagram socket is refused by name`() async {
        await #expect(processExitsWith: .success) {
            handOver(type: SOCK_DGRAM, listening: false)
            #expect(throws: ListenDescriptorError.notAListeningStream(name: "lists")) {
                try ListenDescriptor.received()
            }
        }
    }

    @Test func `a stream socket that does not listen is refused by name`() async {
        await #expect(processExitsWith: .success) {
            handOver(type: SOCK_STREAM, listening: false)
            #expect(throws: ListenDescriptorError.notAListeningStream(name: "lists")) {
                try ListenDescriptor.received()
            }
        }
    }
}

/// Makes a socket descriptor 3 of this process and says so in the environment, as systemd does before it starts a
/// service.
private func handOver(type: __socket_type, listening: Bool) {
    let descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
    if listening {
        // An address of no name is bound to one of the kernel's choice.
        var address = sockaddr(sa_family: sa_family_t(AF_UNIX), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        precondition(bind(descriptor, &address, socklen_t(MemoryLayout<sa_family_t>.size)) == 0)
        precondition(listen(descriptor, 1) == 0)
    }
    precondition(dup2(descriptor, 3) == 3)
    setenv("LISTEN_FDS", "1", 1)
    setenv("LISTEN_PID", "\(getpid())", 1)
    setenv("LISTEN_FDNAMES", "lists", 1)
}
