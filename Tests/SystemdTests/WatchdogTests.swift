import Glibc
import Systemd
import Testing

@Suite struct WatchdogTests {
    @Test func `signs of life are given twice in each timeout`() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            #expect(Watchdog()?.timeout == .seconds(30))
            #expect(Watchdog()?.interval == .seconds(15))
        }
    }

    @Test func `the demand on another process is not ours`() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "1", 1)
            #expect(Watchdog() == nil)
        }
    }

    @Test func `nobody asks for signs of life without WatchdogSec`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("WATCHDOG_USEC")
            #expect(Watchdog() == nil)
        }
    }
}
