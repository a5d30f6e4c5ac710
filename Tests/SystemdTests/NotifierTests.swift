import Glibc
import Systemd
import Testing

/// Each test runs in its own process: they change the environment, which all threads of a process share.
@Suite struct NotifierTests {
    @Test func `ready and a status arrive as one datagram`() async {
        await #expect(processExitsWith: .success) {
            let manager = NotifySocket()
            manager.becomeOurs()
            #expect(Notifier().notify(.ready, .status("2 lists")) == .sent)
            #expect(manager.received() == ["READY=1", "STATUS=2 lists"])
        }
    }

    @Test func `stopping and signs of life are said as systemd spells them`() async {
        await #expect(processExitsWith: .success) {
            let manager = NotifySocket()
            manager.becomeOurs()
            Notifier().notify(.stopping)
            Notifier().notify(.watchdog)
            #expect(manager.received() == ["STOPPING=1"])
            #expect(manager.received() == ["WATCHDOG=1"])
        }
    }

    @Test func `a newline in a status cannot add an assignment`() async {
        await #expect(processExitsWith: .success) {
            let manager = NotifySocket()
            manager.becomeOurs()
            Notifier().notify(.status("list a\nREADY=1"))
            #expect(manager.received() == ["STATUS=list a READY=1"])
        }
    }

    @Test func `without a service manager nothing happens`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            #expect(Notifier().notify(.ready) == .nobodyListens)
        }
    }

    @Test func `a manager that is gone is reported and not fatal`() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            #expect(Notifier().notify(.ready) == .failed(ENOENT))
        }
    }
}
