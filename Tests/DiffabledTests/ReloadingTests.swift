import DiffableProtocol
import DiffableServer
import Logging
import Synchronization
import Systemd
import Testing

@testable import diffabled

@Suite struct ReloadingTests {
    @Test func `whoever asks before the server is there is answered when it is`() async throws {
        let startUp = try StartUp(
            flags: [.socket: "/mine"], configurationFile: "/dev/null", received: [],
            processContext: ProcessContext(userID: 1000, environment: ["HOME": "/home/u"]))
        let reloading = ConfigurationReloader(
            of: startUp, LogThreshold(.info), notifier: Notifier(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let taken = Mutex(0)
        let answered: Result<Reply.Reload, ReloadError> = await withCheckedContinuation { continuation in
            reloading.reload { continuation.resume(returning: $0) }
            #expect(taken.withLock { $0 } == 0)
            reloading.attach { _, then in
                taken.withLock { $0 += 1 }
                then()
            }
        }
        #expect(try answered.get().applied.isEmpty)
        #expect(taken.withLock { $0 } == 1)
    }
}
