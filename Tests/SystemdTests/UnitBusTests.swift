import Glibc
import Synchronization
import Systemd
import TestSupport
import Testing

/// Connections to a missing service manager. `scripts/box` tests a real one.
///
/// Each test runs in its own process: they change the environment, which all threads of a process share.
@Suite struct UnitBusTests {
    private final class Heard: Sendable {
        let news = Mutex<[UnitEvent]>([])

        func receive(_ news: UnitEvent) -> [UnitQuery] {
            self.news.withLock { $0.append(news) }
            return []
        }

        var count: Int { news.withLock(\.count) }

        /// The failure, if it is the only news.
        var failure: UnitFailure? {
            news.withLock { news in
                guard news.count == 1, case .ended(let failure)? = news.first else { return nil }
                return failure
            }
        }
    }

    @Test func `without a bus it ends with the reason, and nothing can be done over it`() async {
        await #expect(processExitsWith: .success) {
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent", 1)
            let heard = Heard()
            let bus = try UnitBus(.system) { heard.receive($0) }
            #expect(try await eventuallyInTask { heard.failure != nil })
            #expect(
                heard.failure
                    == .disconnected("the bus of systemd cannot be reached: No such file or directory"))
            let failure = await #expect(throws: UnitFailure.self) { try await bus.perform(.start, on: "a.service") }
            guard case .disconnected? = failure else { exit(1) }
            bus.close()
        }
    }

    @Test func `without a user's session it says what is missing`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("DBUS_SESSION_BUS_ADDRESS")
            unsetenv("XDG_RUNTIME_DIR")
            let heard = Heard()
            _ = try UnitBus(.user) { heard.receive($0) }
            #expect(try await eventuallyInTask { heard.failure != nil })
            guard case .disconnected(let reason)? = heard.failure else { exit(1) }
            #expect(reason.hasPrefix("the bus of systemd cannot be reached: "))
        }
    }

    @Test func `a bus that says nothing is left when it is closed, and who waits hears so`() async {
        await #expect(processExitsWith: .success) {
            let path = "/tmp/unit-bus-\(getpid())"
            let listener = try #require(listeningSocket(at: path))
            defer { unlink(path) }
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(path)", 1)
            let heard = Heard()
            let bus = try UnitBus(.system) { heard.receive($0) }
            let accepted = accept(listener, nil, nil)
            let waiting = Task { try await bus.perform(.start, on: "a.service") }
            let cancelled = Task { try await bus.perform(.stop, on: "a.service") }
            cancelled.cancel()
            let error = await #expect(throws: UnitFailure.self) { try await cancelled.value }
            #expect(error == .cancelled)
            bus.close()
            await #expect(throws: UnitFailure.self) { try await waiting.value }
            // The other end is notified that it was closed.
            var bytes = [UInt8](repeating: 0, count: 1_024)
            while recv(accepted, &bytes, bytes.count, 0) > 0 {}
            #expect(heard.count == 0)
        }
    }
}

private func listeningSocket(at path: String) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let isBound = withUnixAddress(path) { bind(descriptor, $0, $1) } == 0
    return isBound && listen(descriptor, 1) == 0 ? descriptor : nil
}
